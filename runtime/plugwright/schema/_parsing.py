"""Parses text into values, as Connect does for headers."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal as PythonDecimal
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.java_numbers import parse_number, scale_of, to_double, to_float32
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
from plugwright.schema._schema import Schema, SchemaAndValue
from plugwright.schema._temporal import Date, Time, Timestamp
from plugwright.schema._type import Type

if TYPE_CHECKING:
    from collections.abc import Mapping


_MAX_DEPTH = 100
_BLANKS = "".join(map(chr, range(33)))
"""The characters that Java's ``trim`` removes."""

_TOKEN = re.compile(
    r'"(?:\\(?:.|\Z)|[^"\\])*"|(?:\\(?:.|\Z)|[^\\:,{}\[\]"])+|[:,{}\[\]"]', re.DOTALL
)
_TOKENS_OF_A_TIME = 5
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(f"{_DATE.pattern}T{_TIME.pattern}")
_INTEGER_SCHEMAS = (INT8_SCHEMA, INT16_SCHEMA, INT32_SCHEMA, INT64_SCHEMA)
_LONGEST_INTEGER = 19
_FLOATS = (Type.FLOAT32, Type.FLOAT64)
_MOST_ALIKE = 64
_OPENING = ("[", "{")
_NOTHING = SchemaAndValue(None, None)
_LITERALS: Mapping[str, SchemaAndValue] = MappingProxyType(
    {
        "null": _NOTHING,
        "true": SchemaAndValue(BOOLEAN_SCHEMA, True),
        "false": SchemaAndValue(BOOLEAN_SCHEMA, False),
    }
)


class _NoValueError(Exception):
    """The text is not a container."""


def parse_string(text: str | None) -> SchemaAndValue:
    """The schema and value that a text represents; text that represents nothing else is a STRING.

    Never raises, whatever the text. ``null``, ``true``, ``false``, numbers, ``[…]`` and ``{…:…}``
    are read as such, and so are dates (``2019-08-23``), times (``14:34:54.346Z``) and timestamps
    (``2019-08-23T14:34:54.346Z``), all at UTC. Inside containers strings must be in double quotes,
    numbers widen to a common type, and values of mixed types leave the inner schema ``None``.

    This function keeps data that Kafka's ``Values.parseString`` loses:

    - text after the first token is not dropped: ``1,2``, ``1::2`` and ``[1] 2`` are strings
      (Kafka: the number 1, KAFKA-20892);
    - days and times that do not exist are strings: ``2019-13-45`` (Kafka: 2020-02-14), and so are
      those that end in other characters: ``2019-08-2a`` (Kafka: 2019-08-02);
    - times are at UTC, not in the zone of the process;
    - days before 1582-10-15 are counted in the calendar of ISO 8601 (Kafka: the Julian one);
    - blanks between quotes are kept: ``["  "]`` (Kafka drops blank tokens);
    - a map whose keys are equal in Python, or cannot be hashed, is a string;
    - dates, times, timestamps and decimals have a common schema only with their own kind (Kafka:
      the last one's, and numbers beside them become days: ``["2019-08-23",1]``);
    - arrays and maps in a container have a common schema only if all of them fit the last one's;
    - containers nested deeper than 100 levels are strings;
    - ``null`` returns ``(None, None)`` and not ``None``.
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
    """The date, time or timestamp that is the whole text, with colons escaped or not."""
    # Kafka does not trim text with unescaped colons, so "14:34:54.346Z " is text.
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
    """Reads one container from the tokens of a text.

    Takes time proportional to the length of the text: each token is stripped once, each distinct
    number is parsed once, and equal schemas are built once.
    """

    def __init__(self, text: str) -> None:
        raw: list[str] = _TOKEN.findall(text)
        tokens = [token.strip(_BLANKS) for token in raw]
        self._raw = list(compress(raw, tokens))
        self._tokens = [*filter(None, tokens), ""]
        self._next = 0
        self._known: dict[str, SchemaAndValue] = dict(_LITERALS)
        self._schemas: dict[tuple[Schema | None, ...], Schema] = {}

    def value(self, depth: int) -> SchemaAndValue:
        """The value that starts at the next token.

        Raises:
            _NoValueError: if there is none.
        """
        token = self._tokens[self._next]
        if token not in _OPENING:
            return self._scalar(token)
        if depth >= _MAX_DEPTH:
            raise _NoValueError
        self._next += 1
        return self._map(depth + 1) if token.startswith("{") else self._array(depth + 1)

    def at_end(self) -> bool:
        """Whether only blanks are left."""
        return self._tokens[self._next] == ""

    def _scalar(self, token: str) -> SchemaAndValue:
        colon = self._tokens[self._next + 1] == ":" if token else False
        if colon and token[0] != '"':
            last = self._next + _TOKENS_OF_A_TIME
            moment = _moment(token + "".join(self._raw[self._next + 1 : last]))
            if moment:
                self._next += _TOKENS_OF_A_TIME
                return moment
        known = self._known.get(token)
        if known is None:
            known = self._known[token] = _string(token) or _moment(token) or _number(token)
        self._next += 1
        return known

    def _array(self, depth: int) -> SchemaAndValue:
        tokens = self._tokens
        elements: list[Any] = []
        if tokens[self._next] == "]":
            self._next += 1
            return SchemaAndValue(self._built(None), elements)
        first: Schema | None = None
        merger: Merger | None = None
        while tokens[self._next] != "]":
            element = self.value(depth)
            # As a rule all elements have one schema, and there is nothing to merge.
            if merger is not None:
                merger.add(element)
            elif not elements:
                first = element.schema
            elif element.schema is not first:
                merger = Merger(first, elements)
                merger.add(element)
            elements.append(element.value)
            if tokens[self._next] == ",":
                self._next += 1
            elif tokens[self._next] != "]":
                raise _NoValueError
        self._next += 1
        schema = first if merger is None else merger.common()
        if schema is not None and merger is not None:
            elements = _all_aligned(schema, elements)
        return SchemaAndValue(self._built(schema), elements)

    def _map(self, depth: int) -> SchemaAndValue:
        tokens = self._tokens
        keys: list[SchemaAndValue] = []
        values: list[SchemaAndValue] = []
        while tokens[self._next] != "}":
            key, value = self._entry(depth)
            keys.append(key)
            values.append(value)
            if tokens[self._next] == ",":
                self._next += 1
        self._next += 1
        if not keys:
            return SchemaAndValue(self._built(None, None), {})
        entries = _entries(keys, values)
        return self._map_of(_common(keys), _common(values), entries)

    def _entry(self, depth: int) -> tuple[SchemaAndValue, SchemaAndValue]:
        key = self.value(depth)
        if key.value is None or self._tokens[self._next] != ":":
            raise _NoValueError
        self._next += 1
        return key, self.value(depth)

    def _map_of(
        self, keys: Schema | None, values: Schema | None, entries: dict[Any, Any]
    ) -> SchemaAndValue:
        schema = self._built(keys, values if keys else None)
        if keys is None:
            return SchemaAndValue(schema, entries)
        found = list(entries.values())
        aligned = found if values is None else _all_aligned(values, found)
        if keys.type in _FLOATS or aligned is not found:
            entries = dict(zip(_all_aligned(keys, list(entries)), aligned, strict=True))
        if len(entries) != len(found):
            raise _NoValueError
        return SchemaAndValue(schema, entries)

    def _built(self, *inner: Schema | None) -> Schema:
        """The schema of an array of these, or of a map from one to the other."""
        found = self._schemas.get(inner)
        if found is None:
            found = self._schemas[inner] = _container_schema(*inner)
        return found


def _container_schema(*inner: Schema | None) -> Schema:
    type_ = Type.ARRAY if len(inner) == 1 else Type.MAP
    keys = inner[0] if type_ is Type.MAP else None
    return Schema(type_, key_schema=keys, value_schema=inner[-1])


def _entries(keys: list[SchemaAndValue], values: list[SchemaAndValue]) -> dict[Any, Any]:
    """A map's entries.

    Raises:
        _NoValueError: if a dict cannot hold the keys, or would merge them.
    """
    kinds = {key.value.__class__ for key in keys}
    # Keys of one kind are equal only where they are the same.
    if len(kinds) > 1 or PythonDecimal in kinds:
        known = _Keys()
        for key in keys:
            known.add(key.value)
    try:
        return {key.value: value.value for key, value in zip(keys, values, strict=True)}
    except TypeError as error:
        raise _NoValueError from error


def _common(found: list[SchemaAndValue]) -> Schema | None:
    """The common schema of a map's keys or values; as a rule they have one."""
    first = found[0].schema
    for each in found:
        if each.schema is not first:
            break
    else:
        return first
    merger = Merger(None, ())
    for each in found:
        merger.add(each)
    return merger.common()


