"""The golden files: what Kafka Connect's own Java classes answered to the cases."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["DIRECTORY", "Line", "golden", "golden_files"]

DIRECTORY = Path(__file__).parents[1] / "golden" / "java"


@dataclass(frozen=True, slots=True)
class Line:
    """One case with the answer of Java; prints as its id, for pytest's ``ids=str``.

    Attributes:
        id: name of the case, unique in all files.
        case: what was asked, as NOTATION.md says.
        result: what Java answered.
    """

    id: str
    case: dict[str, Any]
    result: dict[str, Any]

    def __str__(self) -> str:
        return self.id


@cache
def golden(name: str) -> tuple[Line, ...]:
    """The lines of a golden file, such as ``"converter.JsonConverter"`` or ``"values"``."""
    text = (DIRECTORY / f"{name}.jsonl").read_text("utf-8")
    return tuple(Line(**json.loads(line)) for line in text.splitlines()[1:])


def golden_files() -> tuple[str, ...]:
    """The names of all golden files."""
    return tuple(sorted(path.name.removesuffix(".jsonl") for path in DIRECTORY.glob("*.jsonl")))
