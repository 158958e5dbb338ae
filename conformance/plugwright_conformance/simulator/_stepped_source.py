"""A source task under the worker's loop, one poll at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from plugwright.converters import SimpleHeaderConverter, StringConverter
from plugwright.errors import ConnectError
from plugwright.worker import (
    Conversion,
    HostGuarantee,
    RecordCodec,
    RecordPosition,
    SourceTaskLoop,
)
from plugwright_conformance.simulator._stepped import Quiet, SteppedTask
from plugwright_conformance.subject.contexts import partition_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright.task import SourceTask
    from plugwright.worker import (
        ConversionFailure,
        DeliveryCallback,
        Outgoing,
        OutgoingRecord,
        SourceRecords,
        TaskListener,
    )
    from plugwright_conformance.subject.contexts import SourceContext

    Renewed = Callable[[], tuple[object, Mapping[str, str]] | None]


_IDLE_POLLS = 5
_CONFIGURATIONS = 8
"""How many configurations a task may have while some records are awaited."""


class SteppedSource(SteppedTask):
    """A source task whose records are inspected instead of sent.

    Kafka is slow here: it acknowledges records only when no others come, for sources that wait
    for it, or at the end.

    Args:
        task: fresh.
        configs: its configuration.
        offsets: those that are stored.
        settled: whether Kafka has acknowledged all records before the task is stopped; else it is
            as if the process died.
        dropped: whether a transformation drops all records: they are done with when Kafka would
            acknowledge them, and have no metadata (KIP-779).
        aloud: whether the worker logs what it always does.
        renewed: returns the next task and its configuration if the connector has asked for one.

    Attributes:
        waits_for_kafka: whether it has gone on only after an acknowledgement.
    """

    def __init__(  # noqa: PLR0913  # half of them are optional
        self,
        task: SourceTask,
        configs: Mapping[str, str],
        offsets: SourceContext,
        *,
        settled: bool = False,
        dropped: bool = False,
        aloud: bool = False,
        renewed: Renewed = lambda: None,
    ) -> None:
        codec = _Unseen(StringConverter(), StringConverter(), SimpleHeaderConverter())
        super().__init__(task, configs, Conversion(codec), aloud=aloud)
        self._settled, self._dropped = settled, dropped
        self.waits_for_kafka = False
        self._offsets, self._renewed = offsets, renewed
        self._begin()

    def _begin(self) -> None:
        self._taken = 0
        guarantee = HostGuarantee(self._offsets, self._intake_for)
        loop = SourceTaskLoop(self.task, self._environment, guarantee)
        self._steps = loop.steps()

    def take(
        self,
        count: int,
        seconds: float,
        *,
        surplus: bool = True,
        answering: bool = True,
        turns: int | None = None,
    ) -> list[SourceRecord]:
        """Poll until so many more records are there, or nothing more comes.

        Args:
            count: of the records.
            seconds: for which nothing has to happen before that is the end.
            surplus: whether to poll once more, to see whether there are others.
            answering: whether Kafka acknowledges records when no others come.
            turns: for which, besides, nothing has to happen; by default a number of them.
        """
        take_more = partial(
            take_from_all,
            [self],
            seconds=seconds,
            surplus=surplus,
            answering=answering,
            turns=turns,
        )
        taken: list[SourceRecord] = []
        for _ in range(_CONFIGURATIONS):
            taken += take_more(count - len(taken))[0]
            if len(taken) >= count or not self._is_restarted():
                break
        return taken

    def _is_restarted(self) -> bool:
        """Restart the task, as a worker does, if its connector has asked for that."""
        made = None if self.ended else self._renewed()
        if made is None:
            return False
        self.acknowledge()
        self._offsets.advance(self._intake.records)
        self.end()
        self._prepare(*made)
        self._begin()
        return True

    @property
    def waiting(self) -> int:
        """The number of records received and not taken."""
        return len(self._intake.inspected) - self._taken

    def taken(self) -> list[SourceRecord]:
        """The records that have come since the last time, without tombstones after deletions."""
        first, self._taken = self._taken, len(self._intake.inspected)
        return self._intake.inspected[first:]

    @property
    def deletions(self) -> Sequence[SourceRecord | None]:
        """The record before each tombstone; nothing if an earlier life of the task read it."""
        return self._intake.deletions

    def acknowledge(self) -> bool:
        """Let Kafka acknowledge everything; whether there was anything."""
        return self._intake.acknowledge()

    def commit(self) -> None:
        """Report stored offsets, as at each flush interval, whatever Kafka has acknowledged."""
        self._intake.commit()

    def forget(self) -> None:
        """Let go of the records, all of which are taken and acknowledged: they take memory."""
        self._taken = 0
        self._intake.forget()

    def refuse(self) -> None:
        """Let Kafka reject the next records permanently, so that the task fails."""
        self._intake.refusing = True

    def _intake_for(self, listener: TaskListener) -> _Intake:
        self._intake = _Intake(
            listener,
            settled=self._settled,
            dropped=self._dropped,
            resumed=self._offsets.has_offsets,
        )
        return self._intake


def take_from_all(  # noqa: PLR0913  # all but three are optional
    sources: Sequence[SteppedSource],
    count: int,
    seconds: float,
    *,
    surplus: bool = True,
    answering: bool = True,
    turns: int | None = None,
) -> list[list[SourceRecord]]:
    """Poll tasks by turns until so many records are there, or nothing more comes; see `take`."""
    quiet, seen, answers = Quiet(turns), -1, _Answers(sources)
    while sources and (found := sum(source.waiting for source in sources)) < count:
        if found > seen:
            answers.came()
            quiet.heard()
        elif answering and answers.acknowledged():
            quiet.heard()
        elif quiet.over(seconds) or all(source.ended for source in sources):
            break
        seen = found
        for source in sources:
            source.step()
    if sources and found > seen:
        answers.came()
    for source in sources if surplus else ():
        source.step()
    return [source.taken() for source in sources]


class _Answers:
    """Acknowledges what has come once nothing more does.

    One poll without records is no wait for Kafka yet, unless a task has waited for it before: what
    is acknowledged without need, a source may remove from where it was.
    """

    def __init__(self, sources: Sequence[SteppedSource]) -> None:
        self._sources = sources
        self._idle = 0
        self._answered = False

    def came(self) -> None:
        """Record that there are more records."""
        for source in self._sources if self._answered else ():
            source.waits_for_kafka = True
        self._idle, self._answered = 0, False

    def acknowledged(self) -> bool:
        """Acknowledge if it is time after another poll without records; whether there were any."""
        self._idle += 1
        waits = any(source.waits_for_kafka for source in self._sources)
        if self._idle < _IDLE_POLLS and not waits:
            return False
        done = [source for source in self._sources if source.acknowledge()]
        self._answered = self._answered or bool(done)
        return bool(done)


class _Intake:
    """Keeps the records, and acknowledges them on request.

    Attributes:
        records: all of them.
        inspected: those that stand for what the endpoint has, which tombstones do not.
        deletions: the record of its key before each tombstone, in the same source partition.
        refusing: whether no more are taken.
    """

    in_flight = False
    refusing = False

    def __init__(
        self, listener: TaskListener, *, settled: bool, dropped: bool, resumed: bool
    ) -> None:
        self.records: list[SourceRecord] = []
        self.inspected: list[SourceRecord] = []
        self.deletions: list[SourceRecord | None] = []
        self._last: dict[tuple[str, str, str], SourceRecord] = {}  # of each key
        self._streams: set[str] = set()
        self._listener = listener
        self._settled, self._dropped, self._resumed = settled, dropped, resumed
        self._acknowledged = 0
        self._forgotten = 0

    def callback(self, records: Sequence[SourceRecord]) -> DeliveryCallback:  # noqa: ARG002
        """None of them is called."""
        return _nobody

    def send(
        self,
        records: Sequence[SourceRecord],
        outgoing: Sequence[OutgoingRecord | None],  # noqa: ARG002  # the records are what counts
    ) -> None:
        """Keep the records.

        Raises:
            ConnectError: if none are taken any more.
        """
        if self.refusing:
            raise ConnectError("Kafka refuses the records")
        for record in records:
            stream = partition_text(record.source_partition)
            of_key = stream, record.topic or "", repr(record.key)
            earlier = self._resumed or stream not in self._streams
            before, self._last[of_key] = self._last.get(of_key), record
            self._streams.add(stream)
            if _is_tombstone(record) and (earlier if before is None else before.value is not None):
                self.deletions.append(before)
            else:
                self.inspected.append(record)
            self.records.append(record)

    def acknowledge(self) -> bool:
        """Acknowledge all new records to the task, and report stored offsets."""
        first, self._acknowledged = self._acknowledged, len(self.records)
        for offset, record in enumerate(self.records[first:], self._forgotten + first):
            metadata = None if self._dropped else RecordPosition(record.topic, 0, offset)
            self._listener.delivered(record, metadata)
        if first == self._acknowledged:
            return False
        self.commit()
        return True

    def commit(self) -> None:
        """Report stored offsets."""
        self._listener.committed()

    def forget(self) -> None:
        """Let go of the records."""
        self._forgotten += len(self.records)
        self._acknowledged = 0
        self.records.clear()
        self.inspected.clear()
        self.deletions.clear()

    def batch_sent(self) -> None:
        """Nothing depends on batches."""

    def tick(self) -> None:
        """Do nothing; there are no timers."""

    def pause(self) -> None:
        """The task is never paused."""

    def finish(self, *, failed: bool) -> None:
        """Acknowledge what is left, if that is how it is to end."""
        if self._settled and not failed:
            self.acknowledge()


def _is_tombstone(record: SourceRecord) -> bool:
    """Whether a record only deletes what log compaction keeps of its key."""
    return record.value is None and record.value_schema is None and record.key is not None


@dataclass(frozen=True, slots=True)
class _Unseen(RecordCodec):
    """Skips the serialization of values that are not read."""

    def encode_all(
        self, records: SourceRecords, outgoing: Outgoing, on_delivery: DeliveryCallback
    ) -> ConversionFailure | None:
        """Something in the place of each record."""
        outgoing += [
            (record.topic, None, None, None, None, None, on_delivery) if record else None
            for record in records
        ]
        return None

    def encode_columns(self, records: object, on_delivery: object) -> None:
        """Nothing: records are looked at one by one."""


def _nobody(_: object | None, __: object) -> None:
    """Records are acknowledged otherwise."""
