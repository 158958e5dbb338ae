"""Text as values: what Connect makes of a header or a setting that is only text."""

from __future__ import annotations

import datetime as dt
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.schema._builder import SchemaBuilder
from plugwright.schema._constants import (
    BOOLEAN_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
)
from plugwright.schema._decimal import Decimal
from plugwright.schema._merging import Merger
from plugwright.schema._numbers import parse_number, scale_of, to_double, to_float32
from plugwright.schema._schema import SchemaAndValue
from plugwright.schema._temporal import Date, Time, Timestamp
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal as PythonDecimal

    from plugwright.schema._schema import Schema

__all__ = ["parse_string"]

_MAX_DEPTH = 100
_BLANKS = "".join(map(chr, range(33)))
"""What Java's ``trim`` takes away."""

_TOKEN = re.compile(r'(?:\\(?:.|\Z)|[^\\:,{}\[\]"])+|[:,{}\[\]"]', re.DOTALL)
_TOKENS_OF_A_TIME = 5
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(f"{_DATE.pattern}T{_TIME.pattern}")
_INTEGER_SCHEMAS = (INT8_SCHEMA, INT16_SCHEMA, INT32_SCHEMA, INT64_SCHEMA)
_LONGEST_INTEGER = 19
_NOTHING = SchemaAndValue(None, None)
_LITERALS: Mapping[str, SchemaAndValue] = MappingProxyType(
    {
        "null": _NOTHING,
        "true": SchemaAndValue(BOOLEAN_SCHEMA, True),
        "false": SchemaAndValue(BOOLEAN_SCHEMA, False),
    }
)


class _NoValueError(Exception):
    """The text is no container after all."""


def parse_string(text: str | None) -> SchemaAndValue:
    """The schema and value that a text stands for; text that stands for nothing else is a STRING.

    Never raises, whatever the text. ``null``, ``true``, ``false``, numbers, ``[…]`` and ``{…:…}``
    are read as such, and so are dates (``2019-08-23``), times (``14:34:54.346Z``) and timestamps
    (``2019-08-23T14:34:54.346Z``), all at UTC. Inside containers strings must be in double quotes,
    numbers widen to a common type, and values of mixed types leave the inner schema ``None``.

    Where Kafka's ``Values.parseString`` loses data, this does not:

    - text after the first token is not dropped: ``1,2``, ``1::2`` and ``[1] 2`` are strings
      (Kafka: the number 1, KAFKA-20892);
    - days and times that do not exist are strings: ``2019-13-45`` (Kafka: 2020-02-14), and so are
      those that end in other characters: ``2019-08-2a`` (Kafka: 2019-08-02);
    - times are at UTC, not in the zone of the process;
    - days before 1582-10-15 are counted in the calendar of ISO 8601 (Kafka: the Julian one);
    - blanks between quotes are kept: ``["  "]`` (Kafka drops blank tokens);
    - map keys that would fall together in Python, or cannot be hashed, make the whole a string;
    - dates, times, timestamps and decimals have a common schema only with their like (Kafka: the
      last one's, and numbers beside them become days: ``["2019-08-23",1]``);
    - arrays and maps in a container have a common schema only if all of them fit the last one's;
    - containers nested deeper than 100 levels are strings;
    - ``null`` gives ``(None, None)``, not nothing at all.
    """
    if text is None:
        return _NOTHING
    trimmed = text.strip(_BLANKS)
    if not trimmed:
        return SchemaAndValue(STRING_SCHEMA, text)
    if trimmed in _LITERALS:
        return _LITERALS[trimmed]
    if trimmed[0] in "[{":
        found = _parse_container(text)
    else:
        found = _parse_moment(trimmed, text) or _parse_number(trimmed)
    return found or SchemaAndValue(STRING_SCHEMA, text)


def _parse_container(text: str) -> SchemaAndValue | None:
    reader = _Reader(text)
    try:
        value = reader.value(0)
    except _NoValueError:
        return None
    return value if reader.at_end() else None


def _parse_moment(trimmed: str, text: str) -> SchemaAndValue | None:
    """A date, time or timestamp that is the whole text, its colons escaped or not."""
    # Behind bare colons Kafka does not trim, so that "14:34:54.346Z " is text.
    whole = trimmed if ":" not in trimmed.replace("\\:", "") else text.lstrip(_BLANKS)
    return _moment(whole)


def _moment(text: str) -> SchemaAndValue | None:
    plain = text.replace("\\:", ":")
    try:
        if _DATE.fullmatch(plain):
            return SchemaAndValue(Date.SCHEMA, dt.date.fromisoformat(plain))
        if _TIME.fullmatch(plain):
            return SchemaAndValue(Time.SCHEMA, dt.time.fromisoformat(plain[:-1]))
        if _TIMESTAMP.fullmatch(plain):
            return SchemaAndValue(Timestamp.SCHEMA, dt.datetime.fromisoformat(plain))
    except ValueError:
        return None
    return None


