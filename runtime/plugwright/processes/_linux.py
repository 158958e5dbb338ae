"""Linux system calls for restricting foreign code; elsewhere every call reports failure."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_ENDED = ("Z", "X")
"""States of a process in ``/proc``."""
_POLL_S = 0.001


@cache
def _function(name: str) -> Callable[..., int] | None:
    """A function of the C library, or ``None`` if it does not exist; looked up once."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes  # noqa: PLC0415  # not in every build of Python

        found: Callable[..., int] = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (ImportError, OSError, AttributeError):
        return None
    return found


def system_call(number: int, *arguments: bytes | int | None) -> int:
    """Make a system call by its number, which is the same on all machines; -1 for a failure."""
    call = _function("syscall")
    if call is None:
        return -1
    import ctypes  # noqa: PLC0415  # `_function` has found it

    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return call(ctypes.c_long(number), *wide)


def no_new_privileges() -> bool:
    """Prevent programs that this process starts from gaining privileges."""
    prctl = _function("prctl")
    return prctl is not None and prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0


def adopt_orphans() -> bool:
    """Become the parent of every orphaned descendant."""
    prctl = _function("prctl")
    return prctl is not None and prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def die_with_parent(parent: int) -> None:
    """Make the kernel end this process with its parent; end now if that is already gone."""
    prctl = _function("prctl")
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def command_of(pid: int) -> str:
    """The command of a process, its words separated by spaces; empty once it has ended.

    While a program is being loaded, which may be after `subprocess.Popen` has returned, the
    kernel has its name but not its arguments yet: that name in parentheses is the answer then.

    Raises:
        OSError: there is no such process.
    """
    words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").strip()
    if words:
        return words.decode(errors="replace")
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    name, _, fields = stat[stat.index("(") + 1 :].rpartition(")")
    return "" if fields.split()[0] in _ENDED else f"({name})"


def children(pid: int | None = None) -> Iterator[tuple[int, str]]:
    """The child processes of this process, or of another, with their commands.

    Yields nothing if the system does not report them.
    """
    for file in Path(f"/proc/{pid or os.getpid()}/task").glob("*/children"):
        with suppress(OSError):  # the thread, or the whole process, has ended meanwhile
            for child in map(int, file.read_text(encoding="ascii").split()):
                with suppress(OSError):  # the child has; its siblings are still there
                    yield child, command_of(child)


def descendants(pid: int | None = None) -> Iterator[tuple[int, str]]:
    """Every descendant of this process, or of another, with its command; parents come first.

    Yields nothing if the system does not report them.
    """
    for child, command in children(pid):
        yield child, command
        yield from descendants(child)


def await_threads(threads: Iterable[int], timeout_s: float) -> None:
    """Wait until threads of this process have ended for the system too, so their stacks are free.

    A `threading.Thread` counts as ended shortly before that. Returns at once if the system does
    not list threads.

    Args:
        threads: their native ids.
        timeout_s: how long to wait for all of them.
    """
    deadline = time.monotonic() + timeout_s
    for thread in threads:
        while Path(f"/proc/self/task/{thread}").exists() and time.monotonic() < deadline:
            time.sleep(_POLL_S)


def leave_network() -> bool:
    """Move this process, which must be single-threaded, into an empty network namespace.

    A network namespace requires a privilege, or else a user namespace, which many systems allow
    everyone. Root does not use a user namespace, in which it could no longer read others' files.
    """
    unshare = _function("unshare")
    if unshare is None:
        return False
    if unshare(_CLONE_NEWNET) == 0:
        return True
    user, group = os.geteuid(), os.getegid()
    if user == 0 or unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        try:
            Path("/proc/self", file).write_text(text, encoding="ascii")
        except OSError:
            return True
    return True
