"""Headers: the ordered names and values that travel with a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import plugwright.schema as connect
from plugwright.errors import DataError
from plugwright.schema import (
    Date,
    Decimal,
    Schema,
    SchemaAndValue,
    Time,
    Timestamp,
    Type,
    accepts,
    shown,
)

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Iterator
    from decimal import Decimal as PythonDecimal

    from plugwright.schema import Struct

__all__ = ["Header", "Headers"]


class Header(NamedTuple):
    """One header; several of a record may have the same key.

    Attributes:
        key: name of the header.
        value: the value in Connect's data model.
        schema: schema of the value, ``None`` for schemaless data.
    """

    key: str
    value: Any
    schema: Schema | None


class Headers:
    """The headers of a record, in order; a key may occur more than once.

    Methods that change the headers return them, so that calls can be chained. Iteration yields
    ``Header``; headers are true when there are any.

    >>> headers = Headers().add_string("source", "a.txt").add_int("line", 7)
    >>> [header.key for header in headers], headers.last_with_name("line").value
    (['source', 'line'], 7)
    """

    __slots__ = ("_headers",)

    def __init__(self, headers: Iterable[Header] = ()) -> None:
        self._headers = list(headers)

    def add(self, key: str | Header, value: Any = None, schema: Schema | None = None) -> Self:
        """Add a header at the end: a ``Header`` as it is, or a key with a value and its schema.

        A ``SchemaAndValue`` may stand for both. Only the class of the value is checked against the
        schema, as in Kafka; under a logical type the encoded form is accepted as well.

        Raises:
            DataError: if the key is not text, or the value does not go with the schema.
        """
        if isinstance(key, Header):
            _check_key(key.key)
            self._headers.append(key)
            return self
        if isinstance(value, SchemaAndValue):
            schema, value = value
        _check_key(key)
        _check_value(schema, value)
        self._headers.append(Header(key, value, schema))
        return self

    def add_string(self, key: str, value: str | None) -> Self:
        """Add text; ``None`` under the optional schema."""
        return self.add(
            key, value, connect.OPTIONAL_STRING_SCHEMA if value is None else connect.STRING_SCHEMA
        )

    def add_bytes(self, key: str, value: bytes | bytearray | memoryview | None) -> Self:
        """Add bytes; ``None`` under the optional schema."""
        return self.add(
            key, value, connect.OPTIONAL_BYTES_SCHEMA if value is None else connect.BYTES_SCHEMA
        )

    def add_boolean(self, key: str, value: bool) -> Self:
        """Add a truth value."""
        return self.add(key, value, connect.BOOLEAN_SCHEMA)

    def add_byte(self, key: str, value: int) -> Self:
        """Add an integer of 8 bits."""
        return self.add(key, value, connect.INT8_SCHEMA)

    def add_short(self, key: str, value: int) -> Self:
        """Add an integer of 16 bits."""
        return self.add(key, value, connect.INT16_SCHEMA)

    def add_int(self, key: str, value: int) -> Self:
        """Add an integer of 32 bits."""
        return self.add(key, value, connect.INT32_SCHEMA)

    def add_long(self, key: str, value: int) -> Self:
        """Add an integer of 64 bits."""
        return self.add(key, value, connect.INT64_SCHEMA)

    def add_float(self, key: str, value: float) -> Self:
        """Add a floating point number of 32 bits."""
        return self.add(key, value, connect.FLOAT32_SCHEMA)

    def add_double(self, key: str, value: float) -> Self:
        """Add a floating point number of 64 bits."""
        return self.add(key, value, connect.FLOAT64_SCHEMA)

    def add_list(self, key: str, value: list[Any] | None, schema: Schema) -> Self:
        """Add a list; ``None`` goes without schema.

        Raises:
            DataError: if the schema is not an array schema.
        """
        return self._add_container(key, value, schema, Type.ARRAY)

    def add_map(self, key: str, value: dict[Any, Any] | None, schema: Schema) -> Self:
        """Add a map; ``None`` goes without schema.

        Raises:
            DataError: if the schema is not a map schema.
        """
        return self._add_container(key, value, schema, Type.MAP)

    def add_struct(self, key: str, value: Struct | None) -> Self:
        """Add a struct under its own schema; ``None`` goes without schema."""
        return self.add(key, value, None if value is None else value.schema)

    def add_decimal(self, key: str, value: PythonDecimal | None) -> Self:
        """Add a decimal under a schema of its own scale; ``None`` goes without schema.

        Raises:
            DataError: if the decimal is not finite.
        """
        if value is None:
            return self.add(key)
        if not value.is_finite():
            raise DataError(f"The value {value} is not a finite decimal", code="header.wrong-value")
        return self.add(key, value, Decimal.schema(-int(value.as_tuple().exponent)))

    def add_date(self, key: str, value: dt.date | None) -> Self:
        """Add a date; ``None`` goes without schema.

        Raises:
            DataError: if the value has a time of day.
        """
        if value is None:
            return self.add(key)
        Date.from_logical(Date.SCHEMA, value)
        return self.add(key, value, Date.SCHEMA)

    def add_time(self, key: str, value: dt.time | None) -> Self:
        """Add a time of day; ``None`` goes without schema.

        Raises:
            DataError: if the value is a date, or not at UTC.
        """
        if value is None:
            return self.add(key)
        Time.from_logical(Time.SCHEMA, value)
        return self.add(key, value, Time.SCHEMA)

    def add_timestamp(self, key: str, value: dt.datetime | None) -> Self:
        """Add an instant; ``None`` goes without schema.

        Raises:
            DataError: if the value has no time zone.
        """
        if value is None:
            return self.add(key)
        Timestamp.from_logical(Timestamp.SCHEMA, value)
        return self.add(key, value, Timestamp.SCHEMA)

    def _add_container(self, key: str, value: Any, schema: Schema, type_: Type) -> Self:
        if value is None:
            return self.add(key)
        if schema.type is not type_:
            raise DataError(
                f"Expecting {type_} but instead found {schema.type}",
                code="header.wrong-schema",
                facts={"expected": str(type_), "found": str(schema.type)},
            )
        return self.add(key, value, schema)

    def all_with_name(self, key: str) -> tuple[Header, ...]:
        """Every header with that key, in order."""
        return tuple(header for header in self._headers if header.key == key)

    def last_with_name(self, key: str) -> Header | None:
        """The header with that key that was added last, or ``None``.

        Raises:
            DataError: if the key is not text.
        """
        _check_key(key)
        return next((header for header in reversed(self._headers) if header.key == key), None)

    def remove(self, key: str) -> Self:
        """Remove every header with that key.

        Raises:
            DataError: if the key is not text.
        """
        _check_key(key)
        self._headers = [header for header in self._headers if header.key != key]
        return self

    def retain_latest(self, key: str | None = None) -> Self:
        """Of headers with the same key, keep the one added last; of one key, or of each."""
        seen: set[str] = set()
        kept: list[Header] = []
        for header in reversed(self._headers):
            if header.key not in seen or key not in {None, header.key}:
                kept.append(header)
            seen.add(header.key)
        self._headers = kept[::-1]
        return self

    def clear(self) -> Self:
        """Remove all headers."""
        self._headers = []
        return self

    def apply(self, transform: Callable[[Header], Header | None], key: str | None = None) -> Self:
        """Replace headers by what a function makes of them; ``None`` removes one.

        If the function raises, the headers stay as they were.

        Args:
            transform: called once for each header, in order.
            key: only headers with this key; by default all.
        """
        changed: list[Header] = []
        for header in self._headers:
            result = transform(header) if key is None or header.key == key else header
            if result is not None:
                changed.append(result)
        self._headers = changed
        return self

    def duplicate(self) -> Headers:
        """Other headers with the same content; the values are shared."""
        return Headers(self._headers)

    def __len__(self) -> int:
        return len(self._headers)

    def __iter__(self) -> Iterator[Header]:
        return iter(tuple(self._headers))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Headers):
            return NotImplemented
        return self._headers == other._headers

    __hash__ = None  # type: ignore[assignment]  # they change

    def __repr__(self) -> str:
        return f"Headers({self._headers!r})"


def _check_key(key: object) -> None:
    if not isinstance(key, str):
        raise DataError(
            "Header key cannot be null"
            if key is None
            else f"Header key must be text but is of class {type(key).__name__}",
            code="header.invalid-key",
        )


def _check_value(schema: Schema | None, value: Any) -> None:
    if schema is None:
        return
    if value is None:
        if not schema.optional:
            raise DataError(
                f"A null value requires an optional schema but was {schema}",
                code="header.null-value",
            )
        return
    if not schema.accepts(value) and not accepts(schema.type, None)(value):
        raise _mismatch(schema, value)


def _mismatch(schema: Schema, value: object) -> DataError:
    return DataError(
        f"The value {shown(value)} is not compatible with the schema {schema}",
        code="header.wrong-value",
        facts={"class": type(value).__name__, "schema": str(schema)},
    )
