"""Applies transformations and converters to batches, between a task and Kafka.

Hot path: a batch takes the fast path, one loop for the transformations and one for the converters.
After an exception, only the record concerned continues on the error path, from the operation
that failed; then the fast path resumes. No plugin is called twice for an operation that has
succeeded.
"""

from __future__ import annotations

from functools import cache, partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from plugwright.origin import is_operators
from plugwright.transforms import TransformationChain
from plugwright.worker._codec import attach_messages
from plugwright.worker._consumed_columns import ConsumedBatch
from plugwright.worker._processing import Origin, ProcessingStage, class_name
from plugwright.worker._unbuilt_records import UnbuiltRecords
from plugwright.worker.error_handler import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SinkRecord, SourceRecord
    from plugwright.worker._codec import Codec
    from plugwright.worker._columns import ConvertedColumns
    from plugwright.worker._host_protocols import DeliveryCallback, KafkaMessage, OutgoingRecord
    from plugwright.worker._processing import ConversionFailure
    from plugwright.worker.batch import SinkBatch
    from plugwright.worker.error_handler import ErrorHandler
    from plugwright.worker.runs import MessageRun

    Transform = TransformationChain[Any] | Callable[[Any], Any]
    """A chain, or a function that changes a record or drops it by returning ``None``."""

_ENCODING: Final = (
    ProcessingStage.HEADER_CONVERTER,
    ProcessingStage.KEY_CONVERTER,
    ProcessingStage.VALUE_CONVERTER,
)
_DECODING: Final = (
    ProcessingStage.KEY_CONVERTER,
    ProcessingStage.VALUE_CONVERTER,
    ProcessingStage.HEADER_CONVERTER,
)


_headers = methodcaller("headers")


class _TransformFailure(NamedTuple):
    """A transformation failure: the step, the record, and the error."""

    step: int
    record: Any
    error: BaseException


class Transformations:
    """The compiled transformations of a task; falsy if there are none."""

    def __init__(self, transform: Transform | None, handler: ErrorHandler) -> None:
        self._handler = handler
        self._steps: list[Callable[[Any], Any]] = []
        self._parts: list[list[tuple[str, Callable[[Any], Any]]]] = []
        self._columns = transform.columns if isinstance(transform, TransformationChain) else None
        if isinstance(transform, TransformationChain):
            for step in transform.steps:
                named = [(class_name(stage.transformation), stage.apply) for stage in step.stages]
                self._steps.append(step.apply)
                self._parts.append(named)
        elif transform is not None:
            self._steps.append(transform)
            self._parts.append([(class_name(transform), transform)])

    def __bool__(self) -> bool:
        return bool(self._steps)

    def run(self, records: Iterator[Any], changed: list[Any]) -> _TransformFailure | None:
        """Transform records up to the first failure. Hot path."""
        steps, append = self._steps, changed.append
        step: Callable[[Any], Any] | None = None
        current: Any = None
        try:
            for record in records:
                current = record
                for step in steps:
                    current = step(current)
                    if current is None:
                        break
                append(current)
        except BaseException as error:  # plugin code; handled on the error path
            if is_operators(error):
                raise
            number = next(at for at, candidate in enumerate(steps) if candidate is step)
            return _TransformFailure(number, current, error)
        return None

    def columns(self, records: UnbuiltRecords) -> UnbuiltRecords | None:
        """Transform columns; ``None`` if their records have to be transformed one by one."""
        if not self._steps:
            return records
        if self._columns is None:
            return None
        changed = self._columns.apply(records.separate())
        return None if changed is None else UnbuiltRecords(changed, range(len(changed)))

    def go_on(self, failure: _TransformFailure, origin: Origin) -> Any:
        """Finish transforming a failed record; ``None`` if it is dropped or skipped.

        A fused step is taken apart: its stages only change the record.
        """
        parts = self._parts[failure.step]
        error: BaseException | None = failure.error if len(parts) == 1 else None
        rest = [part for parts in self._parts[failure.step :] for part in parts]
        record = failure.record
        for name, apply in rest:
            operation = partial(apply, record)
            record = self._handler.run(
                operation, origin, ProcessingStage.TRANSFORMATION, name, failed_with=error
            )
            if record is None or record is SKIPPED:
                return None
            error = None
        return record


