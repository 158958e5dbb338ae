"""Compares threads, descriptors and process-wide state before and after."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import random
import signal
import socket
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.processes.cpu_share import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_PATIENCE_S = 1.0
_GONE = "a directory that is gone"
_RANDOM = "the random state"
_WORDS = 624
"""Of the state of the Mersenne Twister; so many draws replace all of them."""
_MOST_DRAWN = 2_000
"""Times that many words, which are more than a million random numbers."""


def left_over(before: Sequence[str], look: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Items that are new; items about to end have a second, in which none waits for a core."""
    gc.collect()
    patience = Patience(os.getpid(), _PATIENCE_S)
    while surplus := _surplus(before, look()):
        if patience.left_s() < 0:
            return surplus
        time.sleep(0.02)
    return []


def _surplus(before: Sequence[str], now: Sequence[str]) -> list[str]:
    rest = list(now)
    for item in before:
        if item in rest:
            rest.remove(item)
    return rest


def shared_state() -> Mapping[str, object]:
    """Process-wide state, by name."""
    root = logging.getLogger()
    context = decimal.getcontext()
    return {
        "the working directory": _directory(),
        "the umask": _umask(),
        "the environment": dict(os.environ),
        "signal handlers": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
        "the root logger": (root.level, list(root.handlers), list(root.filters)),
        "the locale": locale.setlocale(locale.LC_ALL),
        "sys.path": list(sys.path),
        "the default timeout of sockets": socket.getdefaulttimeout(),
        "warning filters": list(warnings.filters),
        "the decimal context": (context.prec, context.rounding, dict(context.traps)),
        _RANDOM: random.getstate(),
        "the recursion limit": sys.getrecursionlimit(),
    }


def changed(before: Mapping[str, object], after: Mapping[str, object]) -> Sequence[str]:
    """The names of state that has changed; random numbers may have been drawn.

    The library draws some, too: `imaplib` does for each connection.
    """
    return [
        name
        for name, was in before.items()
        if after[name] != was and not (name == _RANDOM and _drawn(was, after[name]))
    ]


def _drawn(before: Any, after: Any) -> bool:
    """Whether a random state comes from another one by drawing numbers, not by a new seed."""
    source = random.Random()  # noqa: S311  # compared with another one
    source.setstate(before)
    for _ in range(_MOST_DRAWN):
        if source.getstate()[1][:_WORDS] == after[1][:_WORDS]:
            return True
        source.getrandbits(32 * _WORDS)
    return False


def _directory() -> str:
    """Where the process stands, also if that has been removed since."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return _GONE


def _umask() -> int:
    """The umask, which can only be read by setting it."""
    found = os.umask(0o077)
    os.umask(found)
    return found


@contextmanager
def restored() -> Iterator[None]:
    """Restore process-wide state on exit."""
    if _directory() == _GONE:  # another life has left the process there
        os.chdir("/")
    timeout, context, state = socket.getdefaulttimeout(), decimal.getcontext(), random.getstate()
    kept, directory, environment = context.copy(), Path.cwd(), dict(os.environ)
    umask = _umask()
    try:
        yield
    finally:
        socket.setdefaulttimeout(timeout)
        decimal.setcontext(kept)
        random.setstate(state)
        os.chdir(directory)
        os.umask(umask)
        os.environ.clear()
        os.environ.update(environment)
