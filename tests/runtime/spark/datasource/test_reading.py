"""Source tasks within a query: in batches, in streams, and in a micro-batch that is repeated."""

from __future__ import annotations

import itertools
import pickle

import pyarrow as pa
import pytest
from tests.runtime.spark.datasource.fakes import Numbers, plan_of

from plugwright.schema import INT64_SCHEMA
from plugwright.spark.datasource import RowsError
from plugwright.spark.datasource.reader import RowsReader, TaskPartition, sampled
from plugwright.spark.datasource.source_run import SourceRun
from plugwright.spark.datasource.stream_reader import RowsStreamReader

COLUMNS = pa.schema([pa.field("value", pa.int64(), nullable=False)])
QUICK = {"rows_idle_timeout_ms": 30}


def numbers(batches):
    """The values in Arrow batches."""
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def read(plan, task=0):
    """What a batch read gives for one task."""
    return numbers(RowsReader(plan, COLUMNS, strict=True).read(TaskPartition(task)))


class Ticks:
    """A clock by which a millisecond passes with each reading."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        """Seconds."""
        self.now += 0.001
        return self.now


def stream(*configs, **options):
    """A reader of a stream, whose micro-batches do not depend on the machine's load."""
    plan = plan_of(Numbers, *configs, **QUICK, **options)
    return RowsStreamReader(plan, COLUMNS, strict=True, clock=Ticks())


def test_a_batch_read_gives_all_there_is_and_stops_the_task():
    """Each task is a partition; nothing is acknowledged."""
    plan = plan_of(Numbers, {"name": "a"}, {"name": "b", "last": "2"}, **QUICK)

    assert len(RowsReader(plan, COLUMNS, strict=True).partitions()) == 2
    assert read(plan) == [0, 1, 2, 3, 4, 5, 6]
    assert read(plan, 1) == [0, 1]
    assert Numbers.log == ["start a@0", "stop", "start b@0", "stop"]


def test_a_batch_read_goes_on_however_long_its_reader_takes():
    """An hour passes with each reading of the clock; only polls without records end it."""
    plan = plan_of(Numbers, {"name": "a", "step": "1"}, **QUICK)
    hours = itertools.count(0, 3600)

    with SourceRun(plan, 0, plan.options.offsets, clock=lambda: next(hours)) as run:
        found = [record.value for records in run.until_idle() for record in records]

    assert found == [0, 1, 2, 3, 4, 5, 6]


def test_a_batch_read_begins_at_given_offsets_and_ends_at_its_limit():
    """The limit cuts what a poll has given."""
    offsets = '[{"partition": {"of": "n"}, "offset": {"next": 2}}]'

    assert read(plan_of(Numbers, rows_offsets=offsets, rows_limit=4)) == [2, 3, 4, 5]


def test_a_task_that_fails_is_stopped_and_tells_the_plugins_own_code():
    """With the plugin's advice."""
    plan = plan_of(Numbers, {"fail": "3"})

    with pytest.raises(RowsError) as caught:
        read(plan)

    assert str(caught.value) == (
        "plugin.failed: tests.runtime.spark.datasource.fakes.Numbers 1.0 failed in poll: a bad "
        "number (numbers.bad)\n  → count again"
    )
    assert Numbers.log == ["start n@0", "stop"]


def test_a_task_that_does_not_start_is_stopped_all_the_same():
    """It may hold something by then."""
    with pytest.raises(RowsError, match=r"failed in start: no numbers today \(numbers\.closed\)"):
        read(plan_of(Numbers, {"fail": "start"}))

    assert Numbers.log == ["start n@0", "stop"]


def test_the_columns_are_those_of_the_first_record():
    """Tasks without any are passed over."""
    plan = plan_of(Numbers, {"last": "0"}, {}, **QUICK)

    assert sampled(plan) == COLUMNS
    assert INT64_SCHEMA.type.name == "INT64"


def test_a_stream_has_its_offsets_in_the_checkpoint():
    """The next read goes on with the same tasks."""
    reader = stream(rows_limit=3)
    begin = reader.initialOffset()

    first, middle = reader.read(begin)
    second, end = reader.read(middle)

    assert (numbers(first), numbers(second)) == ([0, 1, 2], [3, 4, 5])
    assert begin["offsets"] == {}
    assert middle["offsets"] == {'{"of":"n"}': {"next": 3}}
    assert (end["records"], end["plugin"]) == (6, "shop.NumbersConnector")
    assert Numbers.log == ["start n@0"]