class SourcePipeline:
    """Turns polled records into serialized ones."""

    def __init__(self, codec: Codec, transform: Transform | None, handler: ErrorHandler) -> None:
        self._codec = codec
        self._executor = _executors(codec)
        self._handler = handler
        self._transformations = Transformations(transform, handler)

    def run(
        self,
        records: Sequence[SourceRecord],
        outgoing: list[OutgoingRecord | None],
        on_delivery: DeliveryCallback,
    ) -> None:
        """Append the result of each record, in order: ``None`` for a dropped or skipped one.

        Args:
            records: as returned by ``poll``.
            outgoing: receives the results.
            on_delivery: the callback of each serialized record.

        Raises:
            ConnectError: if a record fails and errors are not tolerated; ``outgoing`` holds the
                results of the records before it.
            RetryAbandonedError: if the task should stop; the same.
        """
        encoded = self._encoded_columns(records, on_delivery)
        if encoded is not None:
            outgoing += encoded
            return
        if not self._transformations:
            self._encode(records, records, outgoing, on_delivery)
            return
        rest = iter(records)
        while len(outgoing) < len(records):
            begin = len(outgoing)
            changed: list[Any] = []
            failure = self._transformations.run(rest, changed)
            self._encode(records[begin:] if begin else records, changed, outgoing, on_delivery)
            if failure is not None:
                record = records[len(outgoing)]
                saved = self._transformations.go_on(failure, Origin(record=record))
                self._encode([record], [saved], outgoing, on_delivery)

    def _encoded_columns(
        self, records: Sequence[SourceRecord], on_delivery: DeliveryCallback
    ) -> Sequence[OutgoingRecord] | None:
        """The results of columns; ``None`` if records have to be converted one by one."""
        if not isinstance(records, UnbuiltRecords):
            return None
        changed = self._transformations.columns(records)
        return None if changed is None else self._codec.encode_columns(changed, on_delivery)

    def _encode(
        self,
        records: Sequence[SourceRecord],
        changed: Sequence[SourceRecord | None],
        outgoing: list[OutgoingRecord | None],
        on_delivery: DeliveryCallback,
    ) -> None:
        codec, begin, rest = self._codec, len(outgoing), iter(changed)
        while (failure := codec.encode_all(rest, outgoing, on_delivery)) is not None:
            origin = Origin(record=records[len(outgoing) - begin])
            parts = _parts_after(
                failure, origin, codec.encode_part, _ENCODING, self._executor, self._handler
            )
            if parts is None:
                outgoing.append(None)
            else:
                headers, key, value = parts
                outgoing.append(codec.outgoing(failure.subject, headers, key, value, on_delivery))


class SinkPipeline:
    """Turns consumed messages into the records for ``put``.

    Args:
        remembers: whether records keep their consumed message, for the errant record
            reporter.
    """

    def __init__(
        self,
        codec: Codec,
        transform: Transform | None,
        handler: ErrorHandler,
        *,
        remembers: bool = False,
    ) -> None:
        self._codec = codec
        self._executor = _executors(codec)
        self._handler = handler
        self._transformations = Transformations(transform, handler)
        self._remembers = remembers

    def fill(
        self,
        batch: SinkBatch,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        *,
        by_column: bool,
    ) -> None:
        """Add consumed messages to a batch, as columns if they need not be records.

        They need if there are transformations or headers, or if keys and values are not converted
        by column: then the rules for errors apply to each record.

        Raises:
            ConnectError: if a message fails and errors are not tolerated.
            RetryAbandonedError: if the task should stop.
        """
        columns = self._codec.columns(messages)
        plain = by_column and not self._transformations and not any(map(_headers, messages))
        if columns is not None and plain:
            batch.take_columns(ConsumedBatch(messages, runs, columns, self._remembers))
        else:
            batch.take(messages, runs, self._records(messages, runs, columns))

    def _records(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        columns: ConvertedColumns | None,
    ) -> list[SinkRecord | None]:
        """The record for each message, in order: ``None`` for a dropped or skipped one."""
        records = self._decoded(messages, runs, columns)
        if self._transformations:
            records = self._transformed(messages, records)
        if self._remembers:
            attach_messages(records, messages)
        return records

    def _decoded(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],
        columns: ConvertedColumns | None,
    ) -> list[SinkRecord | None]:
        records: list[SinkRecord | None] = []
        decode = self._codec.decoding(messages, runs, columns)
        while (failure := decode(records)) is not None:
            origin = Origin(message=messages[len(records)])
            convert = self._codec.decode_part
            parts = _parts_after(failure, origin, convert, _DECODING, self._executor, self._handler)
            records.append(None if parts is None else self._codec.record(failure.subject, *parts))
        return records

    def _transformed(
        self, messages: Sequence[KafkaMessage], records: list[SinkRecord | None]
    ) -> list[SinkRecord | None]:
        """Transform each record; the places of skipped ones stay empty."""
        places = [place for place, record in enumerate(records) if record is not None]
        rest = (records[place] for place in places) if len(places) < len(records) else iter(records)
        changed: list[SinkRecord | None] = []
        while (failure := self._transformations.run(rest, changed)) is not None:
            origin = Origin(message=messages[places[len(changed)]])
            changed.append(self._transformations.go_on(failure, origin))
        if len(places) == len(records):
            return changed
        filled: list[SinkRecord | None] = [None] * len(records)
        for place, record in zip(places, changed, strict=True):
            filled[place] = record
        return filled


def _executors(codec: Codec) -> Callable[[ProcessingStage], str]:
    """The names of converters in reports; cached, because many records may fail alike."""
    return cache(lambda stage: class_name(codec.converter(stage)))


def _parts_after(  # noqa: PLR0913, PLR0917  # private, called twice
    failure: ConversionFailure,
    origin: Origin,
    convert: Callable[[ProcessingStage, Any], Any],
    order: Sequence[ProcessingStage],
    executor: Callable[[ProcessingStage], str],
    handler: ErrorHandler,
) -> list[Any] | None:
    """Finish converting the parts of a failed record: the failed converter again, then the rest."""
    parts = list(failure.parts)
    error: BaseException | None = failure.error
    for stage in order[len(parts) :]:
        part = handler.run(
            partial(convert, stage, failure.subject),
            origin,
            stage,
            executor(stage),
            failed_with=error,
        )
        if part is SKIPPED:
            return None
        parts.append(part)
        error = None
    return parts