def _parse_number(text: str) -> SchemaAndValue | None:
    """The number in the smallest type that Kafka would choose."""
    if not (text[0] in "+-" or text[0].isdecimal()):
        return None
    number = parse_number(text)
    if number is None:
        return None
    whole = _whole(number)
    if whole is not None:
        for schema in _INTEGER_SCHEMAS:
            if schema.accepts(whole):
                return SchemaAndValue(schema, whole)
    for schema, value in (
        (FLOAT32_SCHEMA, to_float32(number)),
        (FLOAT64_SCHEMA, to_double(number)),
    ):
        if scale_of(number) != 0 and abs(value) != float("inf"):
            return SchemaAndValue(schema, value)
    return SchemaAndValue(Decimal.schema(scale_of(number)), number)


def _whole(number: PythonDecimal) -> int | None:
    """The number as an integer if it is one of at most nineteen digits."""
    if not number:
        return 0
    if not 0 <= number.adjusted() < _LONGEST_INTEGER:
        return None
    whole = int(number)
    return whole if whole == number else None


class _Reader:
    """Reads one container from the tokens of a text."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._next = 0

    def value(self, depth: int) -> SchemaAndValue:
        """The value that starts at the next token.

        Raises:
            _NoValueError: if there is none.
        """
        if depth > _MAX_DEPTH:
            raise _NoValueError
        if self._consume('"'):
            return self._string()
        token = self._peek()
        if token in _LITERALS:
            self._next += 1
            return _LITERALS[token]
        if self._consume("["):
            return self._array(depth + 1)
        if self._consume("{"):
            return self._map(depth + 1)
        return self._scalar(token)

    def at_end(self) -> bool:
        """Whether nothing but blanks is left."""
        return self._peek() == ""

    def _peek(self) -> str:
        """The next token, trimmed, after skipping blank ones; empty at the end."""
        while self._next < len(self._tokens):
            token: str = self._tokens[self._next].strip(_BLANKS)
            if token:
                return token
            self._next += 1
        return ""

    def _consume(self, expected: str) -> bool:
        found = self._peek() == expected
        self._next += found
        return found

    def _string(self) -> SchemaAndValue:
        try:
            end = self._tokens.index('"', self._next)
        except ValueError as error:
            raise _NoValueError from error
        content = "".join(self._tokens[self._next : end])
        self._next = end + 1
        moment = _parse_moment(content.strip(_BLANKS), content)
        return moment or SchemaAndValue(STRING_SCHEMA, content)

    def _scalar(self, token: str) -> SchemaAndValue:
        last = self._next + _TOKENS_OF_A_TIME
        rest = "".join(self._tokens[self._next + 1 : last])
        for text, used in ((token + rest, _TOKENS_OF_A_TIME), (token, 1)):
            moment = _moment(text)
            if moment:
                self._next += used
                return moment
        number = _parse_number(token) if token else None
        if number is None:
            raise _NoValueError
        self._next += 1
        return number

    def _array(self, depth: int) -> SchemaAndValue:
        elements: list[Any] = []
        merger = Merger()
        while not self._consume("]"):
            element = self.value(depth)
            merger.add(element)
            elements.append(element.value)
            if not self._consume(",") and self._peek() != "]":
                raise _NoValueError
        schema = merger.common(elements)
        if schema is None:
            return SchemaAndValue(SchemaBuilder._array_of_null().build(), elements)  # noqa: SLF001
        return SchemaAndValue(
            SchemaBuilder.array(schema).build(), [_aligned(schema, value) for value in elements]
        )

    def _map(self, depth: int) -> SchemaAndValue:
        entries: dict[Any, Any] = {}
        keys, values = Merger(), Merger()
        while not self._consume("}"):
            key, value = self._entry(depth)
            _check_key(entries, key.value)
            keys.add(key)
            values.add(value)
            entries[key.value] = value.value
            self._consume(",")
        return _map_of(keys.common(entries), values.common(entries.values()), entries)

    def _entry(self, depth: int) -> tuple[SchemaAndValue, SchemaAndValue]:
        key = self.value(depth)
        if key.value is None or not self._consume(":"):
            raise _NoValueError
        return key, self.value(depth)


def _check_key(entries: dict[Any, Any], key: Any) -> None:
    """Refuse keys that a dict cannot hold, or hold apart: lists, or ``1`` beside ``true``."""
    try:
        taken = key in entries
    except TypeError as error:
        raise _NoValueError from error
    if taken and not any(key == other and type(key) is type(other) for other in entries):
        raise _NoValueError


def _map_of(keys: Schema | None, values: Schema | None, entries: dict[Any, Any]) -> SchemaAndValue:
    if keys is None:
        return SchemaAndValue(SchemaBuilder._map_of_null().build(), entries)  # noqa: SLF001
    if values is None:
        schema = SchemaBuilder._map_with_null_values(keys).build()  # noqa: SLF001
        aligned = {_aligned(keys, key): value for key, value in entries.items()}
    else:
        schema = SchemaBuilder.map(keys, values).build()
        aligned = {_aligned(keys, k): _aligned(values, v) for k, v in entries.items()}
    if len(aligned) != len(entries):
        raise _NoValueError
    return SchemaAndValue(schema, aligned)


def _aligned(schema: Schema, value: Any) -> Any:
    """The value in the common type; a null has none, since parsed schemas are required ones."""
    if value is None:
        raise _NoValueError
    if schema.type is Type.FLOAT32 and isinstance(value, int):
        return to_float32(value)
    if schema.type is Type.FLOAT64 and isinstance(value, int):
        return float(value)
    return value
