"""The Singer sink: what targets are given, and what is committed."""

from __future__ import annotations

import datetime as dt
import json
from concurrent.futures import Future
from decimal import Decimal
from types import SimpleNamespace

import pytest
from tests.e2e.workers import until
from tests.plugin_path.singer.programs import processes_with, write_program

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigError,
    ConnectError,
    DataError,
    Date,
    SchemaBuilder,
    SinkRecord,
    Struct,
    Time,
    Timestamp,
    TopicPartition,
)
from plugwright import Decimal as DecimalType
from plugwright_singer import SingerSinkConnector, SingerSinkTask

pytestmark = pytest.mark.slow

_HOME = TopicPartition("orders", 0)
_NOTES = """
with open(option("--config")["notes"], "a") as notes:
    for line in sys.stdin:
        notes.write(line)
        notes.flush()
        message = json.loads(line)
        if message["type"] == "STATE":
            print(json.dumps(message["value"]), flush=True)
    notes.write("END\\n")
"""
_USER = SchemaBuilder.struct().field("id", INT64_SCHEMA).field("name", STRING_SCHEMA).build()


@pytest.fixture
def notes(tmp_path):
    """What the target has been given: each message, and END."""
    file = tmp_path / "notes"

    def notes():
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        return [line if line == "END" else json.loads(line) for line in lines]

    return notes


@pytest.fixture
def sink(tmp_path):
    """Starts a task with a target of that body; stops it after the test."""
    tasks = []

    def sink(body=_NOTES, reporter=None, **props):
        task = SingerSinkTask()
        tasks.append(task)
        task.initialize(SimpleNamespace(errant_record_reporter=lambda: reporter))
        program = write_program(tmp_path / "target-test", body)
        given = {name.replace("_", "."): value for name, value in props.items()}
        task.start(
            {
                "singer.target": "target-test",
                "singer.executable": str(program),
                "singer.config.notes": str(tmp_path / "notes"),
                **given,
            }
        )
        return task

    yield sink
    for task in tasks:
        task.stop()


def _record(value, schema=None, offset=0, **parts):
    given = {"key_schema": None, "key": None, "topic": "orders", **parts}
    return SinkRecord(
        kafka_partition=0, value_schema=schema, value=value, kafka_offset=offset, **given
    )


def _user(number, offset=0, **parts):
    value = Struct(_USER).put("id", number).put("name", f"n{number}")
    return _record(value, _USER, offset, **parts)


def _failure(task):
    """What is wrong with a target that dies, whether that is seen in writing to it or later."""
    try:
        task.put([_user(1)])
        task.pre_commit({_HOME: 1})
    except ConnectError as error:
        return str(error)
    return "nothing"


def test_a_target_hears_schema_record_and_state(sink, notes):
    """The schema once, the state at the end, and then the end of its input."""
    task = sink()
    task.put([_user(1, 7), _user(2, 8)])
    assert task.pre_commit({_HOME: 9}) == {_HOME: 9}
    assert notes() == [
        {
            "type": "SCHEMA",
            "stream": "orders",
            "schema": {
                "type": "object",
                "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
                "required": ["id", "name"],
            },
            "key_properties": [],
        },
        {"type": "RECORD", "stream": "orders", "record": {"id": 1, "name": "n1"}},
        {"type": "RECORD", "stream": "orders", "record": {"id": 2, "name": "n2"}},
        {"type": "STATE", "value": {"bookmarks": {"orders": {"orders:0": 9}}}},
        "END",
    ]


def test_the_next_target_hears_the_schema_again(sink, notes):
    """It is another process."""
    task = sink()
    for offset in (0, 1):
        task.put([_user(1, offset)])
        task.pre_commit({_HOME: offset + 1})
    kinds = [note if note == "END" else note["type"] for note in notes()]
    assert kinds == ["SCHEMA", "RECORD", "STATE", "END"] * 2


def test_a_commit_without_records_starts_nothing(sink, notes):
    """What was filtered out before is committed all the same."""
    assert sink().pre_commit({_HOME: 5}) == {_HOME: 5}
    assert notes() == []


