"""All mutation operators, by family."""

from __future__ import annotations

from plugwright_conformance.mutation.operators import (
    commits,
    edges,
    errors,
    fields,
    flow,
    records,
    resources,
    settings,
    state,
    values,
)

__all__ = ["OPERATORS"]

OPERATORS = (
    *records.OPERATORS,
    *commits.OPERATORS,
    *state.OPERATORS,
    *errors.OPERATORS,
    *resources.OPERATORS,
    *values.OPERATORS,
    *fields.OPERATORS,
    *edges.OPERATORS,
    *settings.OPERATORS,
    *flow.OPERATORS,
)
"""Every operator; of two that make the same bytecode the first one counts."""
