"""Tasks under the worker's own loop, step by step, as checks have them."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest

from plugwright import DataError, RetriableError, SinkTask, SourceRecord, SourceTask, TopicPartition
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.processes import cpu_share
from plugwright_conformance.simulator import SteppedSink, SteppedSource, take_from_all
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.text_rows import RecordForm

pytestmark = pytest.mark.slow

HOME, OTHER = TopicPartition("orders", 0), TopicPartition("orders", 1)


class WindowSource(SourceTask):
    """Has one record at a time under way, and says now and then that it has nothing."""

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Begin."""
        self.next, self.free, self.polls, self.commits = 0, True, 0, 0

    def poll(self):
        """Nothing, or the next one."""
        self.polls += 1
        if self.polls % 2:
            raise RetriableError("nothing this time")
        if not self.free or self.next == 5:
            return None
        self.free, self.next = False, self.next + 1
        return [SourceRecord({"t": 1}, {"n": self.next}, "orders", f"value {self.next}")]

    def commit_record(self, record, metadata):
        """Make room."""
        self.free = metadata.offset == self.next - 1

    def commit(self):
        """Count."""
        self.commits += 1

    def stop(self):
        """End."""
        self.stopped = True


class ProgramSource(SourceTask):
    """Has nothing for 200 polls, and then a record."""

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Begin."""
        self.polls = 0

    def poll(self):
        """The record, once."""
        self.polls += 1
        return [SourceRecord({}, {}, "orders", "done")] if self.polls == 200 else None

    def stop(self):
        """End."""


def source_at_work(settled=False):
    """A task that has started."""
    task = WindowSource()
    stepped = SteppedSource(task, {}, SourceContext(), settled=settled)
    stepped.step()
    return task, stepped


@pytest.mark.parametrize(("works", "values"), [(True, ["done"]), (False, [])])
def test_a_source_is_waited_for_while_its_program_computes(monkeypatch, works, values):
    """Each look at the clock is a hundredth of a second later; the limit is a tenth."""
    clock = count(1)
    monkeypatch.setattr(cpu_share, "time", SimpleNamespace(monotonic=lambda: next(clock) / 100))
    monkeypatch.setattr(cpu_share, "_started_by", lambda _: [7] if works else [])
    monkeypatch.setattr(cpu_share, "waited_s", lambda _: 0.0)
    monkeypatch.setattr(cpu_share, "worked_s", lambda _: next(clock) / 100)
    source = SteppedSource(ProgramSource(), {}, SourceContext())
    source.step()

    assert [record.value for record in source.take(1, 0.1)] == values


@pytest.mark.parametrize(
    ("contended", "computed_s", "values"),
    [
        pytest.param(lambda clock: clock, 0.2, ["done"], id="busy"),
        pytest.param(lambda _: 0.0, 0.2, [], id="quiet"),
        pytest.param(lambda clock: clock, 0.0, [], id="without programs"),
    ],
)
def test_a_source_with_programs_is_waited_for_on_a_busy_machine(
    monkeypatch, contended, computed_s, values
):
    """They, or a server that they ask, may have waited for a core."""
    clock, looks = count(1), count()
    monkeypatch.setattr(cpu_share, "time", SimpleNamespace(monotonic=lambda: next(clock) / 100))
    monkeypatch.setattr(cpu_share, "_reaped_s", lambda _: computed_s * (next(looks) > 2))
    monkeypatch.setattr(cpu_share, "contended_s", lambda: contended(next(clock) / 100))
    source = SteppedSource(ProgramSource(), {}, SourceContext())
    source.step()

    assert [record.value for record in source.take(1, 0.1)] == values


def test_a_source_is_waited_for_and_has_its_records_acknowledged():
    """A RetriableError is nothing this time, and a window moves on."""
    task, source = source_at_work()

    records = source.take(4, 0.01, surplus=False)

    assert [record.value for record in records] == ["value 1", "value 2", "value 3", "value 4"]
    assert task.commits == 3


class FileByFileSource(WindowSource):
    """Has nothing at the end of each file, and removes a file that was acknowledged."""

    def poll(self):
        """The next one, or nothing."""
        self.polls += 1
        if self.polls % 3 == 0 or self.next == 5:
            return None
        self.next += 1
        return [SourceRecord({"t": 1}, {"n": self.next}, "orders", f"value {self.next}")]


def test_a_poll_without_records_is_no_wait_for_kafka():
    """What is acknowledged, a source may remove, and it cannot be read again."""
    task = FileByFileSource()
    source = SteppedSource(task, {}, SourceContext())
    source.step()

    assert len(source.take(5, 0.01)) == 5
    assert task.commits == 0
    assert source.take(1, 0.01) == []
    assert task.commits == 1


def test_a_window_is_acknowledged_sooner_once_it_has_been_waited_for():
    """The first time, some polls without records show that it is one."""
    task, source = source_at_work()
    source.take(2, 0.01, surplus=False)
    before = task.polls
    source.take(1, 0.01, surplus=False)

    assert source.waits_for_kafka
    assert before > 5
    assert task.polls - before <= 4


@pytest.mark.slow
def test_without_answers_a_window_stays_closed():
    """As if Kafka had died."""
    _, source = source_at_work()

    assert [record.value for record in source.take(4, 0.01, answering=False)] == ["value 1"]


def test_what_is_under_way_is_acknowledged_at_the_end():
    """As a worker waits for it when a task is stopped."""
    task, source = source_at_work(settled=True)
    source.take(1, 0.01, surplus=False)

    source.end()

    assert (task.free, task.commits, task.stopped) == (True, 1, True)


def test_tasks_are_polled_by_turns():
    """Until there are so many records of all of them."""
    sources = [source_at_work()[1] for _ in range(2)]

    parts = take_from_all(sources, 4, 0.01, surplus=False)

    assert [len(part) for part in parts] == [2, 2]


class OddSink(SinkTask):
    """Takes a batch at the second time, and promises all of it at the third commit."""

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Begin."""
        self.taken, self.tries, self.asked, self.closed = [], 0, 0, []

    def put(self, records):
        """Take it."""
        self.tries += bool(records)
        if records and self.tries == 1:
            self.context.timeout(10)
            raise RetriableError("give it again")
        if any(record.value == "poison" for record in records):
            raise DataError("this cannot be written")
        self.taken += [record.value for record in records]

    def pre_commit(self, offsets):
        """Count, and answer."""
        self.asked += 1
        return offsets if self.asked == 3 else {HOME: 1}

    def close(self, partitions):
        """Remember."""
        self.closed += partitions

    def stop(self):
        """End."""


