"""Records that fail on their way out of a source task, and those around them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.runtime.worker.rigs import CODEC, ScriptedSource, SourceRig, line

from plugwright.converters import StringConverter
from plugwright.errors import DataError, RetriableError
from plugwright.record import SourceRecord
from plugwright.schema import STRING_SCHEMA, SchemaBuilder, Struct
from plugwright.transforms import (
    ExtractField,
    ReplaceField,
    TransformationChain,
    TransformationStage,
)
from plugwright.worker import ErrorSettings, RecordCodec

ALL = ErrorSettings(tolerate_all=True)


class Listening(ScriptedSource):
    """Hears of each record."""

    def commit_record(self, record, metadata):
        """Note value, and whether Kafka has it."""
        self.calls.append((record.value, metadata is not None))


class Picky(StringConverter):
    """Fails as often as specified at certain values, and remembers what it was asked."""

    def __init__(self, error=None, **failures):
        super().__init__()
        self.error = error or DataError("cannot")
        self.failures = dict(failures)
        self.asked = []

    def from_connect_data(self, topic, schema, value):
        """Convert, or not."""
        self.asked.append(value)
        if self.failures.get(str(value), 0):
            self.failures[str(value)] -= 1
            raise self.error
        return super().from_connect_data(topic, schema, value)

    def from_connect_header(self, topic, header_key, schema, value):
        """The same for headers."""
        return self.from_connect_data(topic, schema, value)


def _rig(errors=ALL, task_class=Listening, **converters):
    rig = SourceRig(task_class)
    rig.settings = replace(rig.settings, errors=errors)
    rig.codec = replace(CODEC, **converters)
    rig.producer.prompt = True
    return rig


def _acknowledged(rig):
    return [call for call in rig.calls if isinstance(call, tuple)]


def test_a_tolerated_record_is_left_out_and_the_rest_arrives_in_order():
    """Twice in one batch, first and last included."""
    rig = _rig(value=Picky(a0=1, a2=1, a4=1))
    rig.run([line("a", n) for n in range(5)])
    assert rig.producer.topic == ["a1", "a3"]
    assert rig.status.states == ["RUNNING", "STOPPED"]
    assert rig.loop.counters.errors.records_skipped == 3


def test_no_converter_is_asked_twice_about_a_record_that_passed():
    """The error path begins at the operation that failed."""
    key, value = Picky(), Picky(a1=1)
    rig = _rig(key=key, value=value)
    rig.run([line("a", n) for n in range(3)])
    assert (key.asked, value.asked) == ([None] * 3, ["a0", "a1", "a2"])


def test_a_skipped_record_moves_no_offset_of_its_own():
    """As with a dropped one: a later delivered record does."""
    rig = _rig(value=Picky(a2=1, b1=1))
    rig.run([line("a", 1), line("a", 2), line("b", 1)])
    assert list(rig.offsets.stored.values()) == [{"line": 1}]


def test_the_task_hears_of_a_skipped_record_without_metadata():
    """KIP-779."""
    rig = _rig(value=Picky(a1=1))
    rig.run([line("a", 1), line("a", 2)])
    assert _acknowledged(rig) == [("a1", False), ("a2", True)]


def test_a_failed_header_leaves_key_and_value_alone():
    """Kafka: later operations of a failed record do not run."""
    key, value, header = Picky(), Picky(), Picky(h=1)
    rig = _rig(key=key, value=value, header=header)
    record = line("a", 1)
    record.headers.add("x", "h")
    rig.run([record, line("a", 2)])
    assert (header.asked, key.asked, value.asked) == (["h"], [None], ["a2"])


@pytest.mark.parametrize("part", ["key", "value", "header"])
def test_a_retriable_failure_is_tried_again_without_the_operations_before_it(part):
    """The record goes on its way, complete and in its place."""
    picky = {name: Picky(RetriableError("away")) for name in ("key", "value", "header")}
    names = {"key": "k", "value": "v", "header": "h"}
    picky[part].failures = {names[part]: 2}
    rig = _rig(ErrorSettings(retry_timeout_s=60), **picky)
    record = SourceRecord({"f": 1}, {"n": 1}, "t", "v", key="k")
    record.headers.add("x", "h")
    rig.producer.prompt = False
    rig.run([line("a", 1), record, line("a", 2)])
    assert rig.producer.in_flight[1][:5] == ("t", None, b"k", b"v", [("x", b"h")])
    others = [p.asked.count(names[name]) for name, p in picky.items() if name != part]
    assert (picky[part].asked.count(names[part]), others) == (3, [1, 1])
    assert rig.loop.counters.errors.retries == 2


def test_an_untolerated_record_fails_the_task_after_those_before_it_were_sent():
    """And nothing behind it is even converted."""
    value = Picky(a2=1)
    rig = _rig(ErrorSettings(), value=value)
    rig.run([line("a", n) for n in range(5)])
    assert (rig.producer.topic, value.asked) == (["a0", "a1"], ["a0", "a1", "a2"])
    assert rig.status.states[-1] == "FAILED"
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1}}


class Step:
    """A transformation of the test's own: notes what it sees, fails or drops as specified."""

    def __init__(self, name, log, fails=(), drops=(), error=None):
        self.name, self.log, self.drops = name, log, drops
        self.fails = list(fails)
        self.error = error or ValueError("bad")

    def apply(self, record):
        """Do it."""
        self.log.append((self.name, record.value))
        if record.value in self.fails:
            self.fails.remove(record.value)
            raise self.error
        return None if record.value in self.drops else record

    def close(self):
        """Nothing is held."""


