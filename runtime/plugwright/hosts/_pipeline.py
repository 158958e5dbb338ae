"""Runs the plugins around a task in several processes, one whole batch at a time.

The task loops keep their order and error handling: they call `transform` and `encode` or
`decode` for each record, and before that `prepare` for a whole batch. The calls then return the
prepared results; a record that a loop retries is processed individually.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from plugwright.config import ConfigType, parse_type
from plugwright.headers import Headers
from plugwright.hosts._batch_codec import BatchCodec
from plugwright.hosts._chain_plan import Segment, chain_of, class_at, segments
from plugwright.hosts._outcomes import (
    Failed,
    Misfit,
    attempted,
    local_converter,
    remote_converter,
    remote_test,
    remote_transform,
)
from plugwright.hosts._stage_host import StageHost
from plugwright.hosts.stage import CONVERTERS, make_converter
from plugwright.transforms import TransformationChain
from plugwright.worker import ProcessingStage, RecordCodec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.hosts.stage import StageSetup
    from plugwright.record import SinkRecord, SourceRecord
    from plugwright.transforms import TransformationStage
    from plugwright.worker import Codec, KafkaMessage

_ENCODING = (
    ProcessingStage.HEADER_CONVERTER,
    ProcessingStage.KEY_CONVERTER,
    ProcessingStage.VALUE_CONVERTER,
)
_DECODING = (
    ProcessingStage.KEY_CONVERTER,
    ProcessingStage.VALUE_CONVERTER,
    ProcessingStage.HEADER_CONVERTER,
)
_NOTHING = object()


class _Prepared:
    """The results for the items of a batch, taken in order."""

    def __init__(self, items: Sequence[Any], outcomes: Sequence[Any]) -> None:
        self._items = items
        self._outcomes = outcomes
        self._next = 0

    def take(self, item: Any) -> Any:
        """The result of an item, once; `_NOTHING` if there is none. Hot path."""
        items, position = self._items, self._next
        while position < len(items):
            if items[position] is item:
                self._next = position + 1
                return self._outcomes[position]
            position += 1
        return _NOTHING


class StagePipeline:
    """The chain and the converters of one task, some of them in stage hosts.

    Attributes:
        codec: replaces a `RecordCodec` in a task loop, as `transform` replaces a
            chain.
    """

    def __init__(self, setup: StageSetup) -> None:
        with ExitStack() as stack:
            hosts: dict[int, StageHost] = {}
            for process in setup.processes():
                hosts[process] = StageHost(setup, process)
                stack.callback(hosts[process].close)
            for host in hosts.values():  # after all of them were started
                host.open()
            self._steps = _steps(setup, hosts, stack)
            own = {
                key: make_converter(key, reference)
                for key, reference in setup.converters.items()
                if not reference.process
            }
            self._key, self._value, self._header = (
                local_converter(own[key])
                if key in own
                else remote_converter(key, setup.converters[key], hosts)
                for key in CONVERTERS
            )
            # Converters that all run in this process need no batches.
            self._codec = _codec(own) if len(own) == len(CONVERTERS) else None
            self.codec: Codec = self._codec or BatchCodec(self, setup.converters)
            self._stack = stack.pop_all()
        self._hosts = hosts
        self._transformed = _Prepared((), ())
        self._converted = _Prepared((), ())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """The ids of the stage hosts' processes."""
        return tuple(host.pid for host in self._hosts.values())

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants in those processes."""
        for host in self._hosts.values():
            host.set_level(namespace, level)

    @property
    def has_chain(self) -> bool:
        """Whether there are transformations."""
        return bool(self._steps)

    def prepare_source(self, records: Sequence[SourceRecord]) -> None:
        """Transform and convert a polled batch.

        Raises:
            PluginError: if a stage host has ended.
        """
        outcomes = self._transform_all(records) if self._steps else list(records)
        self._transformed = _Prepared(records, outcomes)
        if self._codec is None:
            kept = [o for o in outcomes if o is not None and type(o) is not Failed]
            self._converted = _Prepared(kept, self._encode_all(kept))

    def prepare_sink(self, messages: Sequence[KafkaMessage]) -> None:
        """Convert and transform a consumed batch.

        Raises:
            PluginError: if a stage host has ended.
        """
        outcomes = self._decode_all(messages)
        self._converted = _Prepared(messages, outcomes)
        kept = [o for o in outcomes if type(o) is not Misfit]
        self._transformed = _Prepared(kept, self._transform_all(kept) if self._steps else kept)

    def transform(self, record: Any) -> Any:
        """The transformed record, or ``None`` if a stage dropped it. Hot path."""
        outcome = self._transformed.take(record)
        return _result(self._transform_all([record])[0] if outcome is _NOTHING else outcome)

    def encoded(self, record: SourceRecord) -> Any:
        """The result of `RecordCodec.encode` without the callback, or a `Misfit`. Hot path."""
        outcome = self._converted.take(record)
        return self._encode_all([record])[0] if outcome is _NOTHING else outcome

    def decoded(self, message: KafkaMessage) -> Any:
        """The record of a consumed message, or a `Misfit`. Hot path."""
        outcome = self._converted.take(message)
        return self._decode_all([message])[0] if outcome is _NOTHING else outcome

    def encode_part(self, stage: ProcessingStage, record: SourceRecord | SinkRecord) -> Any:
        """Apply one converter to a single record."""
        if stage is ProcessingStage.HEADER_CONVERTER:
            return _result(self._encode_headers([record])[0])
        if stage is ProcessingStage.KEY_CONVERTER:
            convert, schema, data = self._key, record.key_schema, record.key
        else:
            convert, schema, data = self._value, record.value_schema, record.value
        return _result(convert("from_connect_data", ([record.topic], [schema], [data]))[0])

    def decode_part(self, stage: ProcessingStage, message: KafkaMessage) -> Any:
        """Apply one converter to a single message."""
        if stage is ProcessingStage.HEADER_CONVERTER:
            headers = _result(self._decode_headers([message])[0])
            return _headers(headers) if headers else None
        key = stage is ProcessingStage.KEY_CONVERTER
        convert, data = (self._key, message.key()) if key else (self._value, message.value())
        return _result(convert("to_connect_data", ([message.topic()], [data]))[0])

    def _transform_all(self, records: Sequence[Any]) -> list[Any]:
        outcomes = self._steps[0](records)
        for step in self._steps[1:]:
            places = [i for i, o in enumerate(outcomes) if o is not None and type(o) is not Failed]
            for place, outcome in zip(places, step([outcomes[i] for i in places]), strict=True):
                outcomes[place] = outcome
        return outcomes

    def _encode_all(self, records: Sequence[SourceRecord]) -> list[Any]:
        topics = [record.topic for record in records]
        keys = self._key(
            "from_connect_data",
            (topics, [record.key_schema for record in records], [record.key for record in records]),
        )
        values = self._value(
            "from_connect_data",
            (
                topics,
                [record.value_schema for record in records],
                [record.value for record in records],
            ),
        )
        headers = self._encode_headers(records)
        return [
            (record.topic, record.kafka_partition, key, value, own, record.timestamp)
            if type(key) is not Failed and type(value) is not Failed and type(own) is not Failed
            else _misfit(_ENCODING, (own, key, value))
            for record, key, value, own in zip(records, keys, values, headers, strict=True)
        ]

    def _encode_headers(self, records: Sequence[SourceRecord | SinkRecord]) -> list[Any]:
        if not any(record.has_headers for record in records):
            return [None] * len(records)
        owners = [record for record in records if record.has_headers]
        columns = list(
            zip(
                *(
                    (record.topic, header.key, header.schema, header.value)
                    for record in owners
                    for header in record.headers
                ),
                strict=True,
            )
        )
        done = iter(self._header("from_connect_header", columns))
        return [
            _whole([(header.key, next(done)) for header in record.headers])
            if record.has_headers
            else None
            for record in records
        ]

    def _decode_all(self, messages: Sequence[KafkaMessage]) -> list[Any]:
        topics = [message.topic() for message in messages]
        keys = self._key("to_connect_data", (topics, [message.key() for message in messages]))
        values = self._value("to_connect_data", (topics, [message.value() for message in messages]))
        headers = self._decode_headers(messages)
        return [
            RecordCodec.record(message, key, value, _headers(own) if own else None)
            if type(key) is not Failed and type(value) is not Failed and type(own) is not Failed
            else _misfit(_DECODING, (key, value, own))
            for message, key, value, own in zip(messages, keys, values, headers, strict=True)
        ]

    def _decode_headers(self, messages: Sequence[KafkaMessage]) -> list[Any]:
        raw = [message.headers() for message in messages]
        if not any(raw):
            return [None] * len(messages)
        columns = list(
            zip(
                *(
                    (message.topic(), name, data)
                    for message, own in zip(messages, raw, strict=True)
                    for name, data in own or ()
                ),
                strict=True,
            )
        )
        done = iter(self._header("to_connect_header", columns))
        return [_whole([(name, next(done)) for name, _ in own]) if own else None for own in raw]


def _result(outcome: Any) -> Any:
    if type(outcome) is Failed:
        raise outcome.error
    return outcome


def _misfit(order: Sequence[ProcessingStage], parts: Sequence[Any]) -> Misfit:
    """The first converter that failed, with the results of those before it."""
    place = next(place for place, part in enumerate(parts) if type(part) is Failed)
    return Misfit(order[place], tuple(parts[:place]), parts[place].error)


def _whole(headers: list[tuple[str, Any]]) -> list[tuple[str, Any]] | Failed:
    """A record's headers, or the first failure among them."""
    return next((data for _, data in headers if type(data) is Failed), headers)


