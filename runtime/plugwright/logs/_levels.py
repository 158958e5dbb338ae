"""The levels of a process's loggers, so that other processes can set the same levels."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = "root"
"""Kafka Connect's name of the root logger."""


def logger_of(name: str) -> logging.Logger:
    """The logger with a name, created if necessary; ``root`` is the root logger."""
    return logging.getLogger(None if name == ROOT else name)


def set_level(namespace: str, level: int) -> list[str]:
    """Set the level of a logger and of those below it; returns the names of all that had another.

    As in Kafka Connect, those are all whose name begins with the given one.

    Args:
        namespace: a logger's name, ``root`` for all.
        level: one of `logging`'s numbers.
    """
    below = "" if namespace == ROOT else namespace
    made = list(logging.root.manager.loggerDict.items())
    children = [n for n, each in made if n.startswith(below) and isinstance(each, logging.Logger)]
    names = sorted({namespace, *children})
    changed = [name for name in names if logger_of(name).getEffectiveLevel() != level]
    for name in names:
        logger_of(name).setLevel(level)
    return changed


def explicit_levels() -> list[tuple[str, int]]:
    """The levels that were set in this process, for `restore_levels` in another one."""
    loggers = list(logging.root.manager.loggerDict.items())
    found = [
        (name, logger.level)
        for name, logger in loggers
        if isinstance(logger, logging.Logger) and logger.level
    ]
    return [(ROOT, logging.getLogger().level), *sorted(found)]


def restore_levels(levels: Iterable[tuple[str, int]]) -> None:
    """Set loggers to the levels that they have in another process."""
    for name, level in levels:
        logger_of(name).setLevel(level)
