"""One connector: what runs is what is asked for, and its statuses tell."""

from __future__ import annotations

import json
import threading

import pytest
from tests.runtime.herder.fakes import FakeWorker, failure

from plugwright.control_plane import RebalanceNeededError, RestartRequest
from plugwright.errors import ConnectError
from plugwright.herder import ConfigStore, MemoryLog, SoleOwner, StatusStore, TaskUpdate
from plugwright.herder.config_state import TargetState
from plugwright.herder.reporting import StatusReporter
from plugwright.herder.runner import ConnectorRunner


class World:
    """A runner over stores in memory and a worker that only remembers."""

    def __init__(self):
        self.worker = FakeWorker()
        self.configs = ConfigStore(MemoryLog())
        self.configs.start(lambda _: None)
        self.statuses = StatusStore(MemoryLog())
        self.statuses.start()
        reporter = StatusReporter("a", self.statuses, "host:8083", lambda: 7)
        self.timers = []
        self.runner = ConnectorRunner(
            "a",
            self.worker,
            self.configs,
            reporter,
            SoleOwner(),
            shutdown_timeout_s=1.0,
            start_timer=self._start_timer,
        )

    def _start_timer(self, seconds, work):
        timer = (seconds, work)
        self.timers.append(timer)
        return lambda: timer in self.timers and self.timers.remove(timer)

    def elapse(self):
        """Let the time of the pending timer pass; how many seconds that were."""
        (timer,) = self.timers
        self.timers.remove(timer)
        self.do(timer[1])
        return timer[0]

    def put(self, target=None, **config):
        """Write a configuration and have it carried out."""
        self.configs.put_connector("a", {"tasks.max": "2", **config}, target)
        self.do(self.runner.reconcile)

    def turn(self, target):
        """Write a target state and have it carried out."""
        self.configs.put_target_state("a", target)
        self.do(self.runner.reconcile)

    def do(self, order, *arguments):
        """Give an order and wait for it and for the updates that it makes."""
        self.worker.calls.clear()
        order(*arguments)
        assert self.runner.settle(5)
        assert self.runner.settle(5)

    @property
    def states(self):
        """State of the connector, then of its tasks."""
        connector = self.statuses.connector("a")
        tasks = self.statuses.tasks("a")
        return connector and connector.state, {n: s.state for n, s in tasks.items()}

    @property
    def done(self):
        """The names of the calls to the worker since the last order."""
        return [call[0] for call in self.worker.calls]


@pytest.fixture
def world():
    """A fresh one, closed at the end."""
    world = World()
    yield world
    world.runner.close()


def test_topics_of_updates_that_wait_during_a_reset_are_not_reported(world):
    """They were used before it, whenever their turn comes."""
    world.put()
    held, updates = threading.Event(), {0: TaskUpdate("RUNNING", topics=("t",))}
    world.runner.then(lambda: bool(held.wait(5)))
    world.runner.then(lambda: world.runner._statuses.tasks(updates))
    world.runner.forget_topics(1000)
    held.set()
    assert world.runner.settle(5)
    assert world.statuses.topics("a") == []
    world.do(world.runner.then, lambda: world.runner._statuses.tasks(updates))
    assert world.statuses.topics("a") == ["t"]


def test_topics_that_a_task_uses_while_it_stops_are_reported(world):
    """Its last report comes late; found in a conversation recorded from Kafka Connect."""
    world.put()
    world.worker.used = {0: ("late",), 1: ("other",)}
    world.do(world.runner.restart_task, 0)

    assert world.statuses.topics("a") == ["late"]


def test_a_new_connector_is_started_with_its_tasks(world):
    """And its task configurations are in the configs topic."""
    world.put()
    assert world.worker.calls == [("start", "a"), ("fence", "a", 0), ("launch", "a-1", (0, 1))]
    assert world.configs.snapshot().task_configs == {"a": {0: {"n": "0"}, 1: {"n": "1"}}}
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_the_same_configuration_again_changes_nothing(world):
    """A worker hears of entries more than once."""
    world.put()
    world.put()
    assert world.done == []


