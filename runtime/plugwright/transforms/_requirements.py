"""The requirements that a transformation can check, with Kafka's messages (``Requirements``)."""

from __future__ import annotations

from typing import Any

from plugwright.errors import DataError
from plugwright.record import ConnectRecord, SinkRecord
from plugwright.schema import Schema, Struct


def require_schema(schema: Schema | None, purpose: str) -> Schema:
    """The schema, which must not be ``None``.

    Raises:
        DataError: if it is ``None``.
    """
    if schema is None:
        raise DataError(f"Schema required for [{purpose}]", code="transform.schema-required")
    return schema


def require_map(value: Any, purpose: str) -> dict[str, Any]:
    """Schemaless data, which must be a map.

    Raises:
        DataError: if it is something else, or nothing.
    """
    if not isinstance(value, dict):
        raise refused(
            f"Only Map objects supported in absence of schema for [{purpose}], "
            f"found: {class_of(value)}"
        )
    return value


def require_map_or_none(value: Any, purpose: str) -> dict[str, Any] | None:
    """Schemaless data, which must be a map or nothing.

    Raises:
        DataError: if it is something else.
    """
    return None if value is None else require_map(value, purpose)


def require_struct(value: Any, purpose: str) -> Struct:
    """Data with a schema, which must be a struct.

    Raises:
        DataError: if it is something else, or nothing.
    """
    if not isinstance(value, Struct):
        raise refused(f"Only Struct objects supported for [{purpose}], found: {class_of(value)}")
    return value


def require_sink_record(record: ConnectRecord, purpose: str) -> SinkRecord:
    """A record that was consumed from Kafka.

    Raises:
        DataError: if it is a source record.
    """
    if not isinstance(record, SinkRecord):
        raise refused(f"Only SinkRecord supported for [{purpose}], found: {class_of(record)}")
    return record


def refused(message: str, field: str | None = None) -> DataError:
    """The error for data that a transformation cannot work on, at a field if one is named."""
    facts = {} if field is None else {"field": field}
    return DataError(message, code="transform.wrong-data", facts=facts)


def class_of(value: object) -> str:
    """The class name of a value for messages; ``null`` for ``None``."""
    return "null" if value is None else type(value).__name__
