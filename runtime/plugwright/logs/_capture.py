"""Standard output and standard error of a process, as lines of its log."""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, BinaryIO

from plugwright.logs._limit import LineLimit
from plugwright.logs._lines import OUTPUT_LOGGER, LineStream, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import RawIOBase

_LINE_LIMIT = 4_096
_LAST_WORDS_S = 1.0

log = logging.getLogger(OUTPUT_LOGGER)


@contextmanager
def redirected_output(take: Callable[[str], object] | None = None) -> Iterator[None]:
    """Redirect what Python code prints, line by line, on the thread that prints.

    Args:
        take: receives each line; by default it is logged, unless there are too many.
    """
    limit = LineLimit(lambda what: log.warning("%s", what))

    def log_it(line: str) -> None:
        if limit.admits():
            _log(line)

    taken = log_it if take is None else take
    out, err = LineStream(taken, sys.stdout), LineStream(taken, sys.stderr)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            yield
        finally:
            out.finish()
            err.finish()
            limit.settle()


@contextmanager
def captured_output() -> Iterator[None]:
    """Log everything that this process and its children print until the block ends.

    Works at the level of descriptors, so output of C libraries and child processes is logged too.
    Output that the log does not accept goes to its original destination. So does what a dying
    process prints about its own end.
    """
    reading, writing = os.pipe()
    with ExitStack() as stack:
        pipe, original = os.fdopen(reading, "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
        listener = threading.Thread(
            target=_listen, args=(pipe, original), name="output", daemon=True
        )
        listener.start()
        stack.callback(listener.join, _LAST_WORDS_S)  # a child may keep the pipe open longer
        try:
            for descriptor in (1, 2):
                stack.callback(_put_back, descriptor, os.dup(descriptor))
                os.dup2(writing, descriptor)
        finally:
            os.close(writing)
        stack.callback(_flush)
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):
                stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # or suppressed
        yield


def _listen(pipe: BinaryIO, original: RawIOBase) -> None:
    with pipe, original:
        while raw := pipe.readline(_LINE_LIMIT):
            if log.isEnabledFor(logging.INFO):
                _log(raw.decode(errors="replace").rstrip())
            else:
                original.write(raw)


def _log(line: str) -> None:
    if line:
        log.info("%s", printable(line))


def _put_back(descriptor: int, original: int) -> None:
    os.dup2(original, descriptor)
    os.close(original)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError, OSError):
            stream.flush()
