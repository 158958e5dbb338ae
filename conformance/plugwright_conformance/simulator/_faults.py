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
    from collections.abc import Callable, Iterator, Mapping

_HANG_S = 600.0
_ATTEMPT_S = 0.001
_PROMPT_ATTEMPTS = 50
_LATER_ATTEMPT_S = 1.0
_LONG_OUTAGE_S = 60.0
"""In a longer one, time limits are reached within some hundred attempts, however soon they come."""
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
class FaultTime:
    """How the seconds of a fault pass.

    Attributes:
        pass_unseen: for Kafka and the endpoint alone; no time limit of a task ends sooner.
        pass_seen: on the clocks of the task, too.
    """

    pass_unseen: Callable[[float], None]
    pass_seen: Callable[[float], None]


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

    def before(self, number: int, name: str, lasted_s: float, time: FaultTime) -> None:
        """Act in place of a call.

        Args:
            number: of the call.
            name: of what is called.
            lasted_s: for how long the fault has been there.
            time: lets the seconds pass that the call takes.

        Raises:
            Exception: the fault, as the called library raises it.
        """
        with _errors_of(name):
            self._act(number, name, lasted_s, time)

    def _act(self, number: int, name: str, lasted_s: float, time: FaultTime) -> None:
        if self.kind is FaultKind.SLOW:
            time.pass_unseen(_SLOW_S)
        elif self.kind is FaultKind.UNREACHABLE:
            if name == "socket.connect":
                raise _out_of_reach(name)
        elif self.kind in _STANDING:
            if number >= self.call:
                self._persist(number - self.call, name, lasted_s, time)
        elif number == self.call + (self.kind is FaultKind.PARTIAL):
            self._strike(name, time)

    def _persist(self, attempt: int, name: str, lasted_s: float, time: FaultTime) -> None:
        if self.kind is FaultKind.EXPIRED:
            raise PermissionError(errno.EACCES, "the login has expired")
        concerned = self.only in {"", name}
        if self.kind is FaultKind.OUTAGE and concerned and lasted_s < self.seconds:
            if attempt < _PROMPT_ATTEMPTS or self.seconds < _LONG_OUTAGE_S:
                time.pass_unseen(_ATTEMPT_S)
            else:
                time.pass_seen(_LATER_ATTEMPT_S)
            raise _out_of_reach(name)
        if self.kind is FaultKind.THROTTLED and attempt < _THROTTLED:
            time.pass_unseen(_THROTTLED_S)
            raise _out_of_reach(name)

    def after(self, number: int, name: str) -> None:
        """Act in place of the answer of a call that was made.

        Raises:
            Exception: if that is the fault, as the called library raises it.
        """
        if self.kind is FaultKind.RESET and number == self.call:
            with _errors_of(name):
                raise ConnectionResetError(errno.ECONNRESET, "connection reset by peer")

    def _strike(self, name: str, time: FaultTime) -> None:
        if self.kind is FaultKind.FOREIGN:
            raise OSError(errno.EIO, "input/output error")
        if self.kind in {FaultKind.TRANSIENT, FaultKind.PARTIAL}:
            raise _out_of_reach(name)
        if self.kind is FaultKind.HANG:
            time.pass_unseen(_HANG_S)
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
