"""The fault matrix: faults of the endpoint and of Kafka."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright_conformance.simulator._clock import VirtualClock

_HANG_S = 600.0
_ATTEMPT_S = 0.001
_PROMPT_ATTEMPTS = 50
_LATER_ATTEMPT_S = 1.0
_LONG_OUTAGE_S = 60.0
_SLOW_S = 1.0
_THROTTLED_S = 5.0
_THROTTLED = 3


class FaultKind(Enum):
    """One column of the fault matrix."""

    FOREIGN = "foreign error"
    HANG = "hang"
    SLOW = "slow x20"
    TRANSIENT = "passing error"
    PARTIAL = "partial effect"
    RESET = "reset after effect"
    THROTTLED = "throttling"
    EXPIRED = "expired login"
    OUTAGE = "outage"
    UNREACHABLE = "connection refused"


_STANDING = frozenset({FaultKind.EXPIRED, FaultKind.OUTAGE, FaultKind.THROTTLED})
"""Faults that go on from one call to the next."""

_LASTING = frozenset({FaultKind.EXPIRED, FaultKind.UNREACHABLE})
"""Faults that no patience of a task outlasts."""


@dataclass(frozen=True, slots=True)
class KafkaFault:
    """A fault on Kafka's side, independent of the endpoint.

    Attributes:
        held: attempts to pass records on that find the broker out of reach, from the start.
        refused_commits: commits of offsets that the group refuses, from the first.
        redelivered: number of the poll after which everything uncommitted is delivered again.
    """

    held: int = 0
    refused_commits: int = 0
    redelivered: int | None = None


@dataclass(frozen=True, slots=True)
class EndpointFault:
    """One fault in the calls of a task to its endpoint.

    Attributes:
        kind: what happens.
        call: number of the call that it begins with, from 0, of those that may fail.
        seconds: how long an outage lasts.
        only: name of the only calls that an outage concerns; empty for all.
    """

    kind: FaultKind
    call: int = 0
    seconds: float = 5.0
    only: str = ""

    @property
    def lasts(self) -> bool:
        """Whether it ends only with the life that it strikes."""
        return self.kind in _LASTING

    def attempt_s(self, number: int, name: str) -> float:
        """How long a call that fails takes on the clocks of the task, in seconds.

        In a long outage a task that tries again and again, whatever it waits in between, reaches
        its time limit within some hundred attempts.
        """
        tires = self.kind is FaultKind.OUTAGE and self.seconds > _LONG_OUTAGE_S
        often = number - self.call >= _PROMPT_ATTEMPTS
        return _LATER_ATTEMPT_S if tires and often and self.only in {"", name} else 0.0

    def before(self, number: int, name: str, clock: VirtualClock, since: float | None) -> None:
        """Act in place of a call; ``since`` is when the fault began.

        Raises:
            Exception: the fault, as the called library raises it.
        """
        with _errors_of(name):
            self._act(number, name, clock, since)

    def _act(self, number: int, name: str, clock: VirtualClock, since: float | None) -> None:
        if self.kind is FaultKind.SLOW:
            clock.advance(_SLOW_S)
        elif self.kind is FaultKind.UNREACHABLE:
            if name == "socket.connect":
                raise _out_of_reach(name)
        elif self.kind in _STANDING:
            if number >= self.call:
                self._persist(number - self.call, name, clock, clock() - (since or clock()))
        elif number == self.call + (self.kind is FaultKind.PARTIAL):
            self._strike(name, clock)

    def _persist(self, attempt: int, name: str, clock: VirtualClock, lasted_s: float) -> None:
        if self.kind is FaultKind.EXPIRED:
            raise PermissionError(errno.EACCES, "the login has expired")
        concerned = self.only in {"", name}
        if self.kind is FaultKind.OUTAGE and concerned and lasted_s < self.seconds:
            clock.advance(_ATTEMPT_S)
            raise _out_of_reach(name)
        if self.kind is FaultKind.THROTTLED and attempt < _THROTTLED:
            clock.advance(_THROTTLED_S)
            raise _out_of_reach(name)

    def after(self, number: int, name: str) -> None:
        """Act in place of the answer of a call that was made.

        Raises:
            Exception: if that is the fault, as the called library raises it.
        """
        if self.kind is FaultKind.RESET and number == self.call:
            with _errors_of(name):
                raise ConnectionResetError(errno.ECONNRESET, "connection reset by peer")

    def _strike(self, name: str, clock: VirtualClock) -> None:
        if self.kind is FaultKind.FOREIGN:
            raise OSError(errno.EIO, "input/output error")
        if self.kind in {FaultKind.TRANSIENT, FaultKind.PARTIAL}:
            raise _out_of_reach(name)
        if self.kind is FaultKind.HANG:
            clock.advance(_HANG_S)
            raise TimeoutError(errno.ETIMEDOUT, "connection timed out")


def _out_of_reach(name: str) -> OSError:
    """A passing error of the kind that this call has."""
    if name == "socket.connect":
        return ConnectionRefusedError(errno.ECONNREFUSED, "connection refused")
    if name.startswith("socket."):
        return ConnectionResetError(errno.ECONNRESET, "connection reset by peer")
    return BlockingIOError(errno.EAGAIN, "resource temporarily unavailable")


_BUSY = ("database is locked", "SQLITE_BUSY")
_BY_SQLITE: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        errno.EAGAIN: _BUSY,
        errno.ETIMEDOUT: _BUSY,
        errno.EACCES: ("unable to open database file", "SQLITE_CANTOPEN"),
    }
)
_IO_ERROR = ("disk I/O error", "SQLITE_IOERR")


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Convert system errors to those of the library.

    A database that is embedded raises errors of its own, in the words of its result codes; one of
    the system never comes out of it (https://www.sqlite.org/rescode.html).
    """
    try:
        yield
    except OSError as error:
        if not name.startswith("sqlite3."):
            raise
        raise _by_sqlite(*_BY_SQLITE.get(error.errno or 0, _IO_ERROR)) from None


def database_is_locked() -> sqlite3.OperationalError:
    """The error of SQLite for a database that another connection has locked."""
    return _by_sqlite(*_BUSY)


def _by_sqlite(words: str, name: str) -> sqlite3.OperationalError:
    made = sqlite3.OperationalError(words)
    made.sqlite_errorname = name
    made.sqlite_errorcode = getattr(sqlite3, name)
    return made
