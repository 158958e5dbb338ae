"""Handles stop signals of a worker: SIGTERM, Ctrl-C or a closed terminal, at any time."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

log = logging.getLogger("plugwright.worker")

_AGAIN_S = 0.05
_IMPORTING = "<frozen importlib"
_UNDIVIDED = frozenset(
    {
        (shutil.__file__, "rmtree"),
        (subprocess.__file__, "Popen.__init__"),
        (tempfile.__file__, "TemporaryDirectory.__init__"),
        (tempfile.__file__, "mkdtemp"),
    }
)
"""Short steps after which it is known what was started or made; cut off, it would stay."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Ending:
    """Waits for a stop signal; interrupts a start, and lets a running worker stop cleanly."""

    def __init__(self) -> None:
        self._wished = threading.Event()
        self._serving = False

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Handle the first signal as a stop request, even before the worker runs.

        Components that were started by then are stopped cleanly; further signals do not
        interrupt that, because a half-stopped start would leave processes behind.
        """
        _at_signals(self._break_off)
        try:
            yield
        except KeyboardInterrupt:
            if self._serving:
                raise  # a second signal, after which no clean stop is possible
            log.info("Stopped while starting")
        except Exception as error:
            if self._serving or not self._wished.is_set():
                raise
            # C code that reads its arguments turns the interrupt into an error of its own.
            log.debug("the interrupted start failed", exc_info=error)
            log.info("Stopped while starting")

    def serve(self) -> None:
        """Stop interrupting on signals; a second one no longer waits for tasks.

        That of a closed terminal does not count as a second one: the shell passes it on, so it
        comes twice.
        """
        self._serving = True
        _at_signals(self._wish)

    def wait(self, timeout_s: float) -> bool:
        """Wait at most this many seconds; whether the worker should stop."""
        return self._wished.wait(timeout_s)

    def _break_off(self, number: int, frame: FrameType | None) -> None:
        if _is_undivided(frame):
            again = threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        _at_signals(_nothing)  # children must not inherit that signals are ignored
        self._wished.set()  # an exception raised here may be lost, as in the garbage collector
        raise KeyboardInterrupt

    def _wish(self, *_: object) -> None:
        _at_signals(_hurry)
        self._wished.set()


def _hurry(number: int, frame: FrameType | None) -> None:
    if number != signal.SIGHUP:
        signal.default_int_handler(number, frame)


def _nothing(*_: object) -> None:
    """Ignore a signal."""


def _is_undivided(frame: FrameType | None) -> bool:
    """Whether something runs that may not be cut off, such as an import.

    An import may hold a lock that would never be released, and no thread could fork.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_IMPORTING):
            return True
        if (code.co_filename, code.co_qualname) in _UNDIVIDED:
            return True
        frame = frame.f_back
    return False


def _at_signals(handler: Callable[..., object]) -> None:
    for number in _SIGNALS:
        if (
            number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
        ):  # as nohup sets it
            signal.signal(number, handler)
