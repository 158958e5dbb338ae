"""All tables of cases together, each case under its id."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import (
    blind,
    cast,
    converting,
    defaults,
    definitions,
    documents,
    fields,
    found,
    headers,
    inserting,
    json_from,
    json_to,
    masking,
    nulls,
    parsing,
    projecting,
    routers,
    shapes,
    simple_converters,
    timestamps,
    workings,
)

__all__ = ["all_cases", "golden_name"]

_TABLES = (
    blind,
    cast,
    converting,
    defaults,
    definitions,
    documents,
    fields,
    found,
    headers,
    inserting,
    json_from,
    json_to,
    masking,
    nulls,
    parsing,
    projecting,
    routers,
    shapes,
    simple_converters,
    timestamps,
    workings,
)


def all_cases() -> dict[str, dict[str, Any]]:
    """Every case by its id.

    Raises:
        ValueError: if two cases have the same id.
    """
    cases: dict[str, dict[str, Any]] = {}
    for table in _TABLES:
        for key, case in table.cases():
            if key in cases:
                raise ValueError(f"two cases have the id {key}")
            cases[key] = case
    return cases


def golden_name(case: dict[str, Any]) -> str:
    """The golden file that a case belongs into."""
    if "file" in case:
        return str(case["file"])
    if case["kind"] in {"converter", "transform"}:
        return f"{case['kind']}.{case['class'].partition('$')[0]}"
    return str(case["kind"])
