"""Keeps the runtime's log of a run in a file."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["logging_to"]


@contextmanager
def logging_to(file: Path) -> Iterator[None]:
    """Keep the runtime's log in a file: the terminal belongs to the verdicts.

    What a check breaks on purpose, such as its own broker, would look like a failure there.
    """
    handler = logging.FileHandler(file, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
