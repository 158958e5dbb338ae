"""Errors about a value, with its path inside the message."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError
from plugwright.schema import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.schema import Schema

ROOT = "payload"
"""The name of the whole value in paths."""

MAX_DEPTH = 100
"""Maximum nesting depth of containers, as in ``Values``.

One limit for every converter, reading and writing. A map whose keys are not all text counts twice,
because JSON writes it as an array of pairs. Java's JSON reader stops at 1,000 brackets, its other
converters when the stack is full.
"""

_LONGEST_STEP = 80
_LONGEST_NUMBER = 40


class MisfitError(Exception):
    """A value does not fit. Each container adds a step to the path as the error passes through.

    Attributes:
        problem: the description of the problem.
        code: the code of the ``DataError`` that it becomes.
        hint: what to do about it.
        root: the first word of the path; ``schema`` if the schema cannot be read.
    """

    def __init__(self, problem: str, *, code: str = "data.wrong-value", hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.code = code
        self.hint = hint
        self.root = ROOT
        self._steps: list[str] = []

    def in_field(self, name: str) -> MisfitError:
        """The same error, with the field added to its path."""
        self._steps.append(f".{name}" if name.isidentifier() else f"[{_short(name)}]")
        return self

    def in_item(self, index: object) -> MisfitError:
        """The same error, with the index or key added to its path."""
        self._steps.append(f"[{_short(index)}]")
        return self

    @property
    def path(self) -> str:
        """The path of the value, such as ``payload.address.zip`` or ``payload.tags[3]``."""
        return self.root + "".join(reversed(self._steps)) if self._steps else self.root

    def as_data_error(self, topic: str) -> DataError:
        """The error for the task."""
        path = self.path
        return DataError(
            f"{path}: {self.problem} (topic {topic})",
            code=self.code,
            hint=self.hint,
            facts={"topic": topic, "path": path},
        )


def wrong_type(expected: object, value: Any) -> MisfitError:
    """The error for a value whose type differs from its schema's."""
    return MisfitError(
        f"expected {str(expected).lower()}, found {found(value)}",
        code="data.wrong-type",
        hint="correct the value to match its schema, or the schema to match the value",
    )


def too_deep() -> MisfitError:
    """The error for too deep nesting; a hostile message must not exhaust the stack."""
    return MisfitError(f"nested deeper than {MAX_DEPTH} levels", code="data.too-deep")


def absent(schema: Schema, write: Callable[[Any], Any], *, replace_null: bool = True) -> Any:
    """The replacement for a missing value: the schema's default, or null.

    Raises:
        MisfitError: if the schema allows neither.
    """
    if schema.default is not None and replace_null:
        return write(schema.default)
    if schema.optional:
        return None
    raise MisfitError(
        "null for a required field without default",
        code="data.missing-value",
        hint="set a value, or make the schema optional",
    )


def found(value: Any) -> str:
    """A description of a value in JSON's terms, without the content of texts, which may be long."""
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
