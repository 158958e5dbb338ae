"""Recursion without Python's stack, for data that is nested thousands of levels deep."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

from plugwright.errors import DataError

_T = TypeVar("_T")

Steps = Generator["Steps[Any]", Any, _T]
"""A function that yields a call of such a function and is sent what that call returned."""

MAX_LEVELS = 10_000
"""How deep calls may be inside one another; Java's default stack ends before twice as many."""


def unrolled(steps: Steps[_T]) -> _T:
    """What a function returns that may call itself to any depth.

    An error of an inner call is raised where the outer one yielded it, as it would be in a plain
    recursion.

    Args:
        steps: the call; each ``yield`` in it stands for an inner call.

    Raises:
        DataError: beyond ``MAX_LEVELS``, which data that contains itself would reach in any case.
    """
    waiting: list[Steps[Any]] = []
    current: Steps[Any] = steps
    resume, answer = current.send, None
    while True:
        try:
            inner = resume(answer)
        except StopIteration as end:
            if not waiting:
                return end.value  # type: ignore[no-any-return]  # the first call is the last to end
            current = waiting.pop()
            resume, answer = current.send, end.value
        except Exception as error:  # whatever it is, the outer call may handle it
            if not waiting:
                raise
            current = waiting.pop()
            resume, answer = current.throw, error
        else:
            if len(waiting) > MAX_LEVELS:
                raise _too_deep()
            waiting.append(current)
            current = inner
            resume, answer = current.send, None


def _too_deep() -> DataError:
    return DataError(
        f"The data is nested deeper than {MAX_LEVELS} levels",
        code="data.too-deep",
        hint="make it flatter; data that contains itself is nested without end",
        facts={"levels": MAX_LEVELS},
    )
