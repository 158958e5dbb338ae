"""The levels of a process's loggers, so that other processes can have the same."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ROOT", "explicit_levels", "logger_of", "restore_levels", "set_level"]

ROOT: Final = "root"
"""Kafka Connect's name of the logger above all others."""


def logger_of(name: str) -> logging.Logger:
    """The logger of a name, made if there is none; ``root`` is the one above all."""
    return logging.getLogger(None if name == ROOT else name)


def set_level(namespace: str, level: int) -> list[str]:
    """Set the level of a logger and of those below it; the names of all that were set.

    Args:
        namespace: a logger's name, ``root`` for all.
        level: a number of `logging`'s.
    """
    below = "" if namespace == ROOT else f"{namespace}."
    children = [name for name in list(logging.root.manager.loggerDict) if name.startswith(below)]
    names = sorted({namespace, *children})
    for name in names:
        logger_of(name).setLevel(level)
    return names


def explicit_levels() -> list[tuple[str, int]]:
    """The levels of this process that were set, for `restore_levels` in another one."""
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
