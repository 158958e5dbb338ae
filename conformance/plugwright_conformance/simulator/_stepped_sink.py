"""A sink task under the worker's loop, one batch at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.converters import SimpleHeaderConverter, StringConverter
from plugwright.record import TopicPartition
from plugwright.worker import (
    Conversion,
    ErrorSettings,
    RecordCodec,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
)
from plugwright_conformance.simulator._assigned_consumer import AssignedConsumer
from plugwright_conformance.simulator._log import Kind
from plugwright_conformance.simulator._producer import PromptProducer
from plugwright_conformance.simulator._recorder import Recorder
from plugwright_conformance.simulator._stepped import Quiet, SteppedTask, original
from plugwright_conformance.simulator.world import World
from plugwright_conformance.subject.text_rows import RecordForm

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.sink_columns import SinkColumns
    from plugwright.task import SinkTask
    from plugwright.worker import ConversionFailure, KafkaMessage, MessageRun

_GROUP = "stepped"
_PATIENCE_S = 3.0
_SILENCE_S = 1.0  # with a task that promises nothing to Kafka
_PLAIN = RecordForm()
_NOBODY = -1  # ends transactions that had no records, which takes an offset


class Promise(NamedTuple):
    """A return value of ``pre_commit``.

    Attributes:
        offsets: the offsets that the task reported as durable.
        assigned: the partitions assigned at that time.
    """

    offsets: Mapping[TopicPartition, int]
    assigned: Collection[TopicPartition]


class SteppedSink(SteppedTask):
    """A sink task that receives records directly, without converters.

    Args:
        task: fresh.
        configs: its configuration.
        partitions: what it is given to read.
        form: what each record is given, because the sink requires it.
        aloud: whether the worker logs what it always does.
        by_column: whether ``put_batch`` is called, which the task has to have, and not ``put``.
        first: the offset of the first record of each partition.
        batch: how many records of all partitions together a put is given at most; by default it
            is given what one partition has, up to 500.
        errors: what becomes of records that cannot be written; by default there is no reporter.

    Attributes:
        promises: the answers of ``pre_commit``, in order.
    """

    def __init__(  # noqa: PLR0913  # all but three are optional
        self,
        task: SinkTask,
        configs: Mapping[str, str],
        partitions: Sequence[TopicPartition],
        *,
        form: RecordForm = _PLAIN,
        aloud: bool = False,
        by_column: bool = False,
        first: int = 0,
        batch: int | None = None,
        errors: ErrorSettings | None = None,
    ) -> None:
        self._form = form
        self._world = World()
        self._codec = _Prepared(StringConverter(), StringConverter(), SimpleHeaderConverter())
        super().__init__(
            task, configs, Conversion(self._codec), clock=self._world.clock, aloud=aloud
        )
        self._topics = sorted({partition.topic for partition in partitions})
        for topic in self._topics:
            count = 1 + max(p.partition for p in partitions)
            self._world.kafka.create_topic(topic, count, first=first)
        self._consumer = AssignedConsumer(self._world.kafka, _GROUP, partitions, batch=batch)
        settings = SinkSettings(errors=errors or ErrorSettings())
        if batch is not None:
            settings = replace(settings, max_poll_records=batch)
        self._letters = errors.dead_letter_topic if errors else ""
        producer = PromptProducer(self._world.kafka, Recorder()) if self._letters else None
        watched = _WatchedColumns if by_column else _Watched
        self._watched = watched(task, self._consumer)
        self._loop = SinkTaskLoop(
            self._watched,  # type: ignore[arg-type]  # stands in front of the task
            self._environment,
            SinkClients(self._consumer, self._topics, producer),
            settings=settings,
        )
        self._steps = self._loop.steps()

    @property
    def promises(self) -> Sequence[Promise]:
        """The answers of ``pre_commit``, in order."""
        return self._watched.promises

    @property
    def reported(self) -> int:
        """How many records are in the dead-letter queue."""
        return len(self._world.kafka.read(self._letters)) if self._letters else 0

    def put(
        self, records: Iterable[SinkRecord], *, spaced: bool = False, turns: int | None = None
    ) -> None:
        """Put records into the task; retriable errors are retried, as by a worker.

        Args:
            records: with the offsets that they have in Kafka.
            spaced: whether offsets that the records leave out are missing in Kafka, too; without
                it they follow each other.
            turns: how often it is retried at least, if nothing comes of it.

        Raises:
            BaseException: whatever the task has raised for good, or raises again and again.
        """
        ends = self._to_come(self._enter(records, spaced=spaced))
        quiet = Quiet(turns)
        while any(self._watched.taken.get(home, 0) < end for home, end in ends.items()):
            before = dict(self._watched.taken)
            self.step()
            if self._watched.taken != before:
                quiet.heard()
            elif self.ended or quiet.over(_PATIENCE_S):
                self._give_up()
                return

    def _enter(
        self, records: Iterable[SinkRecord], *, spaced: bool = False
    ) -> Mapping[TopicPartition, int]:
        """Have records in Kafka; the offset behind the last one of each partition."""
        ends: dict[TopicPartition, int] = {}
        for record in records:
            home = TopicPartition(record.original_topic, record.original_kafka_partition)
            log = self._world.kafka.log(home.topic, home.partition)
            while spaced and log.end < record.original_kafka_offset:
                log.mark(_NOBODY, Kind.COMMIT)
            stored = self._world.kafka.produce(home.topic, None, partition=home.partition)
            self._form.give(record, home, stored.offset)
            self._codec.records[home, stored.offset] = record
            ends[home] = stored.offset + 1
        return ends

    def _to_come(self, ends: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """Those partitions that the task reads up to there: it may have sought a later place."""
        places = self._consumer.positions(self._consumer.assignment())
        return {home: end for home, end in ends.items() if places.get(home, 0) < end}

    def forget(self) -> None:
        """Let go of the committed records and of the promises, because they take memory."""
        for home, offset in [*self._codec.records]:
            if offset < self.committed(home):
                del self._codec.records[home, offset]
        self._watched.promises.clear()

    def ask(self) -> None:
        """Commit once the offsets from ``pre_commit``."""
        self._loop.request_commit()
        self.step()

    def commit(self, *, turns: int | None = None) -> None:
        """Commit until everything is committed, or the task promises no more.

        Args:
            turns: how often it is retried at least, if nothing comes of it.

        Raises:
            BaseException: whatever the task has raised for good, or raises again and again.
        """
        quiet, group = Quiet(turns), self._world.kafka.group(_GROUP)
        while self.lag():
            before = group.offsets
            self.ask()
            promised = any(promise.offsets for promise in self.promises)
            if group.offsets != before:
                quiet.heard()
            elif self.ended or quiet.over(_PATIENCE_S if promised else _SILENCE_S):
                self._give_up()
                return

    def promised(self, partition: TopicPartition) -> int:
        """The offset from ``pre_commit`` for a partition, called until there is one; or 0."""
        quiet = Quiet()
        while True:
            self.ask()
            if found := max((p.offsets.get(partition, 0) for p in self.promises), default=0):
                return found
            if self.ended or quiet.over(_PATIENCE_S):
                return 0

    def lag(self) -> int:
        """How many records are not committed."""
        return sum(self._world.kafka.lag(_GROUP, topic) for topic in self._topics)

    def committed(self, partition: TopicPartition) -> int:
        """The committed offset of a partition; 0 if none."""
        return self._world.kafka.group(_GROUP).committed(partition) or 0

    def revoke(self, partition: TopicPartition) -> None:
        """Take a partition away, as a rebalance does."""
        self._consumer.take_away(partition)
        self.step()

    def regain(self, partition: TopicPartition, passed: Iterable[SinkRecord], end: int) -> None:
        """Give a partition back that another task has had.

        Args:
            partition: that has been revoked.
            passed: the records that arrived meanwhile.
            end: up to where the other task has committed.
        """
        self._enter(passed)
        self._consumer.commit({partition: end})
        self._consumer.give_back(partition)
        self.step()

    def _give_up(self) -> None:
        if self._loop.trouble is not None:
            raise original(self._loop.trouble)


class _Watched:
    """Wraps a task and records its calls.

    Attributes:
        taken: the offset behind the last record of each partition that ``put`` has taken.
        promises: the answers of ``pre_commit``.
    """

    def __init__(self, task: SinkTask, consumer: AssignedConsumer) -> None:
        self._task, self._consumer = task, consumer
        self.taken: dict[TopicPartition, int] = {}
        self.promises: list[Promise] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Remember what the task has taken."""
        ends = _ends(records)
        self._task.put(records)
        self.taken.update(ends)

    def pre_commit(
        self, offsets: Mapping[TopicPartition, int]
    ) -> Mapping[TopicPartition, int] | None:
        """Remember what the task has answered."""
        found = self._task.pre_commit(offsets)
        self.promises.append(Promise(dict(found or {}), self._consumer.assignment()))
        return found


