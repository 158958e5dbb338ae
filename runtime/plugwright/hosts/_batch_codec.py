"""A codec for a task loop over the batch results of a pipeline."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from plugwright.hosts._outcomes import Misfit
from plugwright.worker import ConversionFailure, ProcessingStage, RecordCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.hosts._pipeline import StagePipeline
    from plugwright.plugins import ClassReference
    from plugwright.record import SinkRecord, SourceRecord
    from plugwright.worker import (
        DeliveryCallback,
        KafkaMessage,
        Outgoing,
        OutgoingRecord,
        SourceRecords,
    )

_KEYS = {
    ProcessingStage.KEY_CONVERTER: "key.converter",
    ProcessingStage.VALUE_CONVERTER: "value.converter",
    ProcessingStage.HEADER_CONVERTER: "header.converter",
}


class BatchCodec:
    """A task's converters, some of them in stage hosts.

    Args:
        pipeline: processes each batch beforehand.
        converters: the classes, by the setting that names them.
    """

    outgoing = staticmethod(RecordCodec.outgoing)
    record = staticmethod(RecordCodec.record)

    def __init__(self, pipeline: StagePipeline, converters: Mapping[str, ClassReference]) -> None:
        self._pipeline = pipeline
        self._converters = converters

    def encode(
        self, record: SourceRecord | SinkRecord, on_delivery: DeliveryCallback
    ) -> OutgoingRecord:
        """Serialize a single record.

        Raises:
            ConnectError: if a converter cannot serialize key, value or a header.
        """
        headers, key, value = (
            self.encode_part(stage, record)
            for stage in (
                ProcessingStage.HEADER_CONVERTER,
                ProcessingStage.KEY_CONVERTER,
                ProcessingStage.VALUE_CONVERTER,
            )
        )
        return self.outgoing(record, headers, key, value, on_delivery)

    def encode_all(
        self, records: SourceRecords, outgoing: Outgoing, on_delivery: DeliveryCallback
    ) -> ConversionFailure | None:
        """Serialize records up to the first failure. Hot path."""
        encoded, append = self._pipeline.encoded, outgoing.append
        for record in records:
            if record is None:
                append(None)
                continue
            outcome = encoded(record)
            if type(outcome) is Misfit:
                return ConversionFailure(record, outcome.stage, outcome.parts, outcome.error)
            append((*outcome, on_delivery))
        return None

    def encode_columns(self, records: object, on_delivery: DeliveryCallback) -> None:
        """Nothing: records are converted one by one."""

    def decoding(
        self,
        messages: Sequence[KafkaMessage],
        runs: object,  # noqa: ARG002  # the results identify their messages
        columns: object,  # noqa: ARG002  # there are none
    ) -> Callable[[list[SinkRecord | None]], ConversionFailure | None]:
        """The decoder for a batch."""
        return partial(self.decode_all, iter(messages))

    def columns(self, messages: Sequence[KafkaMessage]) -> None:
        """Nothing: the pipeline converts records."""

    def decode_all(
        self, messages: Iterator[KafkaMessage], records: list[SinkRecord | None]
    ) -> ConversionFailure | None:
        """Deserialize messages up to the first failure. Hot path."""
        decoded, append = self._pipeline.decoded, records.append
        for message in messages:
            outcome = decoded(message)
            if type(outcome) is Misfit:
                return ConversionFailure(message, outcome.stage, outcome.parts, outcome.error)
            append(outcome)
        return None

    def encode_part(self, stage: ProcessingStage, record: SourceRecord | SinkRecord) -> Any:
        """Apply one converter to a single record."""
        return self._pipeline.encode_part(stage, record)

    def decode_part(self, stage: ProcessingStage, message: KafkaMessage) -> Any:
        """Apply one converter to a single message."""
        return self._pipeline.decode_part(stage, message)

    def converter(self, stage: ProcessingStage) -> object:
        """An object with the name of a stage's converter."""
        reference = self._converters[_KEYS[stage]]
        return SimpleNamespace(__module__=reference.module, __qualname__=reference.qualname)
