"""Check results as plain data, for transfer between processes."""

from __future__ import annotations

from dataclasses import asdict, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence import outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["plain_result", "read_cells", "read_result"]


def plain_result(result: outcome.CheckResult) -> dict[str, Any]:
    """A result as plain data for JSON."""
    fields = asdict(replace(result, figures=dict(result.figures)))
    return {
        name: value.value if isinstance(value, Enum) else value for name, value in fields.items()
    }


def read_cells(rows: Iterable[Sequence[Any]]) -> Sequence[outcome.TableCell]:
    """Cells of tables from the values of their fields, in order."""
    return tuple(outcome.TableCell(*row) for row in rows)


def read_result(found: Mapping[str, Any]) -> outcome.CheckResult:
    """Read a result from plain data.

    Raises:
        KeyError: if a field is missing.
        TypeError: if a field has another type.
        ValueError: if a field has an unknown value.
    """
    named = {
        "severity": outcome.Severity(found["severity"]),
        "level": outcome.Level(found["level"]),
        "outcome": outcome.Outcome(found["outcome"]),
        "ending": outcome.CheckEnd(found["ending"]),
        "cells": tuple(outcome.TableCell(**cell) for cell in found["cells"]),
        "events": tuple(outcome.LiveEvent(**event) for event in found["events"]),
    }
    return outcome.CheckResult(**{**found, **named})
