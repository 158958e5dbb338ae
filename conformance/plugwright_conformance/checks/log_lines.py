"""What the code of a plugin logs while a check looks."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.catalogue.bench import Bench

_SERVER = "socketserver"
"""Calls the code of a driver's server, in whichever module of the plugin that is."""


@contextmanager
def own_lines(bench: Bench, level: int) -> Iterator[list[logging.LogRecord]]:
    """The lines of this level or above that the plugin's own code logs, but not its driver."""
    handler = _PluginLines(bench, level)
    with attached(handler, level):
        yield handler.lines


@contextmanager
def attached(handler: logging.Handler, level: int) -> Iterator[None]:
    """Have the root logger pass lines of this level or above to a handler; nothing is disabled."""
    root = logging.getLogger()
    before, disabled = root.level, root.manager.disable
    root.addHandler(handler)
    root.setLevel(min(before or level, level))
    logging.disable(logging.NOTSET)
    try:
        yield
    finally:
        logging.disable(disabled)
        root.setLevel(before)
        root.removeHandler(handler)


class _PluginLines(logging.Handler):
    """Keeps lines of the plugin."""

    def __init__(self, bench: Bench, level: int) -> None:
        super().__init__(level)
        self.lines: list[logging.LogRecord] = []
        self._root = bench.subject.root.resolve()
        self._driver = bench.subject.declaration.endpoint.partition(":")[0]

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        if self._root in Path(record.pathname).resolve().parents and not self._of_driver():
            self.lines.append(record)

    def _of_driver(self) -> bool:
        """Whether it is the driver that logs, or has called what does."""
        frame = sys._getframe(1)  # noqa: SLF001  # as logging itself finds the line
        while frame.f_back is not None:
            frame = frame.f_back
            if frame.f_globals.get("__name__") in {self._driver, _SERVER}:
                return True
        return False
