"""Spark as its driver sees it: executors with slots, a fair scheduler, processes of tasks.

The scheduler does what Spark's does (`TaskSchedulerImpl`, `FairSchedulingAlgorithm`): the pool with
the fewest running tasks is first, and each of its task sets gets one slot of each executor in turn.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from io import BytesIO
from types import SimpleNamespace
from weakref import WeakKeyDictionary

from plugwright.spark.channel import ChannelServer
from plugwright.spark.host import JOB_PROPERTY
from plugwright.spark.messages import (
    Assignment,
    Dismissed,
    EndProcess,
    Hello,
    HostReport,
    Pause,
    Resume,
    Stop,
    from_frame,
    to_frame,
)
from plugwright.spark.tickets import TICKET_PROPERTY, shown
from plugwright.wire import packed_head, read_frame

_FORK_S, _START_S = (0.02, 0.2), (0.01, 0.3)
_STOP_S, _SLOW_STOP_S = (0.01, 0.2), (1.0, 4.0)
_SLOW = 0.1
_LINE_S = (0.0002, 0.002)
_OFFER_S = 0.001
_POOL = "spark.scheduler.pool"


class JobCancelledError(Exception):
    """What Spark tells the one who ran a job that was cancelled."""


class Line:
    """The driver's end of a connection, with the interface of `EncryptedLine`."""

    def __init__(self, threads, host):
        self._host, self._arrived = host, bytearray()
        self._changed, self._cut = threads.Condition(), False

    def shake_hands(self):
        """There is nothing to agree on."""

    def send(self, data):
        """To the host."""
        if self._cut:
            raise ConnectionResetError
        head, _ = read_frame(BytesIO(data).read, head_limit=1 << 30)
        self._host.hears(from_frame(head))

    def exactly(self, size):
        """From the host."""
        with self._changed:
            while len(self._arrived) < size:
                if self._cut:
                    raise ConnectionResetError
                self._changed.wait()
            found = bytes(self._arrived[:size])
            del self._arrived[:size]
        return found

    def arrive(self, message):
        """The host has said something."""
        self._arrived += packed_head(to_frame(message))
        self._changed.notify_all()

    def cut(self):
        """No more of it."""
        self._cut = True
        self._changed.notify_all()
        self._host.hung_up()

    close = cut


class MemoryServer(ChannelServer):
    """The driver's control channel over lines in memory."""

    def __init__(self, threads, admits, serve):
        self._threads = threads
        self._admits, self._serve = admits, serve
        self._pending = SimpleNamespace(gone=lambda _: None)
        self._talking = set()
        self.certificate = ""

    @property
    def address(self):
        """Of nothing."""
        return "127.0.0.1", 1

    def connected(self, line):
        """A host has connected."""
        thread = self._threads.Thread(target=self._talk, args=(line,), name="task-host")
        self._talking.add(thread)
        thread.start()

    def close(self):
        """No client connects any more."""


class Executor:
    """A place for processes.

    Attributes:
        running: the processes in its slots.
    """

    def __init__(self, name, slots):
        self.name, self.slots = name, slots
        self.running = set()
        self.alive = True

    @property
    def free(self):
        """Slots."""
        return self.slots - len(self.running) if self.alive else 0


class TaskSet:
    """One job: the tasks of a plan."""

    def __init__(self, number, count, properties, tags, threads):
        self.number, self.count = number, count
        self.job, self.ticket = properties[JOB_PROPERTY], properties[TICKET_PROPERTY]
        self.pool, self.tags = properties[_POOL], tags
        self.pending = deque(range(count))
        self.attempts, self.running = Counter(), {}
        self.done, self.failures = set(), 0
        self.error = None
        self.over = threads.Event()


