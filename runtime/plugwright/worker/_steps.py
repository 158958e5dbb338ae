"""Runs steps of a life cycle and keeps their errors, so that later steps still run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def attempt(step: Callable[[], None]) -> Exception | None:
    """Run the step; returns the error it raised, or ``None``."""
    try:
        step()
    except Exception as error:  # noqa: BLE001  # the caller decides once all steps have run
        return error
    return None


def first_of(*errors: Exception | None) -> Exception | None:
    """The first error, if any; compares with None, because an exception may be falsy."""
    return next((error for error in errors if error is not None), None)