class _Keys:
    """Checks that a dict can hold the keys of a map and keeps them distinct."""

    def __init__(self) -> None:
        self._kinds: dict[Any, type] = {}
        self._alike: dict[int, int] = {}

    def add(self, key: Any) -> None:
        """Add one key.

        Raises:
            _NoValueError: for a list or a map, for ``1`` next to ``true``, and for decimals that
                were chosen to share one hash, which would take a dict hours.
        """
        try:
            kind = self._kinds.setdefault(key, type(key))
        except TypeError as error:
            raise _NoValueError from error
        if kind is not type(key):
            raise _NoValueError
        if kind is PythonDecimal:
            alike = self._alike[hash(key)] = self._alike.get(hash(key), 0) + 1
            if alike > _MOST_ALIKE:
                raise _NoValueError


def _string(token: str) -> SchemaAndValue | None:
    """The content between quotes: a date or time, else text."""
    if token[:1] != '"' or len(token) == 1:
        return None
    content = token[1:-1]
    moment = _parse_moment(content.strip(_BLANKS), content)
    return moment or SchemaAndValue(STRING_SCHEMA, content)


def _number(token: str) -> SchemaAndValue:
    number = _parse_number(token) if token else None
    if number is None:
        raise _NoValueError
    return number


def _all_aligned(schema: Schema, values: list[Any]) -> list[Any]:
    if schema.type in _FLOATS:
        return [_aligned(schema, value) for value in values]
    if None in values:
        raise _NoValueError
    return values


def _aligned(schema: Schema, value: Any) -> Any:
    """The value in the common type; null is refused, because parsed schemas are required."""
    if value is None:
        raise _NoValueError
    if schema.type is Type.FLOAT32 and isinstance(value, int):
        return to_float32(value)
    if schema.type is Type.FLOAT64 and isinstance(value, int):
        return float(value)
    return value
