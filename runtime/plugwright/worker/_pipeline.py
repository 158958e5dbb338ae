"""What happens to a batch between a task and Kafka: transformations and converters.

Hot path: a batch takes the fast path, one loop for the transformations and one for the converters.
At the first exception the record concerned, and no other, goes on along the error path, from the
very operation that failed; then the fast path takes over again. No plugin is called twice for
something that it has done already.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from plugwright.origin import is_operators
from plugwright.transforms import TransformationChain
from plugwright.worker._codec import attach_message
from plugwright.worker._error_handler import SKIPPED
from plugwright.worker._processing import Origin, ProcessingStage, class_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from plugwright.record import SinkRecord, SourceRecord
    from plugwright.worker._codec import Codec
    from plugwright.worker._error_handler import ErrorHandler
    from plugwright.worker._processing import Stumble
    from plugwright.worker._runs import MessageRun
    from plugwright.worker._seams import DeliveryCallback, KafkaMessage, OutgoingRecord

    Transform = TransformationChain[Any] | Callable[[Any], Any]
    """A chain, or one function that changes a record or drops it with ``None``."""

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


class _Halt(NamedTuple):
    """A transformation that failed: which step, for what, and how."""

    step: int
    record: Any
    error: BaseException


class Transformations:
    """The compiled transformations of a task, falsy if there are none."""

    def __init__(self, transform: Transform | None, handler: ErrorHandler) -> None:
        self._handler = handler
        self._steps: list[Callable[[Any], Any]] = []
        self._parts: list[list[tuple[str, Callable[[Any], Any]]]] = []
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

    def run(self, records: Iterator[Any], changed: list[Any]) -> _Halt | None:
        """Transform records up to the first that fails. Hot path."""
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
        except BaseException as error:  # plugin code; the error path judges it
            if is_operators(error):
                raise
            number = next(at for at, candidate in enumerate(steps) if candidate is step)
            return _Halt(number, current, error)
        return None

    def go_on(self, halt: _Halt, origin: Origin) -> Any:
        """The transformed record after all, or ``None`` if it is dropped or skipped.

        A fused step is taken apart: its stages do nothing but change the record.
        """
        parts = self._parts[halt.step]
        error: BaseException | None = halt.error if len(parts) == 1 else None
        rest = [part for parts in self._parts[halt.step :] for part in parts]
        record = halt.record
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
    """From polled records to serialized ones."""

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
        """Add what becomes of each record, in order: ``None`` for one that is left out.

        Args:
            records: as ``poll`` returned them.
            outgoing: where to add.
            on_delivery: what each serialized record carries.

        Raises:
            ConnectError: if a record fails and that is not tolerated; ``outgoing`` holds what
                became of the records before it.
            RetryAbandonedError: if the task is to stop; the same.
        """
        if not self._transformations:
            self._encode(records, records, outgoing, on_delivery)
            return
        rest = iter(records)
        while len(outgoing) < len(records):
            begin = len(outgoing)
            changed: list[Any] = []
            halt = self._transformations.run(rest, changed)
            self._encode(records[begin:] if begin else records, changed, outgoing, on_delivery)
            if halt is not None:
                record = records[len(outgoing)]
                saved = self._transformations.go_on(halt, Origin(record=record))
                self._encode([record], [saved], outgoing, on_delivery)

    def _encode(
        self,
        records: Sequence[SourceRecord],
        changed: Sequence[SourceRecord | None],
        outgoing: list[OutgoingRecord | None],
        on_delivery: DeliveryCallback,
    ) -> None:
        codec, begin, rest = self._codec, len(outgoing), iter(changed)
        while (stumble := codec.encode_all(rest, outgoing, on_delivery)) is not None:
            origin = Origin(record=records[len(outgoing) - begin])
            parts = _parts_after(
                stumble, origin, codec.encode_part, _ENCODING, self._executor, self._handler
            )
            if parts is None:
                outgoing.append(None)
            else:
                headers, key, value = parts
                outgoing.append(codec.outgoing(stumble.subject, headers, key, value, on_delivery))


class SinkPipeline:
    """From consumed messages to the records that ``put`` is given.

    Args:
        remembers: whether records are to know how they were consumed, for the errant record
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

    def run(
        self, messages: Sequence[KafkaMessage], runs: Sequence[MessageRun]
    ) -> list[SinkRecord | None]:
        """What becomes of each message, in order: ``None`` for one that is left out.

        Args:
            messages: as they were consumed.
            runs: which of them are from one partition.

        Raises:
            ConnectError: if a message fails and that is not tolerated.
            RetryAbandonedError: if the task is to stop.
        """
        records = self._decoded(messages, runs)
        if self._transformations:
            records = self._transformed(messages, records)
        if self._remembers:
            for message, record in zip(messages, records, strict=True):
                if record is not None:
                    attach_message(record, message)
        return records

    def _decoded(
        self, messages: Sequence[KafkaMessage], runs: Sequence[MessageRun]
    ) -> list[SinkRecord | None]:
        records: list[SinkRecord | None] = []
        decode = self._codec.decoding(messages, runs)
        while (stumble := decode(records)) is not None:
            origin = Origin(message=messages[len(records)])
            convert = self._codec.decode_part
            parts = _parts_after(stumble, origin, convert, _DECODING, self._executor, self._handler)
            records.append(None if parts is None else self._codec.record(stumble.subject, *parts))
        return records

    def _transformed(
        self, messages: Sequence[KafkaMessage], records: list[SinkRecord | None]
    ) -> list[SinkRecord | None]:
        """Each record transformed; places of skipped ones stay empty."""
        places = [place for place, record in enumerate(records) if record is not None]
        rest = (records[place] for place in places) if len(places) < len(records) else iter(records)
        changed: list[SinkRecord | None] = []
        while (halt := self._transformations.run(rest, changed)) is not None:
            origin = Origin(message=messages[places[len(changed)]])
            changed.append(self._transformations.go_on(halt, origin))
        if len(places) == len(records):
            return changed
        filled: list[SinkRecord | None] = [None] * len(records)
        for place, record in zip(places, changed, strict=True):
            filled[place] = record
        return filled


def _executors(codec: Codec) -> Callable[[ProcessingStage], str]:
    """What reports call the converter of each stage; a record that fails may be one of many."""
    return cache(lambda stage: class_name(codec.converter(stage)))


def _parts_after(  # noqa: PLR0913, PLR0917  # private, called twice
    stumble: Stumble,
    origin: Origin,
    convert: Callable[[ProcessingStage, Any], Any],
    order: Sequence[ProcessingStage],
    executor: Callable[[ProcessingStage], str],
    handler: ErrorHandler,
) -> list[Any] | None:
    """All parts of one record after all: the failed converter again if that may help, the rest."""
    parts = list(stumble.parts)
    error: BaseException | None = stumble.error
    for stage in order[len(parts) :]:
        part = handler.run(
            partial(convert, stage, stumble.subject),
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
