"""One connector generation on Spark: the tasks' states, and the means to steer them."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.spark._channel import Channel, ChannelClosedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.spark._spec import TaskSpec

__all__ = ["ResidentJob", "TaskStatus"]

_ENDED = frozenset({"STOPPED", "FAILED"})


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """What the driver knows of one task.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        attempt: how often Spark has started it again after its process died.
        pid: process id of its host, or 0.
        trace: what it failed with.
        counters: its running totals, since its last start.
    """

    state: str = "UNASSIGNED"
    attempt: int = 0
    pid: int = 0
    trace: str = ""
    counters: Mapping[str, int] = field(default_factory=dict)


class ResidentJob:
    """The running tasks of one connector.

    Args:
        name: unique name of the job.
        specs: what each task is to run, by its number.
        cancel: ends the Spark job by force.
    """

    def __init__(self, name: str, specs: Sequence[TaskSpec], cancel: Callable[[], None]) -> None:
        self.name = name
        self._specs = specs
        self._cancel = cancel
        self._changed = threading.Condition()
        self._statuses = [TaskStatus() for _ in specs]
        self._channels: dict[int, Channel] = {}
        self._target = ""
        self._force = ""
        self._ended = False

    @property
    def statuses(self) -> Sequence[TaskStatus]:
        """The tasks' states, by task number."""
        with self._changed:
            return tuple(self._statuses)

    def pause(self) -> None:
        """Ask every task to hold still."""
        self._command("pause")

    def resume(self) -> None:
        """Ask every task to go on."""
        self._command("resume")

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Ask every task to end and wait; by force if that takes too long.

        Returns:
            Whether all tasks ended by themselves.
        """
        self._command("stop")
        if self.wait_for(lambda _: self._ended, timeout_s):
            return True
        self._force = f"the task did not stop within {timeout_s:g} s and was killed"
        self._cancel()
        self.wait_for(lambda _: self._ended, timeout_s)
        return False

    def wait_for(self, condition: Callable[[Sequence[TaskStatus]], bool], timeout_s: float) -> bool:
        """Wait until the tasks' states fulfil a condition; whether they did in time."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not condition(tuple(self._statuses)):
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return condition(tuple(self._statuses))
            return True

    def converse(self, task: int, hello: Mapping[str, Any], channel: Channel) -> None:
        """Talk with a task's host until it hangs up (runs on the channel's own thread)."""
        channel.send("spec", spec=self._specs[task].to_plain())
        with self._changed:
            self._channels[task] = channel
            if self._target:
                channel.send(self._target)  # under the lock, so that no later command is overtaken
        self._update(
            channel, task, attempt=int(hello["attempt"]), pid=int(hello["pid"]), counters={}
        )
        try:
            while True:
                frame = channel.receive()
                if frame["type"] == "log":
                    logging.getLogger(frame["logger"]).log(frame["level"], "%s", frame["message"])
                elif frame["type"] == "status":
                    self._update(
                        channel,
                        task,
                        state=frame["state"],
                        trace=frame["trace"],
                        counters=frame["counters"],
                    )
        except ChannelClosedError:
            if self.statuses[task].state not in _ENDED:
                self._update(channel, task, state="RESTARTING", pid=0)

    def ended(self, error: Exception | None) -> None:
        """Take note that the Spark job is over, with what it failed with, if it did."""
        with self._changed:
            self._ended = True
            reason = self._force or ("" if error is None else str(error) or type(error).__name__)
            for task, status in enumerate(self._statuses):
                if status.state not in _ENDED:
                    self._statuses[task] = replace(
                        status,
                        state="FAILED" if reason else "STOPPED",
                        trace=status.trace or reason,
                    )
            self._changed.notify_all()

    def _command(self, kind: str) -> None:
        with self._changed:
            self._target = "" if kind == "resume" else kind
            channels = list(self._channels.values())
        for channel in channels:
            try:
                channel.send(kind)
            except ChannelClosedError:
                continue  # that host is gone; the next attempt is told when it calls

    def _update(self, channel: Channel, task: int, **changes: Any) -> None:
        """Take news of a task, unless its host was replaced, or lives on for a moment as a zombie.

        Spark kills the process of a cancelled task only after some seconds.
        """
        with self._changed:
            if self._channels[task] is channel and not self._ended:
                self._statuses[task] = replace(self._statuses[task], **changes)
                self._changed.notify_all()
