"""Batches whose keys and values are read by columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.runtime.worker.fakes import Message
from tests.runtime.worker.picky import Picky
from tests.runtime.worker.rigs import CODEC, SinkRig

from plugwright.converters import ByteArrayConverter, JsonConverter, StringConverter
from plugwright.record import SinkRecord, TimestampType, TopicPartition
from plugwright.schema import OPTIONAL_BYTES_SCHEMA, OPTIONAL_STRING_SCHEMA
from plugwright.worker import ErrorSettings, MessageRun, ProcessingStage, RecordCodec
from plugwright.worker.batch import SinkBatch
from plugwright.worker.runs import runs_of

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
TEXT = OPTIONAL_STRING_SCHEMA


def _decoded(codec, messages):
    records = []
    decode = codec.decoding(messages, runs_of(messages), codec.columns(messages))
    assert decode(records) is None
    return records


def test_records_have_the_place_the_parts_and_the_time_of_their_messages():
    """Of several partitions and topics in one batch; a tombstone has no value."""
    messages = [
        Message(("t", 0, 7), b"v", b"k", time=(1, 5)),
        Message(("t", 1, 8), b"w", time=(2, 6)),
        Message(("u", 1, 9), None, b"l", time=(0, -1)),
    ]
    create, append = TimestampType.CREATE_TIME, TimestampType.LOG_APPEND_TIME
    assert _decoded(CODEC, messages) == [
        SinkRecord("t", 0, TEXT, "k", TEXT, "v", 7, 5, create),
        SinkRecord("t", 1, TEXT, None, TEXT, "w", 8, 6, append),
        SinkRecord("u", 1, TEXT, "l", TEXT, None, 9),
    ]


def test_headers_are_read_record_by_record():
    """One without headers has none."""
    messages = [Message(("t", 0, 0), b"v", None, [("h", b"1")]), Message(("t", 0, 1), b"w")]
    with_one, without = _decoded(CODEC, messages)
    assert [(header.key, header.value) for header in with_one.headers] == [("h", "1")]
    assert not without.has_headers


@pytest.mark.parametrize(
    ("converter", "data", "column"),
    [
        (StringConverter(), [b"a", None, "ä".encode()], (TEXT, ["a", None, "ä"])),
        (ByteArrayConverter(), [b"a", None], (OPTIONAL_BYTES_SCHEMA, [b"a", None])),
        (JsonConverter(), [None, None], (None, [None, None])),
        (JsonConverter(), [None, b"{}"], None),
    ],
    ids=["strings", "bytes", "no documents", "documents"],
)
def test_a_column_has_one_schema(converter, data, column):
    """Or has to be read one by one."""
    assert converter.read_column(data) == column


def test_text_with_byte_order_marks_is_read_one_by_one():
    """Each of them may have its own order."""
    converter = StringConverter()
    converter.configure({"converter.encoding": "UTF-16"}, is_key=False)
    codec = RecordCodec(StringConverter(), converter, StringConverter())
    messages = [Message(("t", 0, 0), b"\xff\xfea\0"), Message(("t", 0, 1), b"\0a")]
    assert [record.value for record in _decoded(codec, messages)] == ["a", "a"]


def test_a_value_that_cannot_be_read_is_the_only_one_that_is_skipped():
    """It is found when the batch is read one by one."""
    rig = SinkRig(errors=ErrorSettings(tolerate_all=True))
    values = [b"a", b"\xff", b"c"]
    rig.consumer.log[T0] = [Message((*T0, n), value) for n, value in enumerate(values)]
    rig.run(rig.assign(T0))
    assert [values for values in rig.said("put") if values] == [["a", "c"]]
    assert (rig.consumer.group, rig.loop.counters.errors.record_failures) == ({T0: 3}, 1)


def test_a_header_that_cannot_be_read_skips_its_record_and_calls_nothing_twice():
    """The records behind it go on from where they are."""
    header = Picky(b=1)
    rig = SinkRig(codec=replace(CODEC, header=header), errors=ErrorSettings(tolerate_all=True))
    names = [b"a", b"b", b"c"]
    rig.consumer.log[T0] = [
        Message((*T0, n), b"v%d" % n, None, [("h", name)]) for n, name in enumerate(names)
    ]
    rig.run(rig.assign(T0))
    assert [values for values in rig.said("put") if values] == [["v0", "v2"]]
    assert header.asked == [b"a", b"b", b"c"]


def test_what_was_read_before_a_header_failed_is_kept_with_its_record():
    """It need not be read again; another call goes on behind the record."""
    codec = replace(CODEC, header=Picky(h=1))
    first = Message(("t", 0, 0), b"v", b"k", [("n", b"h")])
    messages, records = [first, Message(("t", 0, 1), b"w")], []
    decode = codec.decoding(messages, runs_of(messages), codec.columns(messages))
    failure = decode(records)
    assert (failure.subject, failure.stage, records) == (
        first,
        ProcessingStage.HEADER_CONVERTER,
        [],
    )
    assert failure.parts == ((TEXT, "k"), (TEXT, "v"))
    assert (decode(records), [record.value for record in records]) == (None, ["w"])


PLACES = [("t", 0), ("t", 0), ("t", 1), ("u", 1), ("t", 0)]


def test_runs_are_series_from_one_partition():
    """Not only of one number of partition."""
    messages = [Message((*place, n)) for n, place in enumerate(PLACES)]
    assert runs_of(messages) == [
        MessageRun("t", 0, 2),
        MessageRun("t", 1, 1),
        MessageRun("u", 1, 1),
        MessageRun("t", 0, 1),
    ]


def test_a_batch_reaches_from_the_first_run_of_a_partition_to_its_last():
    """Whatever came in between."""
    messages, batch = [Message((*place, n)) for n, place in enumerate(PLACES)], SinkBatch()
    batch.take(messages, runs_of(messages), [None] * len(messages))
    assert batch.firsts() == {("t", 0): 0, ("t", 1): 2, ("u", 1): 3}
    assert batch.ends() == {("t", 0): 5, ("t", 1): 3, ("u", 1): 4}


def test_all_messages_of_an_only_partition_are_one_run():
    """No code has to read them."""
    assert runs_of([None, None], T0) == [MessageRun("t", 0, 2)]


@pytest.mark.parametrize("only", [None, T0], ids=["any", "one"])
def test_without_messages_there_are_no_runs(only):
    """What a poll brought may all be void."""
    assert runs_of([], only) == []


def test_a_partition_that_joins_the_only_one_is_distinguished():
    """And is the only one when the other has gone."""
    rig = SinkRig()
    rig.run(
        rig.assign(T0),
        rig.produce(T0, "a"),
        rig.assign(T1),
        rig.produce(T1, "b"),
        rig.revoke(T0),
        rig.produce(T1, "c"),
        rig.idle,
    )
    assert rig.consumer.group == {T0: 1, T1: 2}
