"""The wish that a worker ends: SIGTERM, Ctrl-C or a closed terminal, at any time of its life."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

log = logging.getLogger("plugwright.worker")

_AGAIN_S = 0.05
_IMPORTING = "<frozen importlib"
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Ending:
    """Hears of the wish; breaks a start off, and lets a worker that serves end in order."""

    def __init__(self) -> None:
        self._wished = threading.Event()
        self._serving = False

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Take the first signal as the wish to stop, even before the worker serves.

        What has been started by then is stopped in order on the way here; further signals do not
        disturb that, for half of a start that nobody stops would stay behind.
        """
        _at_signals(self._break_off)
        try:
            yield
        except KeyboardInterrupt:
            if self._serving:
                raise  # a second signal, after which nothing is in order
            log.info("Stopped while starting")

    def serve(self) -> None:
        """From now on a signal breaks nothing off, but a second one no longer waits for tasks."""
        self._serving = True
        _at_signals(self._wish)

    def wait(self, timeout_s: float) -> bool:
        """Wait at most so many seconds; whether the worker is to end."""
        return self._wished.wait(timeout_s)

    def _break_off(self, number: int, frame: FrameType | None) -> None:
        if _imports(
            frame
        ):  # may hold a lock that would never be released, and no thread could fork
            again = threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        _at_signals(_nothing)  # no child is to inherit that signals are ignored
        self._wished.set()  # what is raised here may be lost, as in a call of the garbage collector
        raise KeyboardInterrupt

    def _wish(self, *_: object) -> None:
        _at_signals(signal.default_int_handler)
        self._wished.set()


def _nothing(*_: object) -> None:
    """Hear of a signal and go on."""


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORTING):
            return True
        frame = frame.f_back
    return False


def _at_signals(handler: Callable[..., object]) -> None:
    for number in _SIGNALS:
        if (
            number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
        ):  # as nohup sets it
            signal.signal(number, handler)
