"""Runs a task in its host: carries out the driver's commands, sends log and reports."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.logs import set_level
from plugwright.spark._spec import TaskSpec
from plugwright.spark.channel import Channel, ChannelClosedError
from plugwright.spark.driver_offsets import DriverOffsetStore
from plugwright.spark.messages import (
    EndProcess,
    Leave,
    OffsetsStored,
    Pause,
    Resume,
    SetLevel,
    Stop,
)
from plugwright.spark.report import TaskReport
from plugwright.spark.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark.messages import Assignment, Message
    from plugwright.spark.task_process import TaskProcess
    from plugwright.worker import SinkTaskLoop, SourceTaskLoop, TaskControl


class HostLevels:
    """The log levels of this process and of the processes beside it."""

    def __init__(self) -> None:
        self.beside: Callable[[str, int], None] | None = None

    def set(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants."""
        set_level(namespace, level)
        if self.beside is not None:
            self.beside(namespace, level)


@dataclass(frozen=True, slots=True)
class TaskCommands:
    """Carries out the driver's commands to a task, and tracks its phase.

    Attributes:
        offsets: store for tasks whose spec names no topic for offsets.
        note: records the phase of the task, in case its process crashes.
        process: the process that it runs in.
        leaves: set when the process has to end after the task, so that Spark starts another.
    """

    control: TaskControl
    report: TaskReport
    levels: HostLevels
    watchdog: Watchdog
    offsets: DriverOffsetStore
    note: Callable[[str], None]
    process: TaskProcess
    leaves: threading.Event = field(default_factory=threading.Event)

    def enter(self, phase: str) -> None:
        """Record the current phase of the task."""
        self.note(phase)
        self.watchdog.enter(phase)

    def obey(self, channel: Channel) -> None:
        """Carry out the driver's commands; a lost connection stops the task."""
        try:
            while True:
                self._carry_out(channel.receive())
        except ChannelClosedError:
            self.offsets.answered(None)
            self.control.stop()

    def _stop(self) -> None:
        self.watchdog.stopping()
        self.control.stop()

    def _carry_out(self, command: Message) -> None:
        match command:
            case Stop():
                self._stop()
            case Leave():
                self.leaves.set()
                self._stop()
            case Pause():
                self.control.pause()
            case Resume():
                self.control.resume()
            case EndProcess():
                self.process.end()
            case SetLevel(logger, level):
                self.levels.set(logger, level)
            case OffsetsStored():
                self.offsets.answered(command)


def host_task(
    channel: Channel,
    process: TaskProcess,
    given: Assignment,
    control: TaskControl,
    assemble: Callable[[TaskSpec, TaskCommands, ExitStack], SourceTaskLoop | SinkTaskLoop],
) -> str:
    """Run the task assigned to a host, and report; never raises.

    Args:
        channel: the connection to the driver; closed at the end.
        process: this process.
        given: the driver's assignment.
        control: stops the task.
        assemble: builds its loop.

    Returns:
        The final state.
    """
    spec = TaskSpec.from_plain(given.spec)
    report, leaves = TaskReport(channel), False
    watchdog = Watchdog(spec, report.failed, report.busy, process.end)
    try:
        with watchdog, ExitStack() as stack:
            enter = stack.enter_context(process.running(channel, given, spec))
            kept = DriverOffsetStore(
                spec.connector, channel.send, given.offsets, timeout_s=spec.flush_timeout_s
            )
            commands = TaskCommands(control, report, HostLevels(), watchdog, kept, enter, process)
            threading.Thread(target=commands.obey, args=(channel,), daemon=True).start()
            loop = assemble(spec, commands, stack)
            report.follow(loop.counters)
            stack.enter_context(report)
            if report.holds_still(control):
                report.stopped()
            else:
                loop.run()
        leaves = commands.leaves.is_set()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is this task's outcome
        report.failed(error)
    finally:
        channel.close()
    if leaves:
        process.end()
    return report.state
