"""Intercepts a task's calls to files, sockets and embedded databases.

The interpreter's profiling hook is called just before and just after each call of a C function, and
an exception raised there replaces the call, or its result. So a call can fail, or fail after it
took effect, in any library that the plugin uses, and without help by its
author. Threads that the task starts are watched as well. Hot path: the hook is called
for every C function.
"""

from __future__ import annotations

import io
import socket
import sqlite3
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from plugwright_conformance.processes.event_loops import wakes_event_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_SYSTEM = {
    "open", "write", "writev", "pwrite", "read", "readv", "pread", "sendfile", "fsync", "fdatasync",
    "truncate", "ftruncate", "rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir",
}  # fmt: skip
_FILE = {
    "read", "readall", "readinto", "readline", "readlines", "write", "writelines", "flush",
    "truncate", "close", "__exit__",
}  # fmt: skip
_SOCKET = {"connect", "send", "sendall", "sendto", "recv", "recv_into", "recvfrom", "read", "write"}
_DATABASE = {
    "execute", "executemany", "executescript", "commit", "fetchone", "fetchmany", "fetchall",
}  # fmt: skip
_NAMES = _SYSTEM | _FILE | _SOCKET | _DATABASE
_SERIES = 32  # of a long series of equal reads the rest is not watched: nothing depends on it
READING = ("read", "recv", "fetch", "pread")
"""How the names of calls begin that change nothing."""

_NEVER_FAIL = {"close", "__exit__"}
_OWN_MODULES = (
    "logging", "importlib", "_frozen_importlib", "traceback", "linecache", "subprocess",
)  # fmt: skip


class EndpointCalls:
    """The numbered endpoint calls of one task run.

    Args:
        before: called with the name of the next call, and whether it may be made to
            fail; may raise in its place.
        after: called with the name of a call that was made; may raise in place of its answer.
    """

    def __init__(
        self, before: Callable[[str, bool], None], after: Callable[[str, bool], None]
    ) -> None:
        self._before = before
        self._after = after
        self._watching = False
        self._series: list[Any] = ["", 0]

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch while the task has the floor."""
        if self._watching:
            yield
            return
        self._watching = True
        self._series = ["", 0]
        sys.setprofile(self._profile)
        threading.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self._watching = False

    def _profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event not in {"c_call", "c_return"} or argument.__name__ not in _NAMES:
            return
        if argument.__name__ != self._series[0]:
            self._series = [argument.__name__, 0]
        self._series[1] += 1
        if self._series[1] > _SERIES and argument.__name__.startswith(READING):
            return
        name = _name_of(argument)
        if name is None or _is_ours(frame):
            return
        tell = self._before if event == "c_call" else self._after
        try:
            tell(name, name.rpartition(".")[2] not in _NEVER_FAIL)
        except Exception as error:
            _reset(argument)
            if not isinstance(error, TimeoutError):
                _break(argument)
            self._go_on_after(frame)
            raise

    def _go_on_after(self, frame: FrameType) -> None:
        """The interpreter takes a hook away that raises: put it back when the exception is out."""

        def trace(frame: FrameType, event: str, _: Any) -> None:
            if event == "exception":
                sys.settrace(None)
                frame.f_trace = None
                if self._watching or threading.current_thread() is not threading.main_thread():
                    sys.setprofile(self._profile)

        frame.f_trace = trace
        sys.settrace(trace)


def _reset(function: Any) -> None:
    """Let the statement of a fetch that fails hold no lock, as SQLite resets it when a step fails.

    Else the exception would keep it half done for as long as anybody keeps the exception.
    """
    cursor = getattr(function, "__self__", None)
    if isinstance(cursor, sqlite3.Cursor) and function.__name__.startswith("fetch"):
        cursor.execute("SELECT NULL WHERE FALSE")


def _break(function: Any) -> None:
    """Close the connection of a call that fails, so that using it again fails, too."""
    connection = _connection(getattr(function, "__self__", None))
    if connection is not None and connection.type == socket.SOCK_STREAM:
        with suppress(OSError):  # it has never been there
            connection.shutdown(socket.SHUT_RDWR)


def _connection(owner: Any) -> socket.socket | None:
    """The socket that an object is, or is a file of."""
    if isinstance(owner, io.BufferedReader | io.BufferedWriter | io.BufferedRWPair):
        owner = getattr(getattr(owner, "raw", None), "_sock", None)
    return owner if isinstance(owner, socket.socket) else None


def _name_of(function: Any) -> str | None:
    """The name of a function that reaches the outside, ``None`` of any other."""
    name = function.__name__
    family, members = _family(function)
    return f"{family}.{name}" if name in members else None


def _is_written(file: io.IOBase) -> bool:
    """Whether a flush of a file does something: where nothing is written, it cannot fail either."""
    return not file.closed and file.writable()


def _family(function: Any) -> tuple[str, set[str]]:
    """The object of a function, and the names of its functions with outside effects."""
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    found: tuple[str, set[str]] = ("", set())
    if module in {"posix", "nt"}:
        found = "os", _SYSTEM
    elif isinstance(owner, io.IOBase):
        family = "file" if _connection(owner) is None else "socket"
        in_memory = isinstance(owner, io.BytesIO | io.StringIO) or owner in _streams()
        found = family, set() if in_memory else _FILE if _is_written(owner) else _FILE - {"flush"}
    elif module in {"io", "_io"}:
        found = "io", {"open"}
    elif module in {"socket", "_socket", "ssl", "_ssl"}:
        found = "socket", set() if wakes_event_loop(owner) else _SOCKET
    elif module == "sqlite3":
        found = "sqlite3", _DATABASE
    return found


def _streams() -> tuple[Any, ...]:
    return (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)


def _is_ours(frame: FrameType) -> bool:
    """Whether Python itself makes the call: imports and logging are no business of the endpoint.

    Nor are the pipes of a child process, which `subprocess` leaves open if their use fails.
    """
    module = frame.f_globals.get("__name__", "")
    return module.partition(".")[0] in _OWN_MODULES