def _headers(decoded: Sequence[tuple[str, Any]]) -> Headers:
    headers = Headers()
    for name, (schema, value) in decoded:
        headers.add(name, value, schema)
    return headers


def _codec(converters: Mapping[str, Any]) -> RecordCodec:
    return RecordCodec(*(converters[key] for key in CONVERTERS))


def _steps(
    setup: StageSetup, hosts: Mapping[int, StageHost], stack: ExitStack
) -> list[Callable[[Sequence[Any]], list[Any]]]:
    """The chain as batch functions, one per segment."""
    chain = chain_of(setup.transforms, setup.transform_classes, 0)
    stack.callback(chain.close)
    steps = []
    for segment in segments(chain, setup.transforms, setup.transform_classes):
        stages = chain.stages[segment.first : segment.after]
        step = _step(setup, hosts, segment, stages)
        if segment.tester is not None:
            step = _conditional(setup, hosts, segment, stages[0], step)
        steps.append(step)
    return steps


def _step(
    setup: StageSetup,
    hosts: Mapping[int, StageHost],
    segment: Segment,
    stages: Sequence[TransformationStage],
) -> Callable[[Sequence[Any]], list[Any]]:
    if segment.process:
        about = class_at(
            f"transforms.{stages[0].alias}.type", setup.transforms, setup.transform_classes
        )
        return remote_transform(segment, hosts[segment.process], about)
    if segment.tester is not None:
        apply = stages[0].transformation.apply
    else:
        apply = TransformationChain[Any](stages).apply
    return lambda records: [attempted(apply, record) for record in records]