def sink_at_work(**more):
    """A task that has started."""
    task = OddSink()
    stepped = SteppedSink(task, {}, [HOME, OTHER], **more)
    stepped.step()
    return task, stepped


def test_a_batch_is_put_again_and_committed_until_all_is_promised():
    """Answers lower than asked are no failure."""
    task, sink = sink_at_work()

    sink.put(sink_records(["one", "two"], HOME))
    sink.commit()

    assert (task.taken, task.tries) == (["one", "two"], 2)
    assert [promise.offsets for promise in sink.promises] == [
        {HOME: 1},
        {HOME: 1},
        {HOME: 2, OTHER: 0},
    ]


def test_an_error_comes_out_as_the_task_raised_it():
    """Not in the words of the worker."""
    _, sink = sink_at_work()
    sink.put(sink_records(["one"], HOME))

    with pytest.raises(DataError, match="this cannot be written"):
        sink.put(sink_records(["poison"], HOME, first_offset=1))

    assert sink.failed_in == "put"


def test_a_partition_that_leaves_is_closed():
    """And promises tell what was assigned then."""
    task, sink = sink_at_work()
    sink.put(sink_records(["one"], HOME))

    sink.revoke(OTHER)
    sink.ask()

    assert task.closed == [OTHER]
    assert sink.promises[-1].assigned == [HOME]


def test_records_have_keys_where_a_sink_needs_them():
    """And keep the ones that they have."""
    _, sink = sink_at_work(form=RecordForm(keyed=True))
    records = sink_records(["one", "two"], HOME)
    records[1].key = "own"

    sink.put(records)

    assert [record.key for record in records] == ["key orders-0@0", "own"]


@pytest.mark.parametrize(
    ("observed", "evidence"), [("", Evidence(1)), (" ", Evidence(1)), ("two", Evidence(0))]
)
def test_a_failure_without_an_observation_cannot_be_made(observed, evidence):
    """Nobody is blamed for nothing."""
    with pytest.raises(ValueError, match="without an observation"):
        CheckFailedError("one", observed, evidence=evidence)


