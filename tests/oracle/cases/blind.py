"""Random cases of every kind, a sample of what ``python -m tests.oracle.blind`` compares."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING

from tests.oracle.random_cases import random_cases
from tests.oracle.second_cases import second_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.cases.building import Case

__all__ = ["cases"]

_SEED = 7001
_CASES = 500
_SECOND_SEED = 7002
_SECOND_CASES = 200
_LONGEST = 600
"""Of the second drawing only shorter cases: the recording is to stay readable."""


def cases() -> Iterator[Case]:
    """Every case under its id; all of them are in one file."""
    random = Random(_SEED)  # noqa: S311  # no secret
    for number, case in enumerate(random_cases(random, _CASES)):
        yield f"blind/{number:03}", {**case, "file": "blind"}
    random = Random(_SECOND_SEED)  # noqa: S311  # no secret
    for number, case in enumerate(second_cases(random, _SECOND_CASES)):
        if len(json.dumps(case)) < _LONGEST:
            yield f"blind/second/{number:03}", {**case, "file": "blind"}
