"""Random cases of every kind, a sample of what ``python -m tests.oracle.blind`` compares."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from tests.oracle._random_cases import random_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases._building import Case

__all__ = ["cases"]

_SEED = 7001
_CASES = 500


def cases() -> Iterator[Case]:
    """Every case under its id; all of them are in one file."""
    random = Random(_SEED)  # noqa: S311  # no secret
    for number, case in enumerate(random_cases(random, _CASES)):
        yield f"blind/{number:03}", {**case, "file": "blind"}
