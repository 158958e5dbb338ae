"""Numeric options and progress lines, which several commands share."""

from __future__ import annotations

import argparse
import sys

__all__ = ["add_number", "show_progress"]


def add_number(
    parser: argparse.ArgumentParser,
    *names: str,
    explained: str,
    default: int | None = None,
    least: int = 1,
    most: int | None = None,
) -> None:
    """Add an option for an integer in a range, bounds included."""

    def parse(text: str) -> int:
        if text.isdecimal() and least <= int(text) and (most is None or int(text) <= most):
            return int(text)
        upto = "" if most is None else f" to {most}"
        raise argparse.ArgumentTypeError(f"expected a number from {least}{upto}, found {text!r}")

    parser.add_argument(*names, metavar="N", type=parse, default=default, help=explained)


def show_progress(text: str) -> None:
    """Write a progress line to standard error, without buffering."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
