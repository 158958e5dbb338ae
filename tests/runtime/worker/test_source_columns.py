"""Columns that a task polls are sent and answered for like the same records in a list."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.transforms.stages import stage
from tests.runtime.worker.fakes import FakeTransactions
from tests.runtime.worker.rigs import CODEC, ScriptedSource, SourceRig

from plugwright import BYTES_SCHEMA, STRING_SCHEMA, SourceColumns, SourceRecord
from plugwright.converters import ByteArrayConverter, JsonConverter
from plugwright.transforms import (
    Cast,
    ExtractField,
    HoistField,
    InsertField,
    MaskField,
    RegexRouter,
    ReplaceField,
    TransformationChain,
    ValueToKey,
)
from plugwright.worker import ErrorSettings, RecordCodec, SourceSettings

STRINGS, JSON = CODEC, RecordCodec(CODEC.key, JsonConverter(), CODEC.header)
JSON_WITH_KEYS = RecordCodec(JsonConverter(), JsonConverter(), CODEC.header)
BYTES = RecordCodec(CODEC.key, ByteArrayConverter(), CODEC.header)
CODECS = {"strings": STRINGS, "json": JSON, "bytes": BYTES}


class Listening(ScriptedSource):
    """Wants to hear of each record."""

    def commit_record(self, record, metadata):
        """Note which record it is, and where it is."""
        place = metadata and (metadata.topic, metadata.partition, metadata.offset)
        self.calls.append((record.source_offset, record.value, record.key, place))


def _polled(batch, columns, first):
    """A batch of the case as a list of records, or as columns."""
    values, keys = batch["values"], batch["keys"] and [f"k{n}" for n in range(len(batch["values"]))]
    schema = STRING_SCHEMA if batch["schema"] else None

    def offset_at(index):
        return {"line": first + index}

    made = SourceColumns(
        {"file": batch["file"]},
        offset_at,
        "t",
        values,
        schema,
        keys=keys or None,
        key_schema=STRING_SCHEMA if keys else None,
        kafka_partition=batch["partition"],
        timestamp=batch["timestamp"],
    )
    return made if columns else [made.build(index) for index in range(len(values))]


def _lived(case, *, columns):
    """What Kafka, the offset store and the task receive."""
    rig = SourceRig(Listening if case["listens"] else ScriptedSource)
    rig.codec = CODECS[case["codec"]]
    errors = ErrorSettings(tolerate_all=case["tolerates"])
    rig.settings = SourceSettings(10.0, 2.0, errors=errors)
    rig.transform = TRANSFORMS[case["transform"]]()
    if case["exactly"]:
        rig.producer = rig.transactions = FakeTransactions()
    sent = []
    send = rig.producer.send

    def noted(batch):
        sent.extend(record[:-1] for record in batch)
        send(batch)

    rig.producer.send = noted
    rig.producer.refused = {b"refused"}
    steps, first = [], 0
    moves = deque(case["moves"])
    for batch in case["batches"]:
        steps.append(_polled(batch, columns, first))
        first += len(batch["values"])
        while moves and (move := moves.popleft()) != "poll":
            count = {"one": 1, "all": None}.get(move)
            steps.append(
                {"interval": rig.interval, "refuse": rig.refuse(1)}.get(move)
                or rig.acknowledge(count)
            )
    rig.run(*steps)
    counters = rig.loop.counters
    return {
        "sent": sent,
        "topic": rig.producer.topic,
        "offsets": (rig.transactions or rig.offsets).offsets
        if case["exactly"]
        else rig.offsets.writes,
        "calls": rig.calls,
        "states": rig.status.states,
        "failure": str(rig.status.error),
        "counts": (counters.polled, counters.records, counters.batches),
        "failed": counters.errors.record_failures,
    }


def _chain(*stages):
    """A function that makes a chain of transformations, given as class and settings."""
    return lambda: TransformationChain([stage(kind, **props) for kind, props in stages])


HOIST = HoistField.Value, {"field": "line"}
INSERT = (
    InsertField.Value,
    {"static.field": "origin", "static.value": "ä", "topic.field": "from!", "partition.field": "p"},
)
RENAME = ReplaceField.Value, {"renames": "line:text", "exclude": "p"}
RENAME_ALONE = ReplaceField.Value, {"renames": "line:text"}
TRANSFORMS = {
    "": lambda: None,
    "drops": lambda: _without_a,
    "renames": lambda: _renamed,
    "hoist": _chain(HOIST),
    "three": _chain(HOIST, INSERT, RENAME),
    "time": _chain(HOIST, (InsertField.Value, {"timestamp.field": "at"})),
    "nothing left": _chain(HOIST, (ReplaceField.Value, {"exclude": "line"})),
    "mask": _chain(HOIST, (MaskField.Value, {"fields": "line"}), INSERT),
    "cast": _chain((Cast.Value, {"spec": "string"}), HOIST),
    "twice": _chain(HOIST, (InsertField.Value, {"static.field": "line", "static.value": "a"})),
    "extract": _chain(HOIST, (ExtractField.Value, {"field": "line"})),
    "keys": _chain((HoistField.Key, {"field": "k"}), HOIST),
    "route": _chain((RegexRouter, {"regex": "(t)", "replacement": "$1$1"}), HOIST, INSERT),
    "required": _chain(HOIST, (InsertField.Value, {"partition.field": "p!"}), RENAME_ALONE),
    "to key": _chain(HOIST, (ValueToKey, {"fields": "line"})),
    "offset": _chain(HOIST, (InsertField.Value, {"offset.field": "o"})),
}


def _without_a(record):
    return None if record.value == "a" else record


def _renamed(record):
    return record.new_record(topic="v") if record.value == "b" else record


_VALUES = st.lists(
    st.sampled_from(["a", "b", "ä", "", None, 7, b"x", "\ud800", "refused"]), max_size=8
)
_PLAIN = st.lists(st.sampled_from(["a", "b", "ä", "", None]), max_size=8)
_BATCH = st.fixed_dictionaries(
    {
        "values": st.one_of(_PLAIN, _PLAIN, _VALUES),
        "keys": st.booleans(),
        "schema": st.booleans(),
        "file": st.sampled_from(["a", "a", "b"]),
        "partition": st.sampled_from([None, 2]),
        "timestamp": st.sampled_from([None, 5]),
    }
)
_CASES = st.fixed_dictionaries(
    {
        "batches": st.lists(_BATCH, max_size=4),
        "codec": st.sampled_from(["strings", "json", "json", "bytes"]),
        "tolerates": st.booleans(),
        "transform": st.sampled_from(["", "", *TRANSFORMS]),
        "exactly": st.sampled_from([False, False, True]),
        "listens": st.booleans(),
        "moves": st.lists(
            st.sampled_from(["poll", "poll", "all", "one", "refuse", "interval"]), max_size=12
        ),
    }
)


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(_CASES)
def test_both_ways_are_the_same(case):
    """Bytes, offsets, answers, failures and figures."""
    assert _lived(case, columns=True) == _lived(case, columns=False)


def _columns(values):
    return SourceColumns({"file": "a"}, lambda index: {"line": index}, "t", values, STRING_SCHEMA)


def test_columns_are_sent_without_their_records(monkeypatch):
    """But for one or two of a batch, of which the loop needs the offset."""
    built = []
    build = SourceColumns.build
    monkeypatch.setattr(SourceColumns, "build", lambda *of: built.append(of[1]) or build(*of))
    rig = SourceRig()
    rig.run(_columns([str(number) for number in range(1200)]), rig.acknowledge(), rig.interval)
    assert rig.producer.topic == [str(number) for number in range(1200)]
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1199}}
    assert len(built) < 12


@pytest.mark.parametrize("name", ["hoist", "three", "time", "mask", "cast", "keys", "route"])
def test_transformed_columns_are_sent_without_their_records(monkeypatch, name):
    """In several parts, each with the values and keys of its own records."""
    built = []
    build = SourceColumns.build
    monkeypatch.setattr(SourceColumns, "build", lambda *of: built.append(of[1]) or build(*of))
    values = [str(number) for number in range(1200)]
    columns = SourceColumns(
        {"file": "a"},
        lambda index: {"line": index},
        "t",
        values,
        STRING_SCHEMA,
        keys=values,
        key_schema=STRING_SCHEMA,
        kafka_partition=1,
        timestamp=5,
    )
    one_by_one = [build(columns, index) for index in range(1200)]
    sent = []
    for polled in (one_by_one, columns):
        rig = SourceRig()
        rig.codec, rig.transform = JSON_WITH_KEYS, TRANSFORMS[name]()
        send = rig.producer.send
        rig.producer.send = lambda batch, send=send: (
            sent.append([each[:-1] for each in batch]),
            send(batch),
        )
        rig.run(polled, rig.acknowledge(), rig.interval)
        assert rig.offsets.stored == {(("file", "a"),): {"line": 1199}}

    half = len(sent) // 2
    assert sent[:half] == sent[half:]
    assert sum(map(len, sent[half:])) == 1200
    assert len(built) < 12


@pytest.mark.parametrize("look", [list, lambda columns: columns[0]], ids=["all", "one"])
def test_records_that_were_looked_at_are_sent_as_they_are_now(look):
    """A subclass may have changed them."""
    columns = _columns(["a", "b"])
    look(columns)
    columns[1].value = "changed"
    rig = SourceRig()
    rig.run(columns, rig.acknowledge())
    assert rig.producer.topic == ["a", "changed"]


def test_columns_are_a_sequence_of_records():
    """As the loop that polls a task expects."""
    columns = _columns(["a", "b", "c"])
    records = [
        SourceRecord({"file": "a"}, {"line": n}, "t", value, STRING_SCHEMA)
        for n, value in enumerate("abc")
    ]
    assert (len(columns), list(columns), columns[-1]) == (3, records, records[2])
    assert (columns[1:], columns[0] is columns[0]) == (records[1:], True)
    assert not _columns([])


def test_keys_have_to_be_as_many_as_values():
    """Or records would get the keys of others."""
    with pytest.raises(ValueError, match="2 values and 1 keys"):
        SourceColumns(None, lambda _: None, "t", ["a", "b"], keys=["k"])


@pytest.mark.parametrize(
    ("converter", "schema", "values"),
    [
        (CODEC.value, STRING_SCHEMA, ["a", "ä", "", None]),
        (CODEC.value, None, []),
        (ByteArrayConverter(), BYTES_SCHEMA, [b"a", b"", None]),
        (JsonConverter(), None, [None, {"a": [1, None]}, "ä"]),
        (JsonConverter(), STRING_SCHEMA, ["a", ""]),
    ],
    ids=["strings", "nothing", "bytes", "JSON", "JSON with a schema"],
)
def test_a_column_is_written_like_its_values(converter, schema, values):
    """Each by itself."""
    single = [converter.from_connect_data("t", schema, value) for value in values]
    assert converter.write_column("t", schema, values) == single


@pytest.mark.parametrize(
    ("converter", "schema", "values"),
    [
        (CODEC.value, None, ["a", 7]),
        (ByteArrayConverter(), BYTES_SCHEMA, [b"a", bytearray(b"b")]),
        (ByteArrayConverter(), STRING_SCHEMA, [None]),
    ],
    ids=["a number", "an array", "another schema"],
)
def test_a_column_that_is_not_plain_is_written_one_by_one(converter, schema, values):
    """Which knows the rules for all values."""
    assert converter.write_column("t", schema, values) is None