class TaskProcess:
    """The host of a task, as the real one behaves on the line."""

    def __init__(self, spark, executor, tasks, index):
        self.spark, self.executor, self.tasks, self.index = spark, executor, tasks, index
        self.attempt, self.run = tasks.attempts[index], next(spark.runs)
        self.pid = 1000 + self.run
        self.state, self.what, self.line = "STARTING", None, None
        spark.later(_FORK_S, self._connect)

    def _connect(self):
        if self.state == "ENDED":
            return
        self.line = Line(self.spark.threads, self)
        job, run = self.tasks.job, self.run
        ticket = shown(self.tasks.ticket, job=job, task=self.index, attempt=self.attempt, run=run)
        daemon = f"{self.executor.name}:1"
        self.line.arrive(Hello(job, self.index, self.attempt, run, ticket, self.pid, daemon))
        self.spark.server.connected(self.line)

    def hears(self, message):
        """A message of the driver."""
        self.spark.later(_LINE_S, lambda: self._take(message))

    def hung_up(self):
        """The driver has closed the line: the process ends itself, as its watchdog does."""
        if self.state not in {"ENDED", "DISMISSED"}:
            self.spark.later(_LINE_S, self.crash)

    def reports(self, state, trace="", **counters):
        """A message to the driver."""
        if self.state != "ENDED":
            self.line.arrive(HostReport(state, trace, counters))

    def crash(self):
        """The process is gone, without a word."""
        if self.state != "ENDED":
            self._end(failed=True)

    def _take(self, message):
        if self.state == "ENDED":
            return
        match message:
            case Assignment(spec):
                self.what = spec["connector"], spec["task"]
                self.spark.watch.began(*self.what, self)
                self.state = "PAUSED" if spec["paused"] else "BEGINNING"
                self.spark.later(_START_S, self._begun)
            case Pause():
                self.state = "PAUSED"
                self.reports("PAUSED")
            case Resume():
                self.state = "RUNNING"
                self.reports("RUNNING")
            case Stop():
                slow = self.spark.fibers.random.random() < _SLOW
                self.spark.later(_SLOW_STOP_S if slow else _STOP_S, self._stopped)
            case Dismissed():
                self.state = "DISMISSED"
                self._end(failed=False)
            case EndProcess():
                self._end(failed=True)

    def _begun(self):
        if self.state == "BEGINNING":
            self.state = "RUNNING"
        if self.state in {"RUNNING", "PAUSED"}:
            if self.spark.breaks(self.what):
                self.crash()
            else:
                self.reports(self.state)

    def _stopped(self):
        if self.state != "ENDED":
            self.spark.watch.ended(*self.what, self)
            self.reports("STOPPED")
            self._end(failed=False)

    def _end(self, *, failed):
        self.state = "ENDED"
        if self.what is not None:
            self.spark.watch.ended(*self.what, self)
        if self.line is not None:
            self.line.cut()
        self.spark.finished(self, failed=failed)


class SimulatedSpark:
    """A session with its executors; also the executors' side of the control channel.

    Args:
        group: the group whose worker it is.
        name: of the worker.

    Attributes:
        server: the control channel, once the launcher has opened it.
        broken: tasks whose processes always crash.
        asked: calls of Spark's JVM, by name.
    """

    def __init__(self, group, name):
        fibers = self.fibers = group.fibers
        self.threads, self.watch, self.broken = group.threads, group.watch, group.broken
        shape = group.shape
        self.executors = [Executor(f"{name}-{n}", shape.slots) for n in range(shape.executors)]
        self.runs = itertools.count()
        self.server, self.asked = None, Counter()
        self.dead = False
        self._sets, self._numbers = [], itertools.count()
        self._offers_soon = False
        self._properties, self._tags = WeakKeyDictionary(), WeakKeyDictionary()
        self.sparkContext = SimpleNamespace(
            environment={},
            master="spark://simulated:7077",
            pythonExec="/usr/bin/python3",
            getConf=lambda: {"spark.driver.host": "127.0.0.1"},
            addJobTag=lambda tag: self._tags.setdefault(fibers.current, set()).add(tag),
            setLocalProperty=self._set_property,
            cancelJobsWithTag=self._cancel,
            _jsc=SimpleNamespace(sc=lambda: SimulatedJvm(self)),
        )

    def _set_property(self, key, value):
        self._properties.setdefault(self.fibers.current, {})[key] = value

    def later(self, between, action):
        """Call something after a while."""
        self.fibers.later(self.fibers.random.uniform(*between), action)

    def breaks(self, what):
        """Whether the process of a task crashes as soon as it runs."""
        return what in self.broken

    def range(self, _begin, _end, _step, count):
        """A plan of so many tasks."""
        return SimpleNamespace(mapInArrow=lambda *_: _Plan(self, count))

    def sets(self):
        """The running jobs."""
        return self._sets

    def submit(self, count):
        """Run a job of so many tasks to its end."""
        me = self.fibers.current
        tasks = TaskSet(
            next(self._numbers), count, dict(self._properties[me]), self._tags[me], self.threads
        )
        self._sets.append(tasks)
        self._offer()
        tasks.over.wait()
        if tasks.error is not None:
            raise tasks.error

    def _offer(self):
        """Start pending tasks in free slots, as `TaskSchedulerImpl.resourceOffers` does."""
        self._offers_soon = False
        shares = Counter()
        for tasks in self._sets:
            shares[tasks.pool] += len(tasks.running)
        waiting = [tasks for tasks in self._sets if tasks.pending]
        places = [each for each in self.executors if each.free]
        self.fibers.random.shuffle(places)
        for tasks in sorted(waiting, key=lambda each: (shares[each.pool], each.pool, each.number)):
            while tasks.pending and places:
                for executor in places:
                    if tasks.pending:
                        self._launch(tasks, executor)
                places = [each for each in places if each.free]

    def finished(self, process, *, failed):
        """The process of a task has ended."""
        tasks, index = process.tasks, process.index
        process.executor.running.discard(process)
        tasks.running.pop(index, None)
        if failed and tasks.error is None:
            tasks.failures += 1
            tasks.attempts[index] += 1
            tasks.pending.append(index)
        elif not failed:
            tasks.done.add(index)
        if len(tasks.done) == tasks.count or tasks.error is not None:
            self._over(tasks)
        if not self._offers_soon:
            self._offers_soon = True
            self.fibers.later(_OFFER_S, self._offer)

    def lose(self, executor):
        """An executor is gone with all of its processes."""
        executor.alive = False
        self.executors.remove(executor)
        for process in sorted(executor.running, key=lambda each: each.run):
            process.crash()

    def die(self):
        """The driver is gone; with it go the executors."""
        self.dead = True
        for executor in list(self.executors):
            self.lose(executor)

    def _launch(self, tasks, executor):
        index = tasks.pending.popleft()
        process = TaskProcess(self, executor, tasks, index)
        tasks.running[index] = process
        executor.running.add(process)

    def _cancel(self, tag):
        for tasks in [each for each in self._sets if tag in each.tags]:
            tasks.error = JobCancelledError(f"job {tasks.number} was cancelled")
            tasks.pending.clear()
            for process in list(tasks.running.values()):
                process.crash()
            self._over(tasks)

    def _over(self, tasks):
        if tasks in self._sets:
            self._sets.remove(tasks)
            tasks.over.set()


