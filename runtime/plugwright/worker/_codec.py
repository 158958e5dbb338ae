"""Converts between records and bytes with the converters of one task, compiled once.

Hot path: runs once per record. Budget: one call per converter, no lookups by name, no
objects besides the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from plugwright.headers import Headers
from plugwright.origin import is_operators
from plugwright.record import SinkRecord
from plugwright.worker._columns import (
    TIMESTAMP_TYPES,
    decode_columns,
    read_columns,
    unbuilt,
    write_columns,
)
from plugwright.worker._processing import ConversionFailure, ProcessingStage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from plugwright.converters import Converter, HeaderConverter
    from plugwright.record import SourceRecord
    from plugwright.worker._columns import ConvertedColumns
    from plugwright.worker._host_protocols import (
        DeliveryCallback,
        KafkaMessage,
        Outgoing,
        OutgoingRecord,
        SourceRecords,
    )
    from plugwright.worker._unbuilt_records import UnbuiltRecords
    from plugwright.worker.runs import MessageRun

    Decode = Callable[[list[SinkRecord | None]], ConversionFailure | None]
    """Decodes records up to the first failure; called again, it continues after that one."""

_KEY = ProcessingStage.KEY_CONVERTER
_VALUE = ProcessingStage.VALUE_CONVERTER
_HEADER = ProcessingStage.HEADER_CONVERTER


class Codec(Protocol):
    """The conversion interface of a task loop, wherever the converters run."""

    def encode(
        self, record: SourceRecord | SinkRecord, on_delivery: DeliveryCallback
    ) -> OutgoingRecord:
        """Serialize one record."""

    def encode_all(
        self, records: SourceRecords, outgoing: Outgoing, on_delivery: DeliveryCallback
    ) -> ConversionFailure | None:
        """Serialize records up to the first failure."""

    def encode_columns(
        self, records: UnbuiltRecords, on_delivery: DeliveryCallback
    ) -> Sequence[OutgoingRecord] | None:
        """Serialize columns; ``None`` if their records have to be serialized one by one."""

    def columns(self, messages: Sequence[KafkaMessage]) -> ConvertedColumns | None:
        """The keys and values of a batch, if they are converted by column."""

    def decoding(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        columns: ConvertedColumns | None,
    ) -> Decode:
        """The decoder for a batch, with its columns and runs of messages from one partition."""

    def encode_part(self, stage: ProcessingStage, record: SourceRecord | SinkRecord) -> Any:
        """Apply one converter to a record."""

    def decode_part(self, stage: ProcessingStage, message: KafkaMessage) -> Any:
        """Apply one converter to a message."""

    def outgoing(
        self,
        record: SourceRecord | SinkRecord,
        headers: Any,
        key: Any,
        value: Any,
        on_delivery: DeliveryCallback,
    ) -> OutgoingRecord:
        """Build a serialized record from its converted parts."""

    def record(self, message: KafkaMessage, key: Any, value: Any, headers: Any) -> SinkRecord:
        """Build a sink record from its converted parts."""

    def converter(self, stage: ProcessingStage) -> object:
        """The converter of a stage, or an object with its name."""


@dataclass(frozen=True, slots=True)
class RecordCodec:
    """The three converters of a task."""

    key: Converter
    value: Converter
    header: HeaderConverter

    def encode(
        self, record: SourceRecord | SinkRecord, on_delivery: DeliveryCallback
    ) -> OutgoingRecord:
        """Serialize a record.

        Raises:
            DataError: if a converter cannot serialize key, value or a header.
        """
        headers, key, value = (self.encode_part(stage, record) for stage in (_HEADER, _KEY, _VALUE))
        return self.outgoing(record, headers, key, value, on_delivery)

    def decode(self, message: KafkaMessage) -> SinkRecord:
        """Deserialize a consumed message into a sink record.

        Raises:
            DataError: if a converter cannot read key, value or a header.
        """
        key, value, headers = (
            self.decode_part(stage, message) for stage in (_KEY, _VALUE, _HEADER)
        )
        return self.record(message, key, value, headers)

    def encode_all(
        self, records: SourceRecords, outgoing: Outgoing, on_delivery: DeliveryCallback
    ) -> ConversionFailure | None:
        """Serialize records up to the first failure; ``None`` marks a dropped record.

        Headers come first, then the key, then the value, as in Kafka Connect. Hot path.
        """
        encode_key, encode_value = self.key.from_connect_data, self.value.from_connect_data
        append = outgoing.append
        record, stage, headers, key = None, _HEADER, None, None
        try:
            for record in records:
                if record is None:
                    append(None)
                    continue
                topic = record.topic
                headers = None
                if record._headers:  # noqa: SLF001  # has_headers without a call
                    stage = _HEADER
                    headers = self._encode_headers(record)
                stage = _KEY
                key = encode_key(topic, record.key_schema, record.key)
                stage = _VALUE
                value = encode_value(topic, record.value_schema, record.value)
                partition, time = record.kafka_partition, record.timestamp
                append((topic, partition, key, value, headers, time, on_delivery))
        except BaseException as error:  # plugin code; handled on the error path
            if is_operators(error):
                raise
            return ConversionFailure(record, stage, (headers, key)[: _ENCODED_BEFORE[stage]], error)
        return None

    def encode_columns(
        self, records: UnbuiltRecords, on_delivery: DeliveryCallback
    ) -> Sequence[OutgoingRecord] | None:
        """Serialize columns, if the converters support it and all values are valid. Hot path."""
        return write_columns(self.key, self.value, records, on_delivery)

    def columns(self, messages: Sequence[KafkaMessage]) -> ConvertedColumns | None:
        """The keys and values of a batch, if the converters support it and all are valid."""
        return read_columns(self.key, self.value, messages)

    def decoding(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        columns: ConvertedColumns | None,
    ) -> Decode:
        """The decoder for a batch: by columns if there are any."""
        if columns is None:
            return partial(self.decode_all, iter(messages))
        return partial(decode_columns, unbuilt(columns, messages, runs), self._decode_headers)

    def decode_all(
        self, messages: Iterator[KafkaMessage], records: list[SinkRecord | None]
    ) -> ConversionFailure | None:
        """Deserialize messages up to the first failure. Hot path."""
        decode_key, decode_value = self.key.to_connect_data, self.value.to_connect_data
        append = records.append
        message, stage, key, value = None, _KEY, None, None
        try:
            for message in messages:
                topic = message.topic()
                stage = _KEY
                key = decode_key(topic, message.key())
                stage = _VALUE
                value = decode_value(topic, message.value())
                raw = message.headers()
                headers = None
                if raw:
                    stage = _HEADER
                    headers = self._decode_headers(topic, raw)
                kind, timestamp = message.timestamp()
                append(
                    SinkRecord(
                        topic,
                        message.partition(),
                        key[0],
                        key[1],
                        value[0],
                        value[1],
                        message.offset(),
                        timestamp if kind else None,
                        TIMESTAMP_TYPES[kind],
                        headers,
                    )
                )
        except BaseException as error:  # plugin code; handled on the error path
            if is_operators(error):
                raise
            return ConversionFailure(message, stage, (key, value)[: _DECODED_BEFORE[stage]], error)
        return None

    def encode_part(self, stage: ProcessingStage, record: SourceRecord | SinkRecord) -> Any:
        """Apply one converter to a record."""
        if stage is _HEADER:
            return self._encode_headers(record) if record.has_headers else None
        if stage is _KEY:
            return self.key.from_connect_data(record.topic, record.key_schema, record.key)
        return self.value.from_connect_data(record.topic, record.value_schema, record.value)

    def decode_part(self, stage: ProcessingStage, message: KafkaMessage) -> Any:
        """Apply one converter to a message."""
        if stage is _KEY:
            return self.key.to_connect_data(message.topic(), message.key())
        if stage is _VALUE:
            return self.value.to_connect_data(message.topic(), message.value())
        raw = message.headers()
        return self._decode_headers(message.topic(), raw) if raw else None

    @staticmethod
    def outgoing(
        record: SourceRecord | SinkRecord,
        headers: Any,
        key: Any,
        value: Any,
        on_delivery: DeliveryCallback,
    ) -> OutgoingRecord:
        """Build a serialized record from its converted parts."""
        partition, time = record.kafka_partition, record.timestamp
        return (record.topic, partition, key, value, headers, time, on_delivery)

    @staticmethod
    def record(message: KafkaMessage, key: Any, value: Any, headers: Any) -> SinkRecord:
        """Build a sink record from its converted parts."""
        kind, timestamp = message.timestamp()
        (key_schema, key_data), (value_schema, value_data) = key, value
        return SinkRecord(
            message.topic(),
            message.partition(),
            key_schema,
            key_data,
            value_schema,
            value_data,
            message.offset(),
            timestamp if kind else None,
            TIMESTAMP_TYPES[kind],
            headers,
        )

    def converter(self, stage: ProcessingStage) -> object:
        """The converter of a stage."""
        return {_KEY: self.key, _VALUE: self.value, _HEADER: self.header}[stage]

    def _encode_headers(self, record: SourceRecord | SinkRecord) -> list[tuple[str, bytes | None]]:
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


_ENCODED_BEFORE = {_HEADER: 0, _KEY: 1, _VALUE: 2}
_DECODED_BEFORE = {_KEY: 0, _VALUE: 1, _HEADER: 2}


def attach_messages(records: Sequence[SinkRecord | None], messages: Sequence[KafkaMessage]) -> None:
    """Attach the consumed message to each record, in case its task reports it (KIP-610)."""
    for record, message in zip(records, messages, strict=True):
        if record is not None:
            record._consumed = message  # noqa: SLF001  # the slot is kept for this function


def consumed_message(record: SinkRecord) -> KafkaMessage | None:
    """The message that a record was made from, if known."""
    message: KafkaMessage | None = getattr(record, "_consumed", None)
    return message
