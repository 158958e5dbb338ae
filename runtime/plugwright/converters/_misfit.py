"""What is wrong with a value, and where inside the message it stands."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MAX_DEPTH", "ROOT", "MisfitError", "found", "too_deep", "wrong_type"]

ROOT = "payload"
"""How paths name the whole value of a message."""

MAX_DEPTH = 200
"""How deep values and schemas may be nested; Java's JSON reader stops at 1,000 levels."""

_LONGEST_STEP = 80
_LONGEST_NUMBER = 40


class MisfitError(Exception):
    """A value does not fit; containers add the step to it while the error passes through them.

    Attributes:
        problem: what is wrong.
        code: the code of the ``DataError`` that it becomes.
        hint: what to do about it.
        root: the word for the whole; ``schema`` where that is what cannot be read.
    """

    def __init__(self, problem: str, *, code: str = "data.wrong-value", hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.code = code
        self.hint = hint
        self.root = ROOT
        self._steps: list[str] = []

    def in_field(self, name: str) -> MisfitError:
        """The same error, seen from the struct or object that has the field."""
        self._steps.append(f".{name}" if name.isidentifier() else f"[{_short(name)}]")
        return self

    def in_item(self, index: object) -> MisfitError:
        """The same error, seen from the array or map that holds the item."""
        self._steps.append(f"[{_short(index)}]")
        return self

    @property
    def path(self) -> str:
        """The way to the value, such as ``payload.address.zip`` or ``payload.tags[3]``."""
        return self.root + "".join(reversed(self._steps))

    def as_data_error(self, topic: str) -> DataError:
        """The error as the task sees it."""
        return DataError(
            f"{self.path}: {self.problem} (topic {topic})",
            code=self.code,
            hint=self.hint,
            facts={"topic": topic, "path": self.path},
        )


def wrong_type(expected: object, value: Any) -> MisfitError:
    """Another kind of value than the schema says."""
    return MisfitError(
        f"expected {str(expected).lower()}, found {found(value)}",
        code="data.wrong-type",
        hint="give the value that its schema says, or the schema that fits the value",
    )


def too_deep() -> MisfitError:
    """Nested beyond any sense; a hostile message must not exhaust the stack."""
    return MisfitError(f"nested deeper than {MAX_DEPTH} levels", code="data.too-deep")


def found(value: Any) -> str:
    """What a value is, in JSON's words where it has one; texts are not shown, they may be long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float, Decimal)):
        return f"number {_number(value)}"
    if isinstance(value, Struct):
        return str(value.schema)
    return _WORDS.get(type(value), f"class {type(value).__name__}")


_WORDS: Mapping[type, str] = MappingProxyType(
    {str: "string", dict: "object", list: "array", bytes: "bytes"}
)


def _number(value: float | Decimal) -> str:
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER * 4:
        return f"of {value.bit_length()} bits"
    return _cut(str(value), _LONGEST_NUMBER)


def _short(step: object) -> str:
    return _cut(repr(step), _LONGEST_STEP)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
