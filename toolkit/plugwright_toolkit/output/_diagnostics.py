"""Diagnostics as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.plugins import DiagnosticLevel, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.plugins import Diagnostic


def fold(diagnostics: Iterable[Diagnostic]) -> list[str]:
    """One line for each finding and one for its hint; notes are left out, repetitions counted.

    The same finding about several locations or files is shown for the first of them.
    """
    groups: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in diagnostics:
        if each.level is not DiagnosticLevel.NOTE:
            groups.setdefault((each.code, each.message, each.hint), []).append(each)
    return [line for same in groups.values() for line in _lines(same)]


def _lines(same: list[Diagnostic]) -> Iterable[str]:
    first, *others = same
    more = f" (and {len(others)} more like this)" if others else ""
    yield f"{first.level.value}: {first}{more}"
    if first.hint:
        yield f"  → {printable(first.hint)}"


def diagnostic_rows(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Every finding, notes too, with the exact texts."""
    return [
        {
            "level": each.level.value,
            "code": each.code,
            "location": each.location,
            "file": each.file,
            "line": each.line,
            "message": each.message,
            "hint": each.hint,
        }
        for each in diagnostics
    ]
