"""Runs a function in a forked process that may end at any moment.

The process is forked, so it begins with everything that is prepared already. What it does to the
endpoint stays; what it has in memory is gone with it, threads included, unless it was sent.
"""

from __future__ import annotations

import mmap
import os
import signal
import traceback
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any, NoReturn

from plugwright.processes import PHASE_SIZE, ending, marked_phase, phase_mark
from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.evidence.process_exit import within
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.forked import Forked, fork
from plugwright_conformance.processes.plain_data import UnexpectedError, packed, unpacked
from plugwright_conformance.processes.time_budget import PROGRAMS_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from multiprocessing.connection import Connection

__all__ = ["ChildError", "EndedError", "Host", "IsolatedProcess", "run_in_child"]

_LOOK_S = 0.05
_MOST_SILENCES = 3
"""How many times the patience with one call may be spent on many of them, without a message."""
_ORPHAN_S = 300.0
_LONGEST = 1 << 30
_COUNT_SIZE = 8
_COUNT = slice(PHASE_SIZE, PHASE_SIZE + _COUNT_SIZE)  # of the shared place
_ASK, _SAY, _BROKEN = "ask", "say", "broken"


class ChildError(Exception):
    """The process ended unexpectedly, or the suite's code in it failed."""


class EndedError(ChildError):
    """The process ended without a report, so code in it ended it."""

    ending = CheckEnd.ENDED


@dataclass(frozen=True, slots=True)
class Host:
    """The child's connection to its parent."""

    _line: Connection
    _place: mmap.mmap

    def ask(self, request: Any) -> Any:
        """Ask for something and wait for the answer."""
        self._line.send_bytes(packed((_ASK, request)))
        return self._line.recv()

    def enter(self, phase: str) -> None:
        """Write down which call of a plugin begins, should the process end in it; none if empty.

        Each is a sign of life, which is counted.
        """
        self._place[:PHASE_SIZE] = phase_mark(phase)
        self._place[_COUNT] = (_calls(self._place) + 1).to_bytes(_COUNT_SIZE, "little")

    def end(self, last_words: Any) -> NoReturn:
        """Say something and be gone, at this very point: nothing is closed, flushed or joined."""
        self._line.send_bytes(packed((_SAY, last_words)))
        os._exit(0)


class IsolatedProcess:
    """The parent's view of a forked process.

    Args:
        body: what it does.
        says: the classes of what it says, beside plain data; no others are read.
        orphan_s: seconds after which it ends by itself, should this process be gone by then.

    Attributes:
        line: can be read when it has said something, or has ended.
    """

    def __init__(
        self,
        body: Callable[[Host], Any],
        says: Collection[type] = (),
        *,
        orphan_s: float = _ORPHAN_S,
    ) -> None:
        ours, theirs = Pipe()
        self._place = mmap.mmap(-1, _COUNT.stop)  # shared: the phase, and a count of calls
        self._process = Forked(fork())
        if not self._process.pid:
            ours.close()
            signal.setitimer(signal.ITIMER_REAL, orphan_s)
            _live(body, Host(theirs, self._place))
        theirs.close()
        self.line: Connection = ours
        self._says = says

    def hear(self, timeout_s: float) -> tuple[str, Any] | None:
        """The next message; ``None`` after the timeout.

        A call of a plugin that begins or ends is a sign of life, after which the time begins anew,
        up to three times: many short waits are no hang. The time in which the process was ready to
        run and no core was free does not count, so that a busy machine makes no process look hung,
        nor does the work of programs that it has started, within limits: some need seconds to
        begin.
        """
        if not self._is_heard(timeout_s):
            return None
        try:
            kind, content = unpacked(self.line.recv_bytes(_LONGEST), self._says)
        except (EOFError, OSError):
            raise EndedError(self._how_it_ended()) from None
        except (UnexpectedError, TypeError, ValueError) as error:
            raise ChildError(f"its process sent a message that cannot be read: {error}") from error
        if kind == _BROKEN:
            raise ChildError(content)
        return kind, content

    def _is_heard(self, timeout_s: float) -> bool:
        for _ in range(_MOST_SILENCES):
            calls = _calls(self._place)
            if self._has_spoken(timeout_s):
                return True
            if _calls(self._place) == calls:
                break
        return False

    def _has_spoken(self, timeout_s: float) -> bool:
        patience = Patience(self._process.pid, timeout_s, work_s=PROGRAMS_SHARE * timeout_s)
        while not self.line.poll(_LOOK_S):
            # A copy that it has made of itself may hold the line.
            if self._process.has_ended() and not self.line.poll():
                raise EndedError(self._how_it_ended())
            if patience.left_s() < 0:
                return False
        return True

    def answer(self, content: Any) -> None:
        """Answer a request; a closed connection is noticed at the next message."""
        with suppress(OSError):
            self.line.send(content)

    def close(self) -> None:
        """End the process, if it has not ended, and forget it."""
        self.line.close()
        self._place.close()
        self._process.end()

    def _how_it_ended(self) -> str:
        """How the process ended, and in which call; its connection may close slightly earlier."""
        self._process.await_end()
        phase = marked_phase(self._place[:PHASE_SIZE])
        code = self._process.code
        how = "has cut its line" if code is None else ending(code)
        return f"its process {how}{f' {within(phase)}' if phase else ''}"


def run_in_child(
    body: Callable[[Host], Any],
    answer: Callable[[Any], Any],
    timeout_s: float,
    says: Collection[type] = (),
) -> Any | None:
    """Run a function in a child process and return its result; ``None`` if it hangs.

    Args:
        body: what to run.
        answer: answers its questions, in this process.
        timeout_s: how long it may be silent, in real seconds, without those that it spends in the
            queue for a core, and those in which programs that it has started compute.
        says: the classes of what it says, beside plain data.

    Raises:
        ChildError: if it ends in any other way.
    """
    cell = IsolatedProcess(body, says)
    try:
        while (heard := cell.hear(timeout_s)) is not None:
            kind, content = heard
            if kind == _SAY:
                return content
            cell.answer(answer(content))
        return None
    finally:
        cell.close()


def _calls(place: mmap.mmap) -> int:
    """How many calls of a plugin were written down."""
    return int.from_bytes(place[_COUNT], "little")


def _live(body: Callable[[Host], Any], host: Host) -> NoReturn:
    try:
        host.end(body(host))
    except BaseException:  # noqa: BLE001  # nothing may get out of a forked process
        broken = packed((_BROKEN, traceback.format_exc()))
        host._line.send_bytes(broken)  # noqa: SLF001  # the same module
    finally:
        os._exit(1)
