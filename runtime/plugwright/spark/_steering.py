"""A task in its host: run by the driver's commands, its log and its reports go to the driver."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.logs import RelayHandler, captured_output, restore_levels, set_level
from plugwright.processes import limit_memory
from plugwright.spark._channel import Channel, ChannelClosedError
from plugwright.spark._driver_offsets import DriverOffsetStore
from plugwright.spark._messages import (
    EndProcess,
    ForgetTopics,
    OffsetsStored,
    Pause,
    Resume,
    SetLevel,
    Stop,
)
from plugwright.spark._report import TaskReport
from plugwright.spark._spec import TaskSpec
from plugwright.spark._watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plugwright.spark._messages import Assignment, Message
    from plugwright.worker import SinkTaskLoop, SourceTaskLoop, TaskControl


class HostLevels:
    """The levels of this process's loggers and of those of the processes beside it."""

    def __init__(self) -> None:
        self.beside: Callable[[str, int], None] | None = None

    def set(self, namespace: str, level: int) -> None:
        """Set the level of the loggers of a name and below."""
        set_level(namespace, level)
        if self.beside is not None:
            self.beside(namespace, level)


@dataclass(frozen=True, slots=True)
class Steering:
    """What the driver's commands to a task act on, and what the task is watched by.

    Attributes:
        offsets: those that the driver keeps for tasks whose spec names no topic.
        note: keeps the phase that the task is in for the case that its process crashes.
    """

    control: TaskControl
    report: TaskReport
    levels: HostLevels
    watchdog: Watchdog
    offsets: DriverOffsetStore
    note: Callable[[str], None]

    def enter(self, phase: str) -> None:
        """The task is in this phase now."""
        self.note(phase)
        self.watchdog.enter(phase)

    def obey(self, channel: Channel) -> None:
        """Carry out the driver's commands; a driver that is gone means stop."""
        try:
            while True:
                self._carry_out(channel.receive())
        except ChannelClosedError:
            self.offsets.answered(None)
            self.control.stop()

    def _carry_out(self, command: Message) -> None:
        match command:
            case Stop():
                self.watchdog.stopping()
                self.control.stop()
            case Pause():
                self.control.pause()
            case Resume():
                self.control.resume()
            case EndProcess():
                os._exit(1)
            case ForgetTopics():
                self.report.forget_topics()
            case SetLevel(logger, level):
                self.levels.set(logger, level)
            case OffsetsStored():
                self.offsets.answered(command)


def host_task(
    channel: Channel,
    enter: Callable[[str], None],
    given: Assignment,
    control: TaskControl,
    assemble: Callable[[TaskSpec, Steering, ExitStack], SourceTaskLoop | SinkTaskLoop],
) -> str:
    """Run a task that a host was given, and report; never raises.

    Args:
        channel: the line to the driver; closed at the end.
        enter: told the phases of the task.
        given: what the driver has answered.
        control: stops the task.
        assemble: makes its loop.

    Returns:
        The state that it ended in.
    """
    spec = TaskSpec.from_plain(given.spec)
    report = TaskReport(channel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what interrupts a task is a plugin's doing
    limit_memory(spec.memory_limit)
    watchdog = Watchdog(spec, report.failed, report.busy)
    try:
        with watchdog, ExitStack() as stack:
            stack.enter_context(_logging_to(channel, given.levels))
            kept = DriverOffsetStore(
                spec.connector, channel.send, given.offsets, timeout_s=spec.flush_timeout_s
            )
            steering = Steering(control, report, HostLevels(), watchdog, kept, enter)
            threading.Thread(target=steering.obey, args=(channel,), daemon=True).start()
            loop = assemble(spec, steering, stack)
            report.follow(loop.counters)
            stack.enter_context(report)
            if report.holds_still(control):
                report.stopped()
            else:
                loop.run()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is this task's outcome
        report.failed(error)
    finally:
        channel.close()
    return report.state


@contextmanager
def _logging_to(channel: Channel, levels: Iterable[tuple[str, int]]) -> Iterator[None]:
    """Log to the driver, at its levels, and what is printed as well.

    Other handlers of the process, which serves Spark before and after, keep silent meanwhile.
    """
    root = logging.getLogger()
    handler = RelayHandler(channel.send, ChannelClosedError)
    before, root.handlers = root.handlers, [handler]
    restore_levels(levels)
    try:
        with captured_output():
            yield
    finally:
        root.handlers = before
        handler.close()
