"""Words that several commands have in common: a number as an option, a line of progress."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["number", "show_progress"]


def number(least: int = 1, most: int | None = None) -> Callable[[str], int]:
    """Parses the whole numbers of a range, both ends included."""

    def parse(text: str) -> int:
        if text.isdecimal() and least <= int(text) and (most is None or int(text) <= most):
            return int(text)
        upto = "" if most is None else f" to {most}"
        raise argparse.ArgumentTypeError(f"expected a number from {least}{upto}, found {text!r}")

    return parse


def show_progress(text: str) -> None:
    """Write a line about what is done now to standard error, at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
