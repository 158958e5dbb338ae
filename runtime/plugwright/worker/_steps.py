"""Run one step of a life cycle and keep what went wrong, so that the later steps still run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["attempt"]


def attempt(step: Callable[[], None]) -> Exception | None:
    """Run the step; the error it raised, or ``None``."""
    try:
        step()
    except Exception as error:  # noqa: BLE001  # the caller decides once all steps have run
        return error
    return None
