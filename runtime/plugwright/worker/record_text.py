"""Formats a source record for the log like Kafka Connect's ``SourceRecord.toString``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters import StringConverter
from plugwright.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.headers import Header
    from plugwright.record import SourceRecord
    from plugwright.schema import Schema

__all__ = ["java_form", "record_text"]


def record_text(record: SourceRecord) -> str:
    """Format a record with its origin; ``null``, ``true`` and maps as Java prints them."""
    fields = {
        "topic": f"'{java_form(record.topic)}'",
        "kafkaPartition": java_form(record.kafka_partition),
        "key": java_form(record.key, record.key_schema),
        "keySchema": _schema(record.key_schema),
        "value": java_form(record.value, record.value_schema),
        "valueSchema": _schema(record.value_schema),
        "timestamp": java_form(record.timestamp),
        "headers": f"ConnectHeaders(headers={_headers(record.headers)})",
    }
    shown = ", ".join(f"{name}={text}" for name, text in fields.items())
    return (
        f"SourceRecord{{sourcePartition={java_form(record.source_partition)}, "
        f"sourceOffset={java_form(record.source_offset)}}} ConnectRecord{{{shown}}}"
    )


def java_form(value: Any, schema: Schema | None = None) -> str:
    """Format a value like Java's ``toString``, or like Python if it is not Connect data."""
    if value is None:
        return "null"
    try:
        encoded = StringConverter().from_connect_data("", schema, value)
    except DataError:
        return repr(value)
    return (encoded or b"").decode()


def _schema(schema: Schema | None) -> str:
    return "null" if schema is None else str(schema)


def _headers(headers: Iterable[Header]) -> str:
    shown = [
        f"ConnectHeader(key={each.key}, value={java_form(each.value, each.schema)}, "
        f"schema={_schema(each.schema)})"
        for each in headers
    ]
    return f"[{', '.join(shown)}]" if shown else ""
