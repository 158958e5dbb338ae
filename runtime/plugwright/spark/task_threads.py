"""The shared task host: runs inside a Spark task, with a thread for each Connect task."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from plugwright.logs import RelayHandler, captured_output, redirected_output, restore_levels
from plugwright.processes import limit_memory
from plugwright.spark._driver_connection import connect_for
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.host import connected, run_assigned
from plugwright.spark.input import take_input
from plugwright.spark.messages import (
    Admission,
    Assignment,
    Dismissed,
    EndProcess,
    EndRequested,
    OwnProcessWanted,
)
from plugwright.spark.task_process import logging_to
from plugwright.spark.thread_context import TaskRouting, inherited_context, task_log
from plugwright.spark.thread_shares import ThreadShares

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.channel import Channel

_LOOK_S = 10.0
_BUSY_SHARE = 0.25
_END_S = 10.0


def run_shared_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], certificate: str
) -> Iterator[pa.RecordBatch]:
    """Run Connect tasks, as the driver admits them, until it has no more of them.

    The function that Spark runs in its Python worker. Errors are reported to the driver, never
    raised: exceptions would consume Spark's attempts, which are reserved for crashed processes.
    """
    connect = partial(connect_for, address, certificate)

    def serve(channel: Channel, note: Callable[[str], None]) -> None:
        take_input()
        TaskThreads(channel, note, connect).run()

    return connected(batches, address, certificate, serve)


class TaskThreads:
    """The tasks that share this process, each on a thread.

    Args:
        channel: the connection to the driver.
        note: records a phase, in case the process crashes.
        connect: connects to the driver for one task.
    """

    def __init__(
        self,
        channel: Channel,
        note: Callable[[str], None],
        connect: Callable[[Admission], Channel],
    ) -> None:
        self._channel = channel
        self._phases = Phases(note)
        self._connect = connect
        self._threads: dict[threading.Thread, Admission] = {}

    def run(self) -> None:
        """Run tasks until the driver needs the process no longer, or is gone."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only plugin code could interrupt a task
        own = RelayHandler(self._channel.send, ChannelClosedError)
        meter = threading.Thread(target=self._watch_shares, name="task-shares", daemon=True)
        with ExitStack() as stack:
            stack.enter_context(logging_to(TaskRouting(own)))
            stack.enter_context(captured_output())
            stack.enter_context(redirected_output())
            stack.enter_context(inherited_context())
            meter.start()
            self._obey()
            for thread in list(self._threads):
                thread.join()

    @contextmanager
    def running(
        self, channel: Channel, given: Assignment, spec: TaskSpec
    ) -> Iterator[Callable[[str], None]]:
        """Send the log of this thread, and of those that it starts, to the driver.

        The process may have as much memory as processes of their own for all of its tasks.
        """
        limit_memory(spec.memory_limit * max(len(self._threads), 1))
        restore_levels(given.levels)
        handler = RelayHandler(channel.send, ChannelClosedError)
        with task_log(handler), self._phases.of(f"{spec.connector}-{spec.task}") as enter:
            yield enter

    def end(self) -> None:
        """Have the driver end the process, so that it can expect the other tasks to come back."""
        try:
            self._channel.send(EndRequested())
            time.sleep(_END_S)
        finally:
            os._exit(1)

    def _obey(self) -> None:
        try:
            while True:
                match self._channel.receive():
                    case Admission() as admission:
                        self._start(admission)
                    case EndProcess():
                        os._exit(1)
                    case Dismissed():
                        return
        except ChannelClosedError:
            return  # the connections of the tasks end as well, and stop them

    def _start(self, admission: Admission) -> None:
        name = f"{admission.job}-{admission.task}"
        thread = threading.Thread(target=self._host, args=(admission,), name=name, daemon=True)
        self._threads[thread] = admission
        thread.start()

    def _host(self, admission: Admission) -> None:
        try:
            channel = self._connect(admission)
            run_assigned(channel, self)
            channel.close()
        except ChannelClosedError:
            return  # the driver notices
        finally:
            self._threads.pop(threading.current_thread(), None)

    def _watch_shares(self) -> None:
        """Report tasks whose thread takes much processor time while others share the process."""
        shares = ThreadShares()
        while True:
            time.sleep(_LOOK_S)
            for thread, share in shares.take(self._threads).items():
                admission = self._threads.get(thread)
                if share > _BUSY_SHARE and len(self._threads) > 1 and admission is not None:
                    try:
                        self._channel.send(OwnProcessWanted(admission.job, admission.task))
                    except ChannelClosedError:
                        return


class Phases:
    """Records the newest of the calls that are in progress, of all tasks of the process.

    Args:
        note: records a phase.
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._lock = threading.Lock()
        self._open: dict[str, str] = {}

    @contextmanager
    def of(self, task: str) -> Iterator[Callable[[str], None]]:
        """The function that records the phases of one task, until the block ends."""
        try:
            yield partial(self._enter, task)
        finally:
            self._enter(task, "")

    def _enter(self, task: str, phase: str) -> None:
        with self._lock:
            self._open.pop(task, None)
            if phase:
                self._open[task] = f"{phase} of {task}"
            self._note(next(reversed(self._open.values()), ""))