@pytest.mark.slow
def test_a_stream_without_new_records_stays_where_it_is():
    """Spark then plans no micro-batch."""
    reader = stream({"last": "0"})

    batches, end = reader.read(reader.initialOffset())

    assert (list(batches), end) == ([], reader.initialOffset())


def test_records_are_acknowledged_when_spark_has_committed_them():
    """Those of later micro-batches are not."""
    reader = stream({"last": "4"}, rows_limit=3)
    _, middle = reader.read(reader.initialOffset())
    reader.read(middle)

    reader.commit(middle)
    reader.commit(middle)

    assert Numbers.log == ["start n@0", "acked 0", "acked 1", "acked 2", "commit"]


def test_a_stream_that_is_read_from_elsewhere_starts_its_tasks_again():
    """As when Spark has not noted what the last read gave."""
    reader = stream(rows_limit=3)
    reader.read(reader.initialOffset())

    batches, _ = reader.read(reader.initialOffset())

    assert numbers(batches) == [0, 1, 2]
    assert Numbers.log == ["start n@0", "stop", "start n@0"]


def test_a_restarted_stream_begins_at_the_checkpoint():
    """Its tasks receive the offsets; a pickled reader has none of them."""
    reader = stream(rows_limit=3)
    _, middle = reader.read(reader.initialOffset())
    again = pickle.loads(pickle.dumps(reader))  # noqa: S301  # our own

    batches, _ = stream().read(middle)

    assert numbers(batches) == [3, 4, 5, 6]
    assert again._runs is None


@pytest.mark.parametrize("step", [1, 2, 5])
def test_a_micro_batch_is_repeated_exactly(step):
    """However many records a poll has this time: not one less, and none of the next."""
    reader = stream(rows_limit=3)
    begin = reader.initialOffset()
    _, middle = reader.read(begin)
    _, end = reader.read(middle)
    later = stream({"step": str(step)})

    assert numbers(later.readBetweenOffsets(begin, middle)) == [0, 1, 2]
    assert numbers(later.readBetweenOffsets(middle, end)) == [3, 4, 5]


def test_records_that_share_an_offset_are_all_repeated():
    """Also if they come one by one this time."""
    reader = stream({"pairs": "yes", "last": "4"})
    begin = reader.initialOffset()
    _, end = reader.read(begin)
    later = stream({"pairs": "yes", "last": "6", "step": "1"})

    assert numbers(later.readBetweenOffsets(begin, end)) == [0, 1, 2, 3]


def test_a_micro_batch_of_several_tasks_is_repeated():
    """Each source partition to its own end."""
    reader = stream({"name": "a", "last": "2"}, {"name": "b", "last": "5"})
    begin = reader.initialOffset()
    first, end = reader.read(begin)

    assert sorted(numbers(first)) == [0, 0, 1, 1, 2, 3, 4]
    assert sorted(numbers(reader.readBetweenOffsets(begin, end))) == [0, 0, 1, 1, 2, 3, 4]


@pytest.mark.slow
def test_a_micro_batch_that_cannot_be_repeated_is_no_shorter_one():
    """The source has lost its end."""
    reader = stream()
    begin = reader.initialOffset()
    _, end = reader.read(begin)
    later = stream({"last": "5"}, rows_replay_timeout_ms=60)

    with pytest.raises(RowsError) as caught:
        numbers(later.readBetweenOffsets(begin, end))

    assert str(caught.value) == (
        'rows.not-reproducible: shop.NumbersConnector did not reach the offset {"next":7} of '
        '{"of":"n"} again, where the replayed micro-batch ended\n'
        "  → raise rows.replay.timeout.ms if the source is slow; if it has lost the data, start "
        "with another checkpointLocation and rows.offsets"
    )


def test_a_stream_needs_offsets():
    """Without them it could not go on."""
    reader = stream({"lost": "yes"})

    with pytest.raises(
        RowsError, match=r"rows\.no-offsets: shop\.NumbersConnector returns records"
    ):
        reader.read(reader.initialOffset())


def test_what_is_available_now_is_read_to_its_end():
    """Then there is no more, whatever comes."""
    reader = stream({"last": "1000000"}, rows_limit=3)
    reader.prepareForTriggerAvailableNow()
    quiet = stream({"last": "4"})
    quiet.prepareForTriggerAvailableNow()

    batches, end = quiet.read(quiet.initialOffset())

    assert numbers(batches) == [0, 1, 2, 3]
    assert quiet.read(end)[1] == end
    assert numbers(reader.read(reader.initialOffset())[0]) == [0, 1, 2]