class _Plan:
    def __init__(self, spark, count):
        self._spark, self._count = spark, count

    def collect(self):
        """Run it."""
        self._spark.submit(self._count)


class SimulatedJvm:
    """What `Placement` asks of Spark; each call would be a message to the JVM."""

    def __init__(self, spark):
        self._spark = spark

    def isStopped(self):  # noqa: N802  # Spark's name
        """Whether it is."""
        return self._spark.dead

    def resourceProfileManager(self):  # noqa: N802  # Spark's name
        """The profiles."""
        return SimpleNamespace(defaultResourceProfile=lambda: None)

    def maxNumConcurrentTasks(self, _):  # noqa: N802  # Spark's name
        """All slots."""
        self._count("maxNumConcurrentTasks")
        return sum(executor.slots for executor in self._spark.executors)

    def statusTracker(self):  # noqa: N802  # Spark's name
        """The tracker."""
        return SimpleNamespace(
            getJobIdsForTag=self._jobs,
            getJobInfo=self._job,
            getStageInfo=self._stage,
        )

    def statusStore(self):  # noqa: N802  # Spark's name
        """The store."""
        return SimpleNamespace(taskList=self._tasks)

    def _jobs(self, tag):
        self._count("getJobIdsForTag")
        return [tasks.number for tasks in self._spark.sets() if tag in tasks.tags]

    def _job(self, number):
        self._count("getJobInfo")
        return _some(SimpleNamespace(status=lambda: "RUNNING", stageIds=lambda: [number]))

    def _stage(self, number):
        self._count("getStageInfo")
        found = [tasks for tasks in self._spark.sets() if tasks.number == number]
        if not found:
            return _some(None)
        (tasks,) = found
        return _some(
            SimpleNamespace(
                stageId=lambda: tasks.number,
                currentAttemptId=lambda: 0,
                numTasks=lambda: tasks.count,
                numActiveTasks=lambda: len(tasks.running),
                numCompletedTasks=lambda: len(tasks.done),
                numFailedTasks=lambda: tasks.failures,
            )
        )

    def _tasks(self, number, _attempt, limit):
        tasks = next(each for each in self._spark.sets() if each.number == number)
        failed = [(index, count) for index, count in tasks.attempts.items() if count][:limit]
        self._count("taskList", 1 + 4 * len(failed))  # each field of each task is a message
        found = [
            SimpleNamespace(
                index=lambda index=index: index,
                attempt=lambda count=count: count - 1,
                status=lambda: "FAILED",
                errorMessage=lambda: SimpleNamespace(getOrElse=lambda _: "worker exited"),
            )
            for index, count in failed
        ]
        return SimpleNamespace(size=lambda: len(found), apply=found.__getitem__)

    def _count(self, name, calls=1):
        self._spark.asked[name] += calls


def _some(value):
    return SimpleNamespace(isDefined=lambda: value is not None, get=lambda: value)
