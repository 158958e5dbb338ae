"""Log levels at run time, under Kafka's names."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from plugwright.control_plane import LoggerLevel
from plugwright.logs import set_level

if TYPE_CHECKING:
    from collections.abc import Callable

_ROOT = "root"
_TRACE = 5
_LEVELS = {
    "OFF": logging.CRITICAL + 10,
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": _TRACE,
    "ALL": 1,
}
_NAMES = {number: name for name, number in _LEVELS.items()}


class Loggers:
    """The levels of this worker's loggers (KIP-495, KIP-976).

    Args:
        spread: passes a level on to the worker's other processes: the name of a logger, and a
            number of `logging` for it and its descendants.
    """

    def __init__(self, spread: Callable[[str, int], None] = lambda _, __: None) -> None:
        self._spread = spread
        self._lock = threading.Lock()
        self._modified: dict[str, int] = {}

    def all_levels(self) -> dict[str, LoggerLevel]:
        """The loggers with a level of their own, sorted by name, including the root."""
        names = [_ROOT, *logging.root.manager.loggerDict]
        found = {n: self._of(n) for n in names if n == _ROOT or logging.getLogger(n).level}
        return dict(sorted(found.items()))

    def level(self, name: str) -> LoggerLevel | None:
        """The effective level of a logger, or ``None`` if there is no such logger."""
        name = _as_kept(name)
        made = logging.root.manager.loggerDict.get(name)
        if name != _ROOT and not isinstance(made, logging.Logger):
            return None
        return self._of(name)

    def set_level(self, namespace: str, level: str) -> list[str]:
        """Set the level of a logger and its descendants; returns the names of those that changed.

        Args:
            namespace: name of a logger, ``root`` for all.
            level: one of Kafka's names, in any case; an unknown name changes nothing.
        """
        number = _LEVELS.get(level.upper())
        if number is None:
            return []
        namespace, now = _as_kept(namespace), int(time.time() * 1000)
        with self._lock:
            names = set_level(namespace, number)
            self._modified.update(dict.fromkeys(names, now))
            self._spread(namespace, number)
        return names

    def _of(self, name: str) -> LoggerLevel:
        number = _logger(name).getEffectiveLevel()
        below = max((known for known in _NAMES if known <= number), default=_TRACE)
        return LoggerLevel(_NAMES[below], self._modified.get(name))


def _as_kept(name: str) -> str:
    """Normalise a logger's name; the root's is case-insensitive."""
    return _ROOT if name.lower() == _ROOT else name


def _logger(name: str) -> logging.Logger:
    return logging.getLogger(None if name == _ROOT else name)
