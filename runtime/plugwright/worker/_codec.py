"""Between records and bytes: the converters of one task, compiled once.

Hot path: both functions run once per record. Budget: one call per converter, no lookups by name,
nothing built beyond the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.headers import Headers
from plugwright.record import SinkRecord, TimestampType

if TYPE_CHECKING:
    from plugwright.converters import Converter, HeaderConverter
    from plugwright.record import SourceRecord
    from plugwright.worker._seams import DeliveryCallback, KafkaMessage, OutgoingRecord

__all__ = ["RecordCodec"]

_TIMESTAMP_TYPES = (
    TimestampType.NO_TIMESTAMP_TYPE,
    TimestampType.CREATE_TIME,
    TimestampType.LOG_APPEND_TIME,
)


@dataclass(frozen=True, slots=True)
class RecordCodec:
    """The three converters of a task."""

    key: Converter
    value: Converter
    header: HeaderConverter

    def encode(self, record: SourceRecord, on_delivery: DeliveryCallback) -> OutgoingRecord:
        """The record as the producer takes it.

        Raises:
            DataError: if a converter cannot serialize key, value or a header.
        """
        topic = record.topic
        return (
            topic,
            record.kafka_partition,
            self.key.from_connect_data(topic, record.key_schema, record.key),
            self.value.from_connect_data(topic, record.value_schema, record.value),
            self._encode_headers(record) if record.has_headers else None,
            record.timestamp,
            on_delivery,
        )

    def decode(self, message: KafkaMessage) -> SinkRecord:
        """The record that a sink task is given for a consumed message.

        Raises:
            DataError: if a converter cannot read key, value or a header.
        """
        topic = message.topic()
        key_schema, key = self.key.to_connect_data(topic, message.key())
        value_schema, value = self.value.to_connect_data(topic, message.value())
        kind, timestamp = message.timestamp()
        raw = message.headers()
        return SinkRecord(
            topic,
            message.partition(),
            key_schema,
            key,
            value_schema,
            value,
            message.offset(),
            timestamp if kind else None,
            _TIMESTAMP_TYPES[kind],
            self._decode_headers(topic, raw) if raw else None,
        )

    def _encode_headers(self, record: SourceRecord) -> list[tuple[str, bytes | None]]:
        convert = self.header.from_connect_header
        return [
            (header.key, convert(record.topic, header.key, header.schema, header.value))
            for header in record.headers
        ]

    def _decode_headers(self, topic: str, raw: list[tuple[str, bytes | None]]) -> Headers:
        headers = Headers()
        for name, data in raw:
            schema, value = self.header.to_connect_header(topic, name, data)
            headers.add(name, value, schema)
        return headers
