"""Records in the notation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.data import read_data, write_data

from plugwright.headers import Headers
from plugwright.record import SinkRecord, SourceRecord, TimestampType
from plugwright.schema import SchemaAndValue

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.record import ConnectRecord

__all__ = ["read_record", "write_record"]


def read_record(node: Mapping[str, Any]) -> ConnectRecord:
    """The record of a case, or of the result of one."""
    key = read_data(node.get("key")) or SchemaAndValue(None, None)
    value = read_data(node.get("value")) or SchemaAndValue(None, None)
    headers = Headers()
    for name, content in node.get("headers", ()):
        headers.add(name, read_data(content))
    if node.get("kind", "source") == "source":
        return SourceRecord(
            {"from": "here"},
            {"at": 1},
            node.get("topic"),  # type: ignore[arg-type]  # as hostile as Java lets it be
            value.value,
            value.schema,
            key=key.value,
            key_schema=key.schema,
            kafka_partition=node.get("partition"),
            timestamp=node.get("timestamp"),
            headers=headers,
        )
    return _read_sink_record(node, key, value, headers)


def _read_sink_record(
    node: Mapping[str, Any], key: SchemaAndValue, value: SchemaAndValue, headers: Headers
) -> SinkRecord:
    timestamp = node.get("timestamp")
    kind = TimestampType.NO_TIMESTAMP_TYPE if timestamp is None else TimestampType.CREATE_TIME
    record = SinkRecord(
        node.get("original_topic", node.get("topic")),
        node.get("partition", 0),
        *key,
        *value,
        node.get("offset", 0),
        timestamp,
        kind,
        headers,
    )
    return record.new_record(topic=node.get("topic"))


def write_record(record: ConnectRecord | None) -> dict[str, Any] | None:
    """A record in the notation; ``None`` if it was dropped."""
    if record is None:
        return None
    is_sink = isinstance(record, SinkRecord)
    node: dict[str, Any] = {"kind": "sink" if is_sink else "source", "topic": record.topic}
    if record.kafka_partition is not None:
        node["partition"] = record.kafka_partition
    for part in ("key", "value"):
        schema, value = getattr(record, f"{part}_schema"), getattr(record, part)
        if schema is not None or value is not None:
            node[part] = write_data(schema, value)
    if record.timestamp is not None:
        node["timestamp"] = record.timestamp
    if record.has_headers:
        node["headers"] = [[h.key, write_data(h.schema, h.value)] for h in record.headers]
    if isinstance(record, SinkRecord):
        node["offset"] = record.kafka_offset
        if record.original_topic != record.topic:
            node["original_topic"] = record.original_topic
    return node