def test_a_target_that_goes_on_is_committed_as_far_as_it_has_confirmed(sink):
    """It confirms the first state when it hears the second; more is not promised."""
    body = """
states = []
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "STATE":
        states.append(message["value"])
        if len(states) == 2: print(json.dumps(states[0]), flush=True)
"""
    task = sink(body, singer_commit="echo")
    task.put([_user(1, 0)])
    assert task.pre_commit({_HOME: 1}) == {}
    task.put([_user(2, 1)])
    promised = {}
    while not promised:
        promised = task.pre_commit({_HOME: 2})
    assert promised == {_HOME: 1}


@pytest.mark.parametrize(
    ("said", "confirm", "error"),
    [
        ("", "state", True),
        ('print(json.dumps({"bookmarks": {"orders": {"orders:0": 1}}}))', "state", True),
        ('print("done")', "state", True),
        ("", "exit", False),
    ],
    ids=["nothing", "less", "text", "exit"],
)
def test_what_is_not_confirmed_is_not_committed(sink, said, confirm, error):
    """A target that ends well without repeating the state has confirmed nothing."""
    task = sink(f"sys.stdin.read()\n{said}", singer_confirm=confirm)
    task.put([_user(1, 0), _user(2, 1)])
    if not error:
        assert task.pre_commit({_HOME: 2}) == {_HOME: 2}
        return
    with pytest.raises(ConnectError) as caught:
        task.pre_commit({_HOME: 2})
    assert caught.value.code == "singer.unconfirmed"


def test_after_a_failed_commit_a_new_target_begins(sink, notes):
    """The runtime gives the records again."""
    body = f"""
if not os.path.exists(option("--config")["notes"]):
    open(option("--config")["notes"], "w")
    sys.exit("first")
{_NOTES}"""
    task = sink(body)
    assert "first" in _failure(task)
    task.put([_user(1)])
    assert task.pre_commit({_HOME: 1}) == {_HOME: 1}
    assert [note["type"] for note in notes()[:2]] == ["SCHEMA", "RECORD"]


def test_nothing_is_committed_of_what_a_failed_target_had(sink):
    """A worker asks once more when it closes the task."""
    task = sink("print(sys.stdin.readline())\nsys.exit('full')")
    task.put([_user(1, 0)])
    with pytest.raises(ConnectError):
        task.put([_record("x" * 1_000_000, offset=1)])
    assert task.pre_commit({_HOME: 1}) == {}