def test_a_new_configuration_replaces_connector_and_tasks(world):
    """Old tasks have ended before the new ones begin, and their producers are fenced."""
    world.put()
    world.put(file="y", **{"tasks.max": "1"})
    assert world.done == ["stop", "start", "stop-tasks", "fence", "launch"]
    assert ("fence", "a", 2) in world.worker.calls
    assert world.states == ("RUNNING", {0: "RUNNING"})


def test_pausing_stops_the_connector_itself_and_holds_its_tasks(world):
    """As Connect does; resuming is the reverse."""
    world.put()
    world.turn(TargetState.PAUSED)
    assert world.done == ["pause", "pause-tasks"]
    assert world.states == ("PAUSED", {0: "PAUSED", 1: "PAUSED"})
    world.turn(TargetState.STARTED)
    assert world.done == ["resume", "resume-tasks"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_connector_may_be_created_paused(world):
    """It is not started, and has no tasks, before it is resumed (KIP-980)."""
    world.put(TargetState.PAUSED)
    assert world.done == ["make"]
    assert world.states == ("PAUSED", {})
    world.turn(TargetState.STARTED)
    assert world.done == ["resume", "fence", "launch"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_new_configuration_of_a_paused_connector_leaves_its_tasks(world):
    """They are configured anew when it goes on."""
    world.put()
    world.turn(TargetState.PAUSED)
    world.put(**{"tasks.max": "1"})
    assert world.done == ["stop", "make"]
    assert world.configs.snapshot().task_configs == {"a": {0: {"n": "0"}, 1: {"n": "1"}}}
    assert world.states == ("PAUSED", {0: "PAUSED", 1: "PAUSED"})
    world.turn(TargetState.STARTED)
    assert world.states == ("RUNNING", {0: "RUNNING"})


def test_a_restart_of_a_paused_connector_leaves_its_tasks(world):
    """As Kafka Connect asks for task configurations of started connectors only."""
    world.put(TargetState.PAUSED)
    world.do(world.runner.restart, RestartRequest("a", False, False))
    assert world.done == ["stop", "make"]
    assert world.states == ("PAUSED", {})


def test_a_stopped_connector_that_is_paused_has_no_tasks(world):
    """Until it is resumed."""
    world.put()
    world.turn(TargetState.STOPPED)
    world.turn(TargetState.PAUSED)
    assert world.configs.snapshot().task_configs == {"a": {}}
    assert world.states == ("PAUSED", {})
    world.turn(TargetState.STARTED)
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_paused_connector_that_is_taken_over_keeps_its_tasks(world):
    """Those that are configured, by any worker; former producers are fenced."""
    world.configs.put_task_configs("a", [{"n": "former"}])
    world.put(TargetState.PAUSED)
    assert world.done == ["make", "fence", "launch", "pause-tasks"]
    assert ("launch", "a-1", (0,)) in world.worker.calls
    assert world.states == ("PAUSED", {0: "PAUSED"})


def test_a_stopped_connector_tells_its_version(world):
    """Also one that has never run."""
    world.put(TargetState.STOPPED)
    assert world.statuses.connector("a").version == "1.0"


def test_stopping_leaves_no_task(world):
    """Neither running nor configured nor reported; the connector stays (KIP-875)."""
    world.put()
    world.turn(TargetState.STOPPED)
    assert world.done == ["stop-tasks", "stop"]
    assert world.configs.snapshot().task_configs == {"a": {}}
    assert world.states == ("STOPPED", {})


def test_a_stopped_connector_starts_again_when_resumed(world):
    """With new tasks."""
    world.put(TargetState.STOPPED)
    assert world.done == []
    world.turn(TargetState.STARTED)
    assert world.done == ["start", "fence", "launch"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_removed_connector_is_forgotten(world):
    """With its statuses."""
    world.put()
    world.configs.remove_connector("a")
    world.do(world.runner.reconcile)
    assert world.done == ["stop-tasks", "stop"]
    assert world.states == (None, {})


@pytest.mark.parametrize("phase", ["start", "task_configs"])
def test_a_connector_that_fails_says_why(world, phase):
    """Without tasks, and with the trace in its status."""
    world.worker.failures[phase] = failure(phase)
    world.put()
    assert world.states == ("FAILED", {})
    assert f"failed in {phase}: boom" in world.statuses.connector("a").trace


def test_a_connector_that_cannot_be_started_has_its_version(world):
    """As Kafka Connect shows it."""
    world.worker.failures["start"] = failure()
    world.put()
    assert world.statuses.connector("a").version == "1.0"


def test_a_failure_that_is_reported_after_the_removal_leaves_no_status(world):
    """The connector may have a thread that fails while it is stopped."""
    world.put()
    request = world.worker.instances[0].request
    world.configs.remove_connector("a")
    world.do(world.runner.reconcile)
    world.do(request.failed, failure())
    assert world.states == (None, {})


def test_a_failed_connector_is_started_by_a_restart(world):
    """And runs its tasks then."""
    world.worker.failures["start"] = failure()
    world.put()
    assert world.runner.failed_to_start
    world.worker.failures.clear()
    world.do(world.runner.restart, RestartRequest("a", False, False))
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})
    assert not world.runner.failed_to_start


def test_a_restart_of_the_connector_leaves_its_tasks_alone(world):
    """As long as it divides its work as before."""
    world.put()
    world.do(world.runner.restart, RestartRequest("a", False, False))
    assert world.done == ["stop", "start"]


def test_a_restart_with_tasks_restarts_them_all(world):
    """In a launch of their own."""
    world.put()
    world.do(world.runner.restart, RestartRequest("a", False, True))
    assert world.done == ["stop-tasks", "stop", "start", "launch"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_failed_connector_restarts_with_its_failed_task_only(world):
    """The task that runs is not disturbed."""
    world.put()
    world.worker.groups[0].tell("FAILED", "boom", tasks=[1])
    world.do(world.worker.instances[0].request.failed, failure("monitor"))
    world.do(world.runner.restart, RestartRequest("a", True, True))
    assert world.done == ["stop-tasks", "stop", "start", "launch"]
    assert world.worker.calls[-1] == ("launch", "a-2", (1,))


def test_a_restart_of_what_failed_leaves_the_rest_alone(world):
    """KIP-745: the connector runs, one task has failed."""
    world.put()
    world.worker.groups[0].tell("FAILED", "boom", tasks=[1])
    world.do(world.runner.restart, RestartRequest("a", True, True))
    assert world.worker.calls == [("stop-tasks", "a-1", (1,)), ("launch", "a-2", (1,))]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_one_task_is_restarted_alone(world):
    """Late updates of the replaced one are not believed."""
    world.put()
    world.do(world.runner.restart_task, 1)
    world.do(world.worker.groups[0].tell, "FAILED", "late", [1])
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_task_that_fails_is_reported(world):
    """With its trace; the connector goes on."""
    world.put()
    world.do(world.worker.groups[0].tell, "FAILED", "boom", [0])
    assert world.states == ("RUNNING", {0: "FAILED", 1: "RUNNING"})
    assert world.statuses.tasks("a")[0].trace == "boom"


def test_a_connector_may_ask_for_new_task_configurations(world):
    """Only a different division replaces the tasks."""
    world.put()
    request = world.worker.instances[0].request
    world.do(request.reconfigure)
    assert world.done == []
    world.worker.instances[0].request = type(request)("a", {"tasks.max": "3"}, None, None)
    world.do(request.reconfigure)
    assert world.done == ["stop-tasks", "fence", "launch"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING", 2: "RUNNING"})


def test_a_connector_may_give_up_by_itself(world):
    """Through its context; its tasks stay."""
    world.put()
    world.do(world.worker.instances[0].request.failed, failure("monitor"))
    assert world.states == ("FAILED", {0: "RUNNING", 1: "RUNNING"})


@pytest.mark.parametrize("error", [failure("launch"), RuntimeError("can't start new thread")])
def test_a_task_that_cannot_be_launched_has_failed(world, error):
    """Whatever the reason is; it says so, and a restart tries it again."""
    world.worker.failures["launch"] = error
    world.put()
    failed = world.states
    traces = [status.trace for status in world.statuses.tasks("a").values()]
    world.worker.failures.clear()
    world.do(world.runner.restart, RestartRequest("a", True, True))

    assert failed == ("RUNNING", {0: "FAILED", 1: "FAILED"})
    assert all(str(error) in trace for trace in traces)
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_connector_that_another_one_has_ended_is_started_again(world):
    """Its tasks did not notice."""
    world.put()
    world.do(world.worker.instances[0].request.lost)
    assert world.done == ["stop", "start"]
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})


def test_a_connector_that_has_failed_since_is_not_started_again(world):
    """Only a person does that."""
    world.put()
    request = world.worker.instances[0].request
    world.worker.failures["start"] = failure()
    world.do(world.runner.restart, RestartRequest("a", False, False))
    world.do(request.lost)
    assert (world.states[0], world.done) == ("FAILED", [])


@pytest.mark.parametrize(
    ("phase", "how"),
    [("start", "cannot be started"), ("task_configs", "cannot divide its work")],
)
def test_what_a_connector_fails_with_is_logged_as_its_status_has_it(world, caplog, phase, how):
    """A reader of only one of them misses nothing."""
    world.worker.failures[phase] = failure(phase)
    world.put()
    trace = world.statuses.connector("a").trace
    assert trace.startswith(f"plugin.failed: X 1.0 failed in {phase}: boom\nTraceback")
    assert f"connector a {how}: {trace}" in caplog.messages


def test_task_configurations_are_asked_for_again_until_there_are_some(world):
    """At growing distances, as in Kafka Connect; the status says why there are no tasks."""
    world.worker.failures["task_configs"] = failure("task_configs")
    world.put()
    assert world.states == ("FAILED", {})

    assert [world.elapse() for _ in range(9)] == [0.25, 0.5, 1, 2, 4, 8, 16, 32, 60]
    assert world.states == ("FAILED", {})

    world.worker.failures.clear()
    assert world.elapse() == 60
    assert world.states == ("RUNNING", {0: "RUNNING", 1: "RUNNING"})
    assert world.timers == []


@pytest.mark.parametrize("target", [TargetState.PAUSED, TargetState.STOPPED, None])
def test_a_connector_that_rests_is_not_asked_again(world, target):
    """Nor one that is deleted."""
    world.worker.failures["task_configs"] = failure("task_configs")
    world.put()
    if target is None:
        world.configs.remove_connector("a")
        world.do(world.runner.reconcile)
    else:
        world.turn(target)

    assert [timer[1] for timer in world.timers if world.do(timer[1])] == []
    assert "task_configs" not in world.done


def test_what_a_task_fails_with_is_logged(world, caplog):
    """With its number."""
    world.put()
    world.do(world.worker.groups[0].tell, "FAILED", "boom", [1])
    assert "task a-1 failed: boom" in caplog.messages


def test_a_stopped_connector_is_not_started_by_a_restart(world):
    """It is to be resumed."""
    world.put(TargetState.STOPPED)
    world.do(world.runner.restart, RestartRequest("a", False, True))
    assert world.done == []


def test_closing_hands_the_connector_over():
    """Everything is stopped and reported as unassigned; its configuration stays."""
    world = World()
    world.put()
    world.worker.calls.clear()
    world.runner.close()
    assert world.done == ["stop-tasks", "stop"]
    assert world.states == ("UNASSIGNED", {0: "UNASSIGNED", 1: "UNASSIGNED"})
    assert list(world.configs.snapshot().configs) == ["a"]


def test_a_closed_runner_takes_no_orders():
    """Another worker may run the connector by now; the caller is to ask again."""
    world = World()
    world.put()
    world.runner.close()
    world.worker.calls.clear()

    world.do(world.runner.restart, RestartRequest("a", only_failed=False, include_tasks=True))
    with pytest.raises(RebalanceNeededError):
        world.runner.call(lambda: None)

    assert world.done == []


def test_a_fencing_that_fails_starts_no_task(world):
    """A zombie could still write."""
    world.worker.failures["fence"] = failure("fencing")
    world.put()
    assert world.done == ["start", "fence"]
    assert world.states == ("FAILED", {})


def test_a_task_is_not_restarted_without_its_connector(world):
    """It would be reported as RESTARTING for ever; what the connector failed with stays."""
    world.worker.failures["start"] = failure()
    world.put()
    before = dict(world.statuses.tasks("a"))
    world.do(world.runner.restart_task, 0)
    assert world.states[0] == "FAILED"
    assert world.statuses.tasks("a") == before


def test_a_removed_connector_stays_forgotten(world):
    """Also when the worker that had it ends."""
    world.put()
    world.configs.remove_connector("a")
    world.do(world.runner.reconcile)
    world.runner.close()
    assert world.states == (None, {})


class OvertakenLog(MemoryLog):
    """Takes what the owner writes; `overtaken` once another worker is the owner."""

    overtaken = False

    def send(self, entries, writer=None):
        """As Kafka refuses a producer that was fenced."""
        if self.overtaken:
            raise ConnectError("another producer has the id", code="kafka.fenced")
        super().send(entries, writer)


@pytest.fixture
def overtaken(world, monkeypatch):
    """Its configs topic, which another worker may take over."""
    log = OvertakenLog()
    monkeypatch.setattr(world.configs, "_log", log)
    world.configs.start(lambda _: None)
    yield log
    log.overtaken = False


def test_an_owner_writes_before_it_fences(world, overtaken):
    """As many producers as either generation has, for the next owner (KIP-618)."""
    written = []
    overtaken.send = lambda entries, writer=None: (
        written.extend(entries),
        OvertakenLog.send(overtaken, entries, writer),
    )
    world.put(**{"exactly-once": "yes"})
    world.put(**{"exactly-once": "yes", "tasks.max": "1"})

    counts = [json.loads(value) for key, value in written if key == "tasks-fencing-a"]
    assert [(each["task-count"], "shards" in each) for each in counts] == [
        (2, False),
        (2, True),
        (2, False),
        (1, True),
    ]
    assert ("fence", "a", 2) in world.worker.calls


def test_a_worker_that_was_superseded_does_not_fence_its_successor(world, overtaken):
    """It slept past its session between two steps; the tasks that run by now are another's."""
    world.put(**{"exactly-once": "yes"})
    world.configs.put_connector("a", {"tasks.max": "3", "exactly-once": "yes"})
    overtaken.overtaken = True

    world.do(world.runner.reconcile)

    assert "fence" not in world.done
    assert "launch" not in world.done
    assert world.statuses.connector("a").state == "RUNNING"


def test_updates_of_many_tasks_are_written_together(world):
    """While one of them is being written, others arrive; of one task the last one counts."""
    world.put(**{"tasks.max": "50"})
    sent, send = [], world.statuses._log.send
    world.statuses._log.send = lambda entries, writer=None: (sent.append(entries), send(entries))
    held = threading.Event()
    world.runner.then(lambda: bool(held.wait(5)))
    (group,) = world.worker.groups

    group.tell("RESTARTING")
    group.tell("RUNNING")
    held.set()
    assert world.runner.settle(5)
    assert world.runner.settle(5)

    assert [len(entries) for entries in sent] == [50]
    assert world.states[1] == dict.fromkeys(range(50), "RUNNING")