class _WatchedColumns(_Watched):
    """Wraps a task that takes columns."""

    def put_batch(self, batch: Sequence[SinkColumns]) -> None:
        """Remember what the task has taken."""
        ends = _ends([record for part in batch for record in part.records()])
        self._task.put_batch(batch)
        self.taken.update(ends)


def _ends(records: Iterable[SinkRecord]) -> dict[TopicPartition, int]:
    """The offset behind the last record of each partition."""
    return {
        TopicPartition(r.original_topic, r.original_kafka_partition): r.original_kafka_offset + 1
        for r in records
    }


@dataclass(frozen=True, slots=True)
class _Prepared(RecordCodec):
    """Returns prepared records by their Kafka coordinates."""

    records: dict[tuple[TopicPartition, int], SinkRecord] = field(default_factory=dict)

    def decoding(
        self,
        messages: Sequence[KafkaMessage],
        runs: Sequence[MessageRun],  # noqa: ARG002  # each message has its record
        columns: object,  # noqa: ARG002  # there are none
    ) -> Callable[[list[SinkRecord | None]], ConversionFailure | None]:
        """A function that adds the records of a batch."""

        def decode(records: list[SinkRecord | None]) -> None:
            for message in messages:
                home = TopicPartition(message.topic(), message.partition())
                records.append(self.records[home, message.offset()])

        return decode

    def columns(self, messages: Sequence[KafkaMessage]) -> None:
        """Nothing: the records are prepared."""