def _chain(*steps):
    return TransformationChain(
        [TransformationStage(step.name, step, None, step.apply) for step in steps]
    )


def test_a_tolerated_transformation_runs_once_and_the_later_ones_not_at_all():
    """For the failed record; the others pass both."""
    log, rig = [], _rig()
    rig.transform = _chain(Step("one", log, fails=["a2"]), Step("two", log))
    rig.run([line("a", n) for n in (1, 2, 3)])
    assert log == [("one", "a1"), ("two", "a1"), ("one", "a2"), ("one", "a3"), ("two", "a3")]
    assert rig.producer.topic == ["a1", "a3"]


def test_a_retried_transformation_does_not_repeat_the_ones_before_it():
    """Only the failing one is called again."""
    log, rig = [], _rig(ErrorSettings(retry_timeout_s=60))
    later = RetriableError("away")
    rig.transform = _chain(Step("one", log), Step("two", log, ["a1", "a1"], error=later))
    rig.run([line("a", 1), line("a", 2)])
    assert [name for name, value in log if value == "a1"] == ["one", "two", "two", "two"]
    assert rig.producer.topic == ["a1", "a2"]


def test_drops_and_failures_may_be_neighbours():
    """Every record keeps its own fate."""
    log, rig = [], _rig(value=Picky(a4=1))
    rig.transform = _chain(Step("one", log, fails=["a1", "a5"], drops=["a0", "a2", "a6"]))
    rig.run([line("a", n) for n in range(8)])
    assert rig.producer.topic == ["a3", "a7"]
    assert sorted(_acknowledged(rig)) == [(f"a{n}", n in {3, 7}) for n in range(8)]


def test_the_first_of_two_failures_is_the_one_that_ends_the_task():
    """Record by record, as in Kafka: a1 cannot be converted, a2 not be transformed."""
    rig = _rig(ErrorSettings(), value=Picky(a1=1))
    rig.transform = _chain(Step("one", [], fails=["a2"]))
    rig.run([line("a", n) for n in range(3)])
    assert isinstance(rig.status.error, DataError)
    assert rig.producer.topic == ["a0"]


def test_a_failure_inside_fused_stages_is_laid_at_the_door_of_one(caplog):
    """The log names the transformation that failed, here the second."""
    schema = SchemaBuilder.struct().field("a", STRING_SCHEMA).build()
    replace_field, extract = ReplaceField.Value(), ExtractField.Value()
    replace_field.configure({"renames": "a:b"})
    extract.configure({"field": "b"})
    rig = _rig(ErrorSettings(tolerate_all=True, log=True))
    stages = [TransformationStage("s", step, None, step.apply) for step in (replace_field, extract)]
    rig.transform = TransformationChain(stages)
    good = SourceRecord({"f": 1}, {"n": 1}, "t", Struct(schema).put("a", "1"), schema)
    other = SchemaBuilder.struct().field("c", STRING_SCHEMA).build()
    bad = SourceRecord({"f": 1}, {"n": 2}, "t", Struct(other).put("c", "1"), other)
    rig.run([good, bad, good])
    assert len(rig.transform.steps) == 1
    assert rig.producer.topic == ["1", "1"]
    (record,) = caplog.records
    assert "ExtractField" in record.getMessage()


def test_each_line_of_the_log_shows_its_own_record(caplog):
    """Whichever operation failed, and whatever failed before it in the batch."""
    rig = _rig(ErrorSettings(True, log=True, log_messages=True), value=Picky(a3=1))
    rig.transform = _chain(Step("one", [], fails=["a1", "a4"]))
    rig.run([line("a", n) for n in range(6)])
    shown = [record.getMessage().partition("{line=")[2][0] for record in caplog.records]
    assert shown == ["1", "3", "4"]