def _conditional(
    setup: StageSetup,
    hosts: Mapping[int, StageHost],
    segment: Segment,
    stage: TransformationStage,
    step: Callable[[Sequence[Any]], list[Any]],
) -> Callable[[Sequence[Any]], list[Any]]:
    """A transformation whose predicate runs elsewhere: evaluate it, then transform the matches."""
    prefix = f"transforms.{stage.alias}."
    alias = setup.transforms[f"{prefix}predicate"].strip()
    negate = setup.transforms.get(f"{prefix}negate", "false")
    wanted = not parse_type(f"{prefix}negate", negate, ConfigType.BOOLEAN)
    if segment.tester:
        about = class_at(f"predicates.{alias}.type", setup.transforms, setup.transform_classes)
        test = remote_test(segment.first, hosts[segment.tester], about)
    else:
        test = _local_test(stage)

    def transform(records: Sequence[Any]) -> list[Any]:
        outcomes = list(records)
        verdicts = test(records)
        meant = []
        for place, verdict in enumerate(verdicts):
            if type(verdict) is Failed:
                outcomes[place] = verdict
            elif bool(verdict) is wanted:
                meant.append(place)
        for place, outcome in zip(meant, step([records[i] for i in meant]), strict=True):
            outcomes[place] = outcome
        return outcomes

    return transform


def _local_test(stage: TransformationStage) -> Callable[[Sequence[Any]], list[Any]]:
    predicate = stage.predicate
    if predicate is None:
        raise ValueError(stage.alias)
    return lambda records: [attempted(predicate.test, record) for record in records]
