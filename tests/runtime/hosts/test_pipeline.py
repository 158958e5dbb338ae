"""What stands around a task, some of it in stage hosts beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.runtime.hosts import locations
from tests.runtime.hosts.processes import gone

from plugwright import Headers, SourceRecord, TimestampType
from plugwright.errors import ConfigError, DataError, PluginError, RetriableError
from plugwright.hosts import StagePipeline, StageSetup
from plugwright.plugins import ClassReference
from plugwright.schema import STRING_SCHEMA

pytestmark = pytest.mark.slow

STRING = ClassReference("plugwright.converters", "StringConverter")
SIMPLE = ClassReference("plugwright.converters", "SimpleHeaderConverter")
MARK = {"transforms.mark.type": "ShopMark", "transforms.mark.mark": "marked"}


class Own:
    """A class that no other process has."""


class Stage:
    """Two locations that conflict with this process and with each other."""

    def __init__(self, root):
        self.press, self.pen = locations.converter(root), locations.transformation(root)
        place = {"version": "1.0"}
        at_pen = {"process": 2, "location": str(self.pen.path), **place}
        self.converter = ClassReference(
            "press_plugin", "ShopConverter", process=1, location=str(self.press.path), **place
        )
        self.classes = {
            "ShopMark": ClassReference("pen_plugin", "ShopMark", **at_pen),
            "ShopChosen": ClassReference("pen_plugin", "ShopChosen", **at_pen),
            "Hoist": ClassReference("plugwright.transforms", "HoistField.Value"),
            "Tombstone": ClassReference("plugwright.transforms", "RecordIsTombstone"),
        }
        self.opened = []

    def open(self, *, value=None, header=SIMPLE, classes=None, **transforms):
        """A pipeline; by default with the converter of the first location."""
        chain = {key: found for key, found in self.classes.items() if key in transforms.values()}
        converters = {"key.converter": STRING, "value.converter": value or self.converter}
        setup = StageSetup(
            transforms,
            {**chain, **(classes or {})},
            {**converters, "header.converter": header},
            ((str(self.press.path),), (str(self.pen.path),)),
        )
        self.opened.append(StagePipeline(setup))
        return self.opened[-1]


@pytest.fixture
def stage(tmp_path):
    """Two locations that conflict with this process and with each other."""
    made = Stage(tmp_path)
    yield made
    for pipeline in made.opened:
        pipeline.__exit__()


def record(value, **more):
    """A source record."""
    return SourceRecord({"p": 1}, {"o": 2}, "t", value, **more)


def encoded(pipeline, record):
    """A record as the task loop gets it from the codec, alone."""
    outgoing = []
    failure = pipeline.codec.encode_all(iter([record]), outgoing, None)
    if failure is not None:
        raise failure.error
    return outgoing[0]


def decoded(pipeline, message):
    """A message as the task loop gets it from the codec, alone."""
    records = []
    failure = pipeline.codec.decode_all(iter([message]), records)
    if failure is not None:
        raise failure.error
    return records[0]


def sent(pipeline, *values, **more):
    """What reaches the producer of records with these values."""
    records = [record(value, **more) for value in values]
    pipeline.prepare_source(records)
    found = []
    for each in records:
        changed = pipeline.transform(each) if pipeline.has_chain else each
        found.append(None if changed is None else encoded(pipeline, changed)[3])
    return found


class Message:
    """A consumed message."""

    def __init__(self, value, headers=None):
        self._value, self._headers = value, headers

    topic = staticmethod(lambda: "t")
    partition = staticmethod(lambda: 3)
    offset = staticmethod(lambda: 4)
    key = staticmethod(lambda: b"k")
    timestamp = staticmethod(lambda: (1, 99))

    def value(self):
        """Of the record."""
        return self._value

    def headers(self):
        """Of the record."""
        return self._headers


def test_a_source_record_passes_transformation_and_converter_of_two_locations(stage):
    """Each with its own version of the dependency, which this process has not."""
    pipeline = stage.open(transforms="mark", **MARK)
    assert sent(pipeline, "a", "b") == [
        b"a | marked 3.0 | converter 2.0",
        b"b | marked 3.0 | converter 2.0",
    ]
    assert len({*pipeline.pids, os.getpid()}) == 3
    assert "shared_dep" not in sys.modules


def test_a_sink_record_passes_them_the_other_way_round(stage):
    """With where it stood, and its headers."""
    pipeline = stage.open(transforms="mark", **MARK)
    message = Message(b"a", [("h", b"7")])
    pipeline.prepare_sink([message])

    found = pipeline.transform(decoded(pipeline, message))

    assert (found.value, found.key) == ("a | converter 2.0 | marked 3.0", "k")
    assert (found.topic, found.kafka_partition, found.kafka_offset) == ("t", 3, 4)
    assert (found.timestamp, found.timestamp_type) == (99, TimestampType.CREATE_TIME)
    assert [(header.key, header.value) for header in found.headers] == [("h", 7)]


def test_what_was_not_prepared_is_worked_out_alone(stage):
    """A loop may try a record again."""
    pipeline = stage.open(transforms="mark", **MARK)
    again = record("a")
    for _ in range(2):
        assert encoded(pipeline, pipeline.transform(again))[3] == (
            b"a | marked 3.0 | converter 2.0"
        )
    assert decoded(pipeline, Message(b"a")).value == "a | converter 2.0"


def test_a_record_that_failed_may_be_tried_again(stage):
    """Its first outcome counts once."""
    pipeline = stage.open(value=STRING, transforms="mark", **MARK)
    records = [record("flaky"), record("b")]
    pipeline.prepare_source(records)

    with pytest.raises(RetriableError, match="not now") as caught:
        pipeline.transform(records[0])

    assert caught.value.code == "shop.busy"
    assert pipeline.transform(records[0]).value == "flaky | marked 3.0"
    assert pipeline.transform(records[1]).value == "b | marked 3.0"


def test_one_bad_record_spoils_no_other(stage):
    """Its error is raised when its turn has come, with plugin, version, location and phase."""
    pipeline = stage.open(transforms="mark", **MARK)
    good, odd, dropped, last = records = [record(v) for v in ("a", "odd", "drop", "b")]
    pipeline.prepare_source(records)

    assert pipeline.transform(good).value == "a | marked 3.0"
    with pytest.raises(
        PluginError, match=r"pen_plugin.ShopMark 1.0 failed in apply: odd"
    ) as caught:
        pipeline.transform(odd)
    assert pipeline.transform(dropped) is None
    assert pipeline.transform(last).value == "b | marked 3.0"
    assert caught.value.facts == {
        "plugin": "pen_plugin.ShopMark",
        "version": "1.0",
        "location": str(stage.pen.path),
        "phase": "apply",
        "error": "ValueError",
    }


def test_an_error_of_the_converter_keeps_its_code(stage):
    """It is raised by encode, as in one process."""
    pipeline = stage.open()
    records = [record("a"), record("bad")]
    pipeline.prepare_source(records)
    assert encoded(pipeline, records[0])[3] == b"a | converter 2.0"
    with pytest.raises(DataError, match="bad value") as caught:
        encoded(pipeline, records[1])
    assert (caught.value.code, caught.value.facts["phase"]) == ("shop.bad", "from_connect_data")


def test_transformations_of_both_sides_keep_their_order(stage):
    """One of the runtime goes where the one before it is, or stays here."""
    pipeline = stage.open(
        value=STRING,
        transforms="before,mark,after",
        **MARK,
        **{
            "transforms.before.type": "Hoist",
            "transforms.before.field": "x",
            "transforms.after.type": "Hoist",
            "transforms.after.field": "y",
        },
    )
    assert sent(pipeline, "a") == [b"{y={'x': 'a'} | marked 3.0}"]


@pytest.mark.parametrize(("negate", "marked"), [("false", [True, False]), ("true", [False, True])])
def test_a_condition_of_the_same_location_is_asked_there(stage, negate, marked):
    """Transformation and predicate in one process."""
    pipeline = stage.open(
        value=STRING,
        transforms="mark",
        predicates="chosen",
        **MARK,
        **{
            "transforms.mark.predicate": "chosen",
            "transforms.mark.negate": negate,
            "predicates.chosen.type": "ShopChosen",
        },
    )
    assert [b"marked" in value for value in sent(pipeline, "yes", "no")] == marked


@pytest.mark.parametrize(("negate", "marked"), [("false", [True, False]), ("true", [False, True])])
def test_a_condition_of_another_location_is_asked_first(stage, negate, marked):
    """The records that are meant cross to the transformation."""
    elsewhere = ClassReference(
        "pen_plugin", "ShopMark", process=1, version="1.0", location=str(stage.press.path)
    )
    (stage.press.path / "pen_plugin.py").write_text(
        (stage.pen.path / "pen_plugin.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    pipeline = stage.open(
        value=STRING,
        transforms="mark",
        predicates="chosen",
        classes={"ShopMark": elsewhere},
        **MARK,
        **{
            "transforms.mark.predicate": "chosen",
            "transforms.mark.negate": negate,
            "predicates.chosen.type": "ShopChosen",
        },
    )
    values = sent(pipeline, "yes", "no")
    assert [b"marked 2.0" in value for value in values] == marked


def test_headers_cross_to_a_converter_elsewhere(stage, tmp_path):
    """Only those of records that have some."""
    (stage.press.path / "heads.py").write_text(
        "from plugwright import HeaderConverter, SchemaAndValue\n"
        "class Heads(HeaderConverter):\n"
        "    def from_connect_header(self, topic, name, schema, value):\n"
        "        return f'{topic}.{name}.{value}'.encode()\n"
        "    def to_connect_header(self, topic, name, data):\n"
        "        return SchemaAndValue(None, data.decode().upper())\n"
    )
    heads = ClassReference("heads", "Heads", process=1, location=str(stage.press.path))
    pipeline = stage.open(header=heads)
    records = [record("a", headers=Headers().add_int("n", 1).add_int("m", 2)), record("b")]
    pipeline.prepare_source(records)

    assert [encoded(pipeline, each)[4] for each in records] == [
        [("n", b"t.n.1"), ("m", b"t.m.2")],
        None,
    ]
    headers = decoded(pipeline, Message(b"a", [("n", b"x")])).headers
    assert headers.last_with_name("n").value == "X"


def test_a_value_of_a_plugins_own_class_fails_its_record_only(stage):
    """It has no meaning in another process."""
    pipeline = stage.open()
    records = [record("a"), record(Own()), record("b")]
    pipeline.prepare_source(records)

    assert encoded(pipeline, records[0])[3] == b"a | converter 2.0"
    with pytest.raises(
        DataError, match=r"a value of .*Own cannot be sent between processes"
    ) as caught:
        encoded(pipeline, records[1])
    assert encoded(pipeline, records[2])[3] == b"b | converter 2.0"
    assert caught.value.code == "plugin.foreign-value"


def test_a_host_without_anything_to_do_is_not_started(stage):
    """A predicate may be listed and never used."""
    assert len(stage.open().pids) == 1


@pytest.mark.parametrize("how", ["killed", "dies"])
def test_a_stage_host_that_ends_fails_the_task(stage, how):
    """With plugin, version, location, phase, and how it ended."""
    pipeline = stage.open()
    if how == "killed":
        os.kill(pipeline.pids[0], signal.SIGKILL)
    reason = {"killed": "was ended by SIGKILL", "dies": "status 9; it printed 'converter dies'"}
    with pytest.raises(PluginError, match=reason[how]) as caught:
        pipeline.prepare_source([record("die")])
    facts = dict(caught.value.facts)
    assert facts.pop("pid") == pipeline.pids[0]
    assert (caught.value.code, facts) == (
        "plugin.host-ended",
        {
            "plugin": "press_plugin.ShopConverter",
            "version": "1.0",
            "location": str(stage.press.path),
            "phase": "from_connect_data",
        },
    )


def test_a_plugin_that_refuses_its_settings_fails_the_start(stage):
    """And no host stays behind."""
    with pytest.raises(ConfigError, match=r"transforms\.mark\.mark"):
        stage.open(transforms="mark", **{"transforms.mark.type": "ShopMark"})


def test_a_struct_crosses_with_its_schema(stage):
    """The converter there sees both."""
    pipeline = stage.open()
    assert sent(pipeline, None, "x", value_schema=STRING_SCHEMA) == [None, b"x | converter 2.0"]


def test_a_stage_host_ends_with_its_task(tmp_path):
    """Also if that is killed while a converter hangs."""
    press = locations.converter(tmp_path)
    with (press.path / "press_plugin.py").open("a") as file:
        file.write(
            "import time\n"
            "def hang(self, topic, schema, value):\n"
            "    print('hanging', flush=True)\n"
            "    time.sleep(600)\n"
            "ShopConverter.from_connect_data = hang\n"
        )
    script = (
        "import logging, sys\n"
        "from pathlib import Path\n"
        "from tests.runtime.hosts.test_pipeline import Stage, record\n"
        f"stage = Stage(Path({str(tmp_path / 'other')!r}))\n"
        f"stage.press.path.joinpath('press_plugin.py').write_text("
        f"Path({str(press.path)!r}, 'press_plugin.py').read_text())\n"
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout)\n"
        "pipeline = stage.open()\n"
        "print('pid', pipeline.pids[0], flush=True)\n"
        "pipeline.prepare_source([record('a')])\n"
    )
    root = Path(__file__).parents[3]
    task = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root
    )
    with task, task.stdout as out:
        pid = int(next(line for line in out if line.startswith("pid")).split()[1])
        next(line for line in out if "hanging" in line)
        task.kill()
        assert gone(pid)
