"""The control through which a host stops, pauses or resumes a loop, from any thread."""

from __future__ import annotations

import threading


class TaskControl:
    """The target state of one task.

    Reading costs one attribute access, so loops may check it once per batch.
    """

    __slots__ = ("_changed", "paused", "stopping")

    def __init__(self, *, paused: bool = False) -> None:
        self.stopping = False
        self.paused = paused
        self._changed = threading.Condition()

    def stop(self) -> None:
        """Ask the loop to end; final."""
        self._set(stopping=True, paused=self.paused)

    def pause(self) -> None:
        """Ask the loop to pause."""
        self._set(stopping=self.stopping, paused=True)

    def resume(self) -> None:
        """Ask the loop to resume."""
        self._set(stopping=self.stopping, paused=False)

    def wait(self, timeout_s: float) -> None:
        """Sleep for at most ``timeout_s`` seconds, less if the target state changes meanwhile.

        Does not sleep if the task should stop: the command may have come just before.
        """
        with self._changed:
            paused = self.paused
            self._changed.wait_for(lambda: self.stopping or self.paused != paused, timeout_s)

    def wait_until_resumed(self) -> bool:
        """Sleep while the task is paused; ``False`` if it should stop."""
        with self._changed:
            self._changed.wait_for(lambda: self.stopping or not self.paused)
            return not self.stopping

    def _set(self, *, stopping: bool, paused: bool) -> None:
        with self._changed:
            self.stopping, self.paused = stopping, paused
            self._changed.notify_all()
