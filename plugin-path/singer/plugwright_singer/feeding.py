"""Writing to a target's standard input, which it may not read; and what it says has arrived."""

from __future__ import annotations

import json
import logging
import time
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_singer.lines import END
from plugwright_singer.run import ChildRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright_singer.run import Command, Limits

__all__ = ["FedTarget"]

_LOG = logging.getLogger("plugwright_singer")
_STEP_S = 0.25


class FedTarget:
    """A running target that is fed lines, and answers with states.

    Args:
        command: what to start.
        limits: of its standard output.
        stopped: whether the wait has been abandoned.

    Raises:
        RetriableError: if no process can be started now.
    """

    def __init__(self, command: Command, limits: Limits, stopped: Callable[[], bool]) -> None:
        self.command = command
        self._run = ChildRun(command, limits, feeds=True)
        self._stopped = stopped
        self.state: Any = None

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write lines, as fast as the target takes them.

        Raises:
            ConnectError: if it has ended, or takes nothing for too long.
        """
        rest = memoryview(data)
        heard_at = time.monotonic()
        while rest:
            written = self._written(rest)
            self.listen(0)
            if written:
                rest, heard_at = rest[written:], time.monotonic()
            elif self._stopped() or time.monotonic() - heard_at > timeout_s:
                raise self._hangs("taken nothing", timeout_s, "singer.write.timeout.ms")
            else:
                self._run.await_input(min(_STEP_S, timeout_s))

    def finish(self, timeout_s: float) -> None:
        """End the input, and wait until the target has ended well.

        Raises:
            ConnectError: if it ends with an error, or does not end.
        """
        self._run.end_input()
        deadline = time.monotonic() + timeout_s
        while not self.listen(min(_STEP_S, timeout_s)):
            if self._stopped() or time.monotonic() > deadline:
                raise self._hangs("not ended", timeout_s, "singer.flush.timeout.ms")
        if self._run.exit_code() or self._run.lines.failure is not None:
            raise self._run.failure()
        self.stop()

    def listen(self, wait_s: float) -> bool:
        """Take the states that the target has repeated; whether its output is at its end."""
        line = self._run.lines.take(wait_s)
        while line is not None and line != END:
            self._take(line)
            line = self._run.lines.take(0)
        return line == END

    def stop(self) -> None:
        """End the target and all that it has started."""
        self._run.stop()

    def _written(self, rest: memoryview) -> int:
        try:
            written = self._run.feed(rest)
        except BlockingIOError:
            return 0
        except BrokenPipeError as error:
            raise self._run.failure() from error
        except OSError as error:
            self._run.stop()
            raise ConnectError(
                f"{self.command.name} cannot be fed: {error.strerror}",
                code="singer.died",
                hint="restart the task",
                facts={"program": self.command.program},
            ) from error
        if written is None:
            name = self.command.name
            raise ConnectError(f"{name} was stopped while it was fed", code="singer.stopped")
        return written

    def _take(self, line: bytes) -> None:
        try:
            self.state = json.loads(line)
        except ValueError:
            text = self.command.mask.excerpt(line, 120)
            _LOG.warning("%s wrote an invalid state: %s", self.command.name, text)

    def _hangs(self, what: str, timeout_s: float, setting: str) -> ConnectError:
        self._run.stop()
        name = self.command.name
        return ConnectError(
            f"{name} has {what} for {timeout_s:g} seconds{self._run.last_words()}",
            code="singer.hangs",
            hint=f"look why it hangs, or raise {setting}; then restart the task",
            facts={"program": self.command.program, "seconds": timeout_s},
        )