def test_a_transformation_that_exits_fails_the_task_not_the_process():
    """Although everything is tolerated."""
    rig = _rig()
    rig.transform = _chain(Step("one", [], fails=["a1"], error=SystemExit(1)))
    rig.run([line("a", 0), line("a", 1)])
    assert rig.status.error.facts["phase"] == "TRANSFORMATION"
    assert rig.producer.topic == ["a0"]


def test_a_stop_during_retries_leaves_the_record_for_the_next_task():
    """What came before it is sent and stored; nothing is skipped."""
    rig = _rig(ErrorSettings(True, retry_timeout_s=-1), value=Picky(RetriableError("away"), a2=99))
    rig.control.waits.append(rig.control.stop)
    rig.run([line("a", n) for n in (1, 2, 3)])
    assert (rig.producer.topic, rig.status.states[-1]) == (["a1"], "STOPPED")
    assert rig.offsets.stored == {(("file", "a"),): {"line": 1}}
    assert rig.loop.counters.errors.records_skipped == 0


def test_a_tolerated_refusal_of_the_broker_counts_as_delivered():
    """KAFKA_PRODUCE: reported, skipped, and its offset moves on (Kafka's WorkerSourceTask)."""
    rig = _rig()
    rig.producer.prompt = False
    rig.run([line("a", 1), line("a", 2)], rig.refuse(), rig.acknowledge())
    assert _acknowledged(rig) == [("a1", False), ("a2", True)]
    assert rig.offsets.stored == {(("file", "a"),): {"line": 2}}
    assert rig.status.states[-1] == "STOPPED"


def test_a_tolerated_refusal_of_the_client_is_the_same():
    """A record too large for the producer; those behind it are sent all the same."""
    rig = _rig()
    rig.producer.refused = {b"a1", b"a3"}
    rig.run([line("a", n) for n in range(5)])
    assert rig.producer.topic == ["a0", "a2", "a4"]
    assert rig.offsets.stored == {(("file", "a"),): {"line": 4}}
    assert rig.loop.counters.errors.records_skipped == 2


def test_a_tolerated_refusal_is_logged_with_its_own_record(caplog):
    """Also among records of the same content, and where the task does not listen."""
    errors = ErrorSettings(tolerate_all=True, log=True, log_messages=True)
    rig = _rig(errors, ScriptedSource)
    rig.producer.prompt = False
    values = {1: "same", 2: "other", 3: "same"}
    twins = [SourceRecord({"f": 1}, {"n": n}, "t", value) for n, value in values.items()]
    rig.run([line("a", 1), *twins, line("a", 2)], rig.acknowledge(1), rig.refuse(4))
    message_text = [record.getMessage().partition("sourceOffset=")[2] for record in caplog.records]
    assert [text.partition("}")[0] for text in message_text] == [
        "{n=1",
        "{n=2",
        "{n=3",
        "{line=2",
    ]
    assert list(rig.offsets.stored.values()) == [{"line": 2}, {"n": 3}]


def test_an_untolerated_refusal_of_the_client_fails_the_task():
    """Kafka: `Unrecoverable exception trying to send`."""
    rig = _rig(ErrorSettings())
    rig.producer.refused = {b"a1"}
    rig.run([line("a", 0), line("a", 1)])
    assert rig.status.error.code == "kafka.record-refused"


def test_the_log_may_show_the_source_record(caplog):
    """errors.log.enable and errors.log.include.messages."""
    rig = _rig(ErrorSettings(True, log=True, log_messages=True), value=Picky(a1=1))
    rig.run([line("a", 1)])
    assert "where source record is = SourceRecord{sourcePartition={" in caplog.text
    assert rig.loop.counters.snapshot()["total-errors-logged"] == 1


def test_nothing_is_logged_unless_asked(caplog):
    """The default."""
    _rig(value=Picky(a1=1)).run([line("a", 1)])
    assert "Error encountered" not in caplog.text


def test_codecs_do_not_change_with_the_error_path():
    """What a retried record becomes is what the fast path makes of it."""
    record = SourceRecord({"f": 1}, {"n": 1}, "t", "v", key="k", kafka_partition=4, timestamp=9)
    record.headers.add("x", "h")
    codec = RecordCodec(StringConverter(), StringConverter(), StringConverter())
    out = []
    codec.encode_all(iter([record]), out, len)
    assert codec.encode(record, len) == out[0]
    assert out[0] == ("t", 4, b"k", b"v", [("x", b"h")], 9, len)
