"""The whole conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.worker.chapters import (
    asking,
    details,
    drawn_further,
    drawn_requests,
    drawn_validations,
    fourth_details,
    governing,
    living,
    moving,
    odd,
    plugins,
    third_lives,
    third_requests,
    third_settings,
    validating,
)
from tests.oracle.worker.steps import DISTRIBUTED

if TYPE_CHECKING:
    from tests.oracle.worker.steps import Chapter

__all__ = ["chapters"]

_WRITTEN = (asking, plugins, validating, living, moving, governing, odd)
_DRAWN = (
    drawn_requests,
    drawn_validations,
    drawn_further,
    third_requests,
    third_settings,
    third_lives,
    details,
    fourth_details,
)
"""Drawn by lot and recorded before our worker was asked: how it fares with what it has not seen."""


def chapters(mode: str) -> tuple[Chapter, ...]:
    """The chapters of a mode in their order."""
    found = [
        each for module in (*_WRITTEN, *_DRAWN) for each in module.CHAPTERS if mode in each.modes
    ]
    # Some of these connectors can never be removed again from a distributed worker.
    return tuple(sorted(found, key=lambda each: mode == DISTRIBUTED and each.name == "names"))