def test_values_of_every_type(sink, notes):
    """As JSON that says their type."""
    builder = SchemaBuilder.struct()
    fields = {
        "i": (SchemaBuilder.int8(), -5, -5, {"type": "integer"}),
        "f": (SchemaBuilder.float64(), 0.1, 0.1, {"type": "number"}),
        "b": (SchemaBuilder.bool(), True, True, {"type": "boolean"}),
        "y": (
            SchemaBuilder.bytes(),
            b"\x00\xff",
            "AP8=",
            {"type": "string", "contentEncoding": "base64"},
        ),
        "d": (
            DecimalType.builder(2),
            Decimal("12345678901234567890.10"),
            12345678901234567890.10,
            {"type": "number", "multipleOf": 0.01},
        ),
        "day": (
            Date.builder(),
            dt.date(2024, 2, 29),
            "2024-02-29",
            {"type": "string", "format": "date"},
        ),
        "at": (Time.builder(), dt.time(2, 30), "02:30:00", {"type": "string", "format": "time"}),
        "seen": (
            Timestamp.builder(),
            dt.datetime(2024, 2, 29, 1, tzinfo=dt.UTC),
            "2024-02-29T01:00:00+00:00",
            {"type": "string", "format": "date-time"},
        ),
        "l": (
            SchemaBuilder.array(SchemaBuilder.int64().optional()),
            [1, None],
            [1, None],
            {"type": "array", "items": {"type": ["null", "integer"]}},
        ),
        "m": (
            SchemaBuilder.map(STRING_SCHEMA, INT64_SCHEMA),
            {"a": 1},
            {"a": 1},
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
        "o": (SchemaBuilder.string().optional(), None, None, {"type": ["null", "string"]}),
    }
    for name, (schema, *_) in fields.items():
        builder.field(name, schema)
    schema = builder.build()
    value = Struct(schema)
    for name, (_, item, *_) in fields.items():
        value.put(name, item)
    task = sink()
    task.put([_record(value, schema)])
    task.pre_commit({_HOME: 1})
    announced, record, *_ = notes()
    assert announced["schema"]["properties"] == {n: parts[3] for n, parts in fields.items()}
    assert record["record"] == {n: parts[2] for n, parts in fields.items()}


def test_a_decimal_has_all_its_digits(sink, tmp_path):
    """In the text of the line, whatever a reader makes of it."""
    schema = SchemaBuilder.struct().field("d", DecimalType.builder(2)).build()
    task = sink()
    task.put([_record(Struct(schema).put("d", Decimal("12345678901234567890.10")), schema)])
    task.pre_commit({_HOME: 1})
    assert '"record":{"d":12345678901234567890.10}' in (tmp_path / "notes").read_text("utf-8")


@pytest.mark.parametrize(
    ("schema", "value", "record"),
    [
        (STRING_SCHEMA, "x", {"value": "x"}),
        (None, "x", {"value": "x"}),
        (None, {"a": 1, "b": [0.5, {"c": None}]}, {"a": 1, "b": [0.5, {"c": None}]}),
        (None, {}, {}),
    ],
    ids=["text", "bare", "map", "empty"],
)
def test_values_that_are_no_structs(sink, notes, schema, value, record):
    """A map is an object, anything else its only property."""
    task = sink()
    task.put([_record(value, schema)])
    task.pre_commit({_HOME: 1})
    assert notes()[1]["record"] == record


@pytest.mark.parametrize(
    ("props", "parts", "expected"),
    [
        ({}, {}, ([], {})),
        ({"singer.keys": "fields", "singer.key.fields": "id"}, {}, (["id"], {})),
        (
            {"singer.keys": "record"},
            {"key": "k", "key_schema": STRING_SCHEMA},
            (["key"], {"key": "k"}),
        ),
        (
            {"singer.keys": "coordinates"},
            {},
            (
                ["__topic", "__partition", "__offset"],
                {"__topic": "orders", "__partition": 0, "__offset": 5},
            ),
        ),
    ],
    ids=["none", "fields", "record", "coordinates"],
)
def test_keys(sink, notes, props, parts, expected):
    """Which properties are the key, and what is added to the record for it."""
    task = sink(**props)
    task.put([_user(1, 5, **parts)])
    task.pre_commit({_HOME: 6})
    schema, record, *_ = notes()
    added = {n: v for n, v in record["record"].items() if n not in {"id", "name"}}
    assert (schema["key_properties"], added) == expected


def test_streams_have_names(sink, notes):
    """One for all, or one for a topic."""
    task = sink(**{"singer.stream": "all", "singer.stream.for.special": "own"})
    task.put([_user(1), _user(1, topic="special")])
    task.pre_commit({})
    assert [note["stream"] for note in notes()[:-1] if note["type"] == "RECORD"] == ["all", "own"]


@pytest.mark.parametrize(
    ("record", "props", "said"),
    [
        (_record(None), {}, "its value is null"),
        (_record(float("nan")), {}, "nan has no number form in JSON"),
        (_record(object()), {}, "a value of type object"),
        (_user(1), {"singer.keys": "record"}, "it has no key"),
        (
            _user(1),
            {"singer.keys": "fields", "singer.key.fields": "x"},
            "it has no x, which is to be its key",
        ),
        (
            _record({1: 2}, SchemaBuilder.map(INT64_SCHEMA, INT64_SCHEMA).build(), offset=3),
            {},
            "a map with keys of type int64",
        ),
    ],
    ids=["tombstone", "nan", "object", "keyless", "fieldless", "map"],
)
def test_what_cannot_be_written_is_refused(sink, record, props, said):
    """With its place."""
    with pytest.raises(DataError) as caught:
        sink(**props).put([record])
    assert f"the record at orders-0@{record.kafka_offset} cannot be written: " in str(caught.value)
    assert said.casefold() in str(caught.value).casefold()


def test_bad_records_are_reported_and_the_others_written(sink, notes):
    """If anyone listens."""
    reported = []

    def report(record, error):
        reported.append((record.kafka_offset, error.code))
        return Future()

    task = sink(reporter=SimpleNamespace(report=report))
    task.put([_user(1, 0), _record(None, offset=1), _user(3, 2)])
    assert task.pre_commit({_HOME: 3}) == {_HOME: 3}
    assert reported == [(1, "singer.tombstone")]
    assert [n["record"]["id"] for n in notes()[:-1] if n["type"] == "RECORD"] == [1, 3]


def test_nan_can_be_written(sink, tmp_path):
    """As Python does."""
    task = sink(**{"singer.non.finite": "write"})
    task.put([_record({"x": float("nan")})])
    task.pre_commit({})
    assert '"record":{"x":NaN}' in (tmp_path / "notes").read_text("utf-8")


def test_a_target_that_dies_is_reported_with_its_last_words(sink):
    """Without secrets."""
    task = sink(
        "print(option('--config')['token'], file=sys.stderr)\nsys.exit('disk full')",
        **{"singer.secret.token": "s3cret"},
    )
    assert _failure(task) == (
        "target-test ended with exit code 1; its last words: [hidden]\ndisk full"
    )


def test_a_target_that_does_not_read_is_ended(sink):
    """When its pipe is full."""
    task = sink("import time\ntime.sleep(1000)", **{"singer.write.timeout.ms": "1"})
    with pytest.raises(ConnectError, match=r"has taken nothing for 0\.001 seconds") as caught:
        task.put([_record("x" * 1_000_000)])
    assert (caught.value.code, caught.value.retriable) == ("singer.hangs", False)


def test_a_target_that_does_not_end_is_ended(sink, tmp_path):
    """And nothing is committed."""
    body = "sys.stdin.read()\nimport time\ntime.sleep(1000)"
    task = sink(body, **{"singer.flush.timeout.ms": "1"})
    task.put([_user(1)])
    with pytest.raises(ConnectError, match=r"has not ended for 0\.001 seconds"):
        task.pre_commit({_HOME: 1})
    assert processes_with(str(tmp_path)) == []


def test_a_large_batch_arrives_whole(sink, notes):
    """Many times what a pipe holds, in order."""
    task = sink()
    task.put([_record("x" * 1000, offset=n) for n in range(2000)])
    assert task.pre_commit({_HOME: 2000}) == {_HOME: 2000}
    assert sum(note != "END" and note["type"] == "RECORD" for note in notes()) == 2000


def test_a_target_that_talks_stops_nothing(sink):
    """On both of its outputs, more than pipes hold."""
    body = """
for _ in range(500):
    print("progress " * 100)
    print("progress " * 100, file=sys.stderr)
sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "STATE":
        print(json.dumps(message["value"]), flush=True)
"""
    task = sink(body)
    task.put([_user(1)])
    assert task.pre_commit({_HOME: 1}) == {_HOME: 1}


def test_a_stop_ends_the_target(sink, tmp_path):
    """With what it holds, which was not committed."""
    task = sink()
    task.put([_user(1)])
    assert until(lambda: processes_with(str(tmp_path)))  # put() does not wait for the target
    task.stop()
    assert processes_with(str(tmp_path)) == []


def test_a_target_that_there_is_not_is_reported(sink):
    """With where it was looked for."""
    with pytest.raises(ConfigError, match="there is no program no-such-target"):
        sink(**{"singer.executable": "no-such-target"}).put([_user(1)])


def test_partitions_that_leave_are_forgotten(sink, notes):
    """The next state does not speak of them."""
    task = sink()
    task.put([_user(1, 0)])
    task.close([_HOME])
    task.put([SinkRecord("orders", 1, None, None, _USER, _user(1).value, 4)])
    other = TopicPartition("orders", 1)
    assert task.pre_commit({other: 5}) == {other: 5}
    (state,) = [n["value"] for n in notes() if n != "END" and n["type"] == "STATE"]
    assert state == {"bookmarks": {"orders": {"orders:1": 5}}}


def test_every_task_has_a_target_of_its_own():
    """The configuration is the same."""
    connector = SingerSinkConnector()
    connector.start({"singer.target": "t"})
    assert connector.task_configs(3) == [{"singer.target": "t"}] * 3
    assert connector.alter_offsets({}, {_HOME: None}) is True
