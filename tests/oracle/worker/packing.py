"""Recordings without repetition: a setting's definition stands once, however often it is shown."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["Parts"]

_MARK = "$"


class Parts:
    """The parts that stand for themselves once, by number.

    Args:
        rows: those of a recording that is read.
    """

    def __init__(self, rows: list[Any] | None = None) -> None:
        self.rows = list(rows or ())
        self._numbers: dict[str, int] = {}

    def pack(self, value: Any) -> Any:
        """A value with numbers in place of definitions and values of settings."""
        if isinstance(value, list):
            return [self.pack(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"definition", "value"}:
            return {_MARK: [self._number(value["definition"]), self._number(value["value"])]}
        if "importance" in value:
            return {_MARK: self._number(value)}
        return {key: self.pack(each) for key, each in value.items()}

    def unpack(self, value: Any) -> Any:
        """What was packed."""
        if isinstance(value, list):
            return [self.unpack(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() != {_MARK}:
            return {key: self.unpack(each) for key, each in value.items()}
        numbers = value[_MARK]
        if isinstance(numbers, int):
            return self.rows[numbers]
        return {"definition": self.rows[numbers[0]], "value": self.rows[numbers[1]]}

    def _number(self, part: Any) -> int:
        text = json.dumps(part)
        if text not in self._numbers:
            self._numbers[text] = len(self.rows)
            self.rows.append(part)
        return self._numbers[text]
