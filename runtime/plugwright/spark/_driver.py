"""What ties a task host to its driver: commands, log lines, levels, and whom the task tells."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from plugwright.logs import RelayHandler, captured_output, restore_levels, set_level
from plugwright.spark._channel import Channel, ChannelClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plugwright.spark._driver_offsets import DriverOffsetStore
    from plugwright.spark._report import TaskReport
    from plugwright.spark._vigil import Vigil
    from plugwright.worker import TaskControl

__all__ = ["Driver", "HostLevels", "logging_to", "obey"]


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
class Driver:
    """What the driver steers the task by, and is told of it.

    Attributes:
        offsets: where it keeps them for tasks whose spec names no topic.
        note: keeps the phase that the task is in for the case that its process crashes.
    """

    control: TaskControl
    report: TaskReport
    levels: HostLevels
    vigil: Vigil
    offsets: DriverOffsetStore
    note: Callable[[str], None]

    def enter(self, phase: str) -> None:
        """The task is in this phase now."""
        self.note(phase)
        self.vigil.enter(phase)


def obey(channel: Channel, driver: Driver) -> None:
    """Carry out the driver's commands; a driver that is gone means stop."""
    control = driver.control
    commands: dict[str, Callable[[], None]] = {
        "forget-topics": driver.report.forget_topics,
        "stop": control.stop,
        "pause": control.pause,
        "resume": control.resume,
        # Nothing of a task that does not stop can be trusted to unwind.
        "kill": partial(os._exit, 1),
    }
    try:
        while True:
            frame = channel.receive()
            if frame["type"] == "stop":
                driver.vigil.stopping()
            if frame["type"] == "level":
                driver.levels.set(frame["logger"], frame["level"])
            elif frame["type"] == "offsets-stored":
                driver.offsets.answered(frame)
            elif (command := commands.get(frame["type"])) is not None:
                command()
    except ChannelClosedError:
        driver.offsets.answered(None)
        control.stop()


@contextmanager
def logging_to(channel: Channel, levels: Iterable[tuple[str, int]]) -> Iterator[None]:
    """Log to the driver, at its levels, and what is printed as well.

    Other handlers of the process, which serves Spark before and after, keep silent meanwhile.
    """
    root = logging.getLogger()
    handler = RelayHandler(lambda line: channel.send("log", **line.to_plain()), ChannelClosedError)
    before, root.handlers = root.handlers, [handler]
    restore_levels(levels)
    try:
        with captured_output():
            yield
    finally:
        root.handlers = before
        handler.close()
