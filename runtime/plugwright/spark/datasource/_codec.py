"""A codec that passes records unchanged, because a query needs no bytes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SinkRecord, SourceRecord
    from plugwright.worker import (
        ConversionFailure,
        DeliveryCallback,
        KafkaMessage,
        MessageRun,
        Outgoing,
        OutgoingRecord,
        ProcessingStage,
        SourceRecords,
    )


class RowMessage:
    """A sink record with the accessors of a Kafka message, for the loops.

    Attributes:
        made: the record.
    """

    __slots__ = ("made",)

    def __init__(self, made: SinkRecord) -> None:
        self.made = made

    def topic(self) -> str:
        """Topic of the record."""
        return self.made.topic

    def partition(self) -> int:
        """Partition of the record."""
        return self.made.kafka_partition

    def offset(self) -> int:
        """Offset of the record."""
        return self.made.kafka_offset

    def key(self) -> bytes | None:
        """Return nothing: the record has it."""
        return None

    def value(self) -> bytes | None:
        """Return nothing: the record has it."""
        return None

    def timestamp(self) -> tuple[int, int]:
        """The record's timestamp in milliseconds, if it has one."""
        timestamp = self.made.timestamp
        return (0, -1) if timestamp is None else (1, timestamp)

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        """Return nothing: the record has them."""
        return None


class RowsCodec:
    """The codec of a query, which passes the record itself; see `record_of`."""

    def encode(
        self, record: SourceRecord | SinkRecord, on_delivery: DeliveryCallback
    ) -> OutgoingRecord:
        """Wrap one record."""
        return self.outgoing(record, None, None, record, on_delivery)

    def encode_all(
        self, records: SourceRecords, outgoing: Outgoing, on_delivery: DeliveryCallback
    ) -> ConversionFailure | None:
        """Wrap records; none fails here. Hot path."""
        outgoing += [None if each is None else self.encode(each, on_delivery) for each in records]
        return None

    def encode_columns(self, records: object, on_delivery: DeliveryCallback) -> None:
        """Nothing: records are converted one by one."""

    def decoding(
        self,
        messages: Sequence[Any],
        runs: Sequence[MessageRun],  # noqa: ARG002  # of use to converters only
        columns: object,  # noqa: ARG002  # there are none
    ) -> Callable[[list[SinkRecord | None]], ConversionFailure | None]:
        """The function that unwraps the records of a batch."""
        return partial(_unpack, iter(messages))

    def columns(self, messages: Sequence[Any]) -> None:
        """Nothing: a query has records."""

    def encode_part(self, stage: ProcessingStage, record: SourceRecord | SinkRecord) -> Any:  # noqa: ARG002  # there are no parts
        """The whole record."""
        return record

    def decode_part(self, stage: ProcessingStage, message: KafkaMessage) -> Any:  # noqa: ARG002  # there are no parts
        """The whole message."""
        return message

    def outgoing(
        self,
        record: SourceRecord | SinkRecord,
        headers: Any,  # noqa: ARG002  # there are no parts
        key: Any,  # noqa: ARG002  # there are no parts
        value: Any,
        on_delivery: DeliveryCallback,
    ) -> OutgoingRecord:
        """Wrap a record."""
        return (record.topic, record.kafka_partition, None, value, None, None, on_delivery)

    def record(self, message: Any, key: Any, value: Any, headers: Any) -> SinkRecord:  # noqa: ARG002  # there are no parts
        """The record in a message."""
        made: SinkRecord = message.made
        return made

    def converter(self, stage: ProcessingStage) -> object:  # noqa: ARG002  # one for all
        """Itself."""
        return self


def record_of(outgoing: OutgoingRecord) -> SourceRecord:
    """The record that `RowsCodec` has wrapped."""
    made: Any = outgoing[3]
    return made  # type: ignore[no-any-return]


def _unpack(messages: Iterator[RowMessage], records: list[SinkRecord | None]) -> None:
    records += [message.made for message in messages]