class BatchSink(SinkTask):
    """Remembers where the records of each batch came from."""

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Begin."""
        self.batches = []

    def put(self, records):
        """Remember."""
        places = [(r.original_kafka_partition, r.original_kafka_offset) for r in records]
        self.batches += [places] if places else []

    def stop(self):
        """End."""


@pytest.mark.parametrize(
    ("batch", "batches"),
    [
        (None, [[(0, 0), (0, 1)], [(1, 0), (1, 1)]]),
        (3, [[(0, 0), (0, 1), (1, 0)], [(1, 1)]]),
        (9, [[(0, 0), (0, 1), (1, 0), (1, 1)]]),
    ],
    ids=["one-partition-each", "up-to-three", "all"],
)
def test_a_batch_has_one_partition_or_all_up_to_so_many_records(batch, batches):
    """As a client hands out what one broker has answered, or several."""
    task = BatchSink()
    sink = SteppedSink(task, {}, [HOME, OTHER], batch=batch)
    sink.step()

    sink.put([*sink_records(["a", "b"], HOME), *sink_records(["c", "d"], OTHER)])

    assert task.batches == batches


def test_offsets_that_records_leave_out_are_missing():
    """As after compaction; nothing is left to commit then."""
    task = BatchSink()
    sink = SteppedSink(task, {}, [HOME])
    sink.step()
    records = [
        *sink_records(["a", "b"], HOME, first_offset=2),
        *sink_records(["c"], HOME, first_offset=7),
    ]

    sink.put(records, spaced=True)
    assert sink.lag() == 3
    sink.commit()

    assert task.batches == [[(0, 2), (0, 3), (0, 7)]]
    assert (sink.committed(HOME), sink.lag()) == (8, 0)


class AheadSink(BatchSink):
    """Reads from the third offset on, whatever is committed."""

    def open(self, partitions):
        """Seek."""
        self.context.offset({HOME: 2})


@pytest.mark.parametrize(("count", "batches"), [(2, []), (3, [[(0, 2)]])], ids=["none", "one"])
def test_records_before_a_place_that_was_sought_are_not_waited_for(count, batches, monkeypatch):
    """Nothing tells when a task that has passed them over would take them."""
    task = AheadSink()
    sink = SteppedSink(task, {}, [HOME])
    sink.step()
    sink.step()  # opens the partition
    steps = []
    step = SteppedSink.step
    monkeypatch.setattr(SteppedSink, "step", lambda self: (steps.append(1), step(self)))

    sink.put(sink_records(["a", "b", "c"][:count], HOME))

    assert (task.batches, len(steps)) == (batches, len(batches))


CHANGES = (
    (None, "from an earlier life"),
    ("new", "a"),
    ("gone", "b"),
    (None, "b"),
    ("new", "c"),
    (None, "d"),
    (None, None),
)
"""Values, or nothing, and their keys."""


class SharesSource(SourceTask):
    """Hands out what its share has beyond the stored offset."""

    def version(self):
        """Any."""
        return "1"

    def start(self, props):
        """Begin where another task has stopped."""
        self.end = int(props["end"])
        self.next = (self.context.offset_storage_reader.offset({"t": 1}) or {"n": 0})["n"]

    def poll(self):
        """The next one."""
        if self.next == self.end:
            return None
        self.next += 1
        return [SourceRecord({"t": 1}, {"n": self.next}, "orders", f"value {self.next}")]

    def stop(self):
        """Nothing is held."""


def test_a_task_that_is_configured_again_goes_on_where_the_other_one_stopped():
    """As after a restart by the worker: stored offsets are those of all records so far."""
    shares = iter(["4", "6"])
    source = SteppedSource(
        SharesSource(),
        {"end": "2"},
        SourceContext(),
        renewed=lambda: (SharesSource(), {"end": next(shares)}),
    )
    source.step()

    assert [r.value for r in source.take(6, 0.05)] == [f"value {n}" for n in range(1, 7)]
    source.end()


def test_a_tombstone_may_come_after_records_of_other_keys():
    """It belongs to the last record of its key; one of a key that never came is a value."""
    changes = [("new", "a"), ("new", "b"), (None, "a"), (None, "c")]

    class Later(WindowSource):
        def poll(self):
            first, self.next = self.next, len(changes)
            return [
                SourceRecord({"t": 1}, {"n": number}, "orders", value, key=key)
                for number, (value, key) in enumerate(changes[first:], first)
            ]

    source = SteppedSource(Later(), {}, SourceContext())
    source.step()

    records = source.take(3, 1.0)

    assert [(r.value, r.key) for r in records] == [("new", "a"), ("new", "b"), (None, "c")]
    assert source.deletions == [records[0]]
    source.end()


class ChangesSource(WindowSource):
    """Hands out changes, two a poll."""

    def poll(self):
        """The next two, of which a tombstone may be the first."""
        first, self.next = self.next, self.next + 2
        return [
            SourceRecord({"t": 1}, {"n": number}, "orders", value, key=key)
            for number, (value, key) in enumerate(CHANGES[first : self.next], first)
        ]


def test_tombstones_are_not_among_the_records_of_a_source():
    """Only those of the key before them; others are values that are lost."""
    source = SteppedSource(ChangesSource(), {}, SourceContext())
    source.step()

    records = source.take(5, 1.0)

    assert [(r.value, r.key) for r in records] == [
        ("new", "a"),
        ("gone", "b"),
        ("new", "c"),
        (None, "d"),
        (None, None),
    ]
    assert source.deletions == [None, records[1]]
    assert source.acknowledge()
    source.end()
