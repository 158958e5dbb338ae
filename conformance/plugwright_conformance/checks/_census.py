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
from typing import TYPE_CHECKING

from plugwright_conformance.processes.cpu_share import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_PATIENCE_S = 1.0
_GONE = "a directory that is gone"


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
        "the random state": random.getstate(),
        "the recursion limit": sys.getrecursionlimit(),
    }


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
