"""From options to a plan: real plugins, validated and asked for their tasks, without Spark."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql.types import StructType

from plugwright.errors import SetupError
from plugwright.plugins import SINK, SOURCE, ClassReference
from plugwright.spark import DEFAULT_MASTER, PlugwrightDataSource, register
from plugwright.spark.datasource import RowsError, registration
from plugwright.spark.datasource.location import enter_location
from plugwright.spark.datasource.plan import ConnectorPlan
from plugwright.spark.datasource.planning import plan_connector

PLUGIN_PATH = str(Path(__file__).parents[4] / "plugin-path")
TEXT = StructType().add("value", "string")


def options(**given):
    """Options as Spark hands them over: in this process, which spares a second."""
    own = {"plugin.path": PLUGIN_PATH, "plugin.isolation": "none"}
    return own | {name.replace("_", "."): value for name, value in given.items()}


def source(tmp_path, **more):
    """The options of a file source."""
    (tmp_path / "in").write_text("a\nb\n")
    more = {"connector_class": "FileStreamSource", "topic": "t"} | more
    return options(file=str(tmp_path / "in"), **more)


def refusal(given, sink=False):
    """The error message for these options."""
    found = PlugwrightDataSource(given)
    with pytest.raises(RowsError) as caught:
        found.writer(TEXT, overwrite=False) if sink else found.reader(TEXT)
    return str(caught.value)


@pytest.mark.parametrize(
    ("client", "names"),
    [(object(), ["plugwright", "plugwright-kafka"]), (None, ["plugwright"])],
    ids=["with-extra-kafka", "without"],
)
def test_a_session_learns_what_is_installed(client, names, monkeypatch):
    """Plugins need no Kafka, and so no client of it."""
    monkeypatch.setattr(registration, "find_spec", lambda _: client)
    session = SimpleNamespace(dataSource=SimpleNamespace(register=(learnt := []).append))

    register(session)

    assert [each.name() for each in learnt] == names
    assert DEFAULT_MASTER.startswith("local")


@pytest.mark.slow
def test_a_plan_has_what_an_executor_needs(tmp_path):
    """The task, its settings, and where both come from; the transformations, too."""
    given = source(
        tmp_path,
        transforms="putIn",
        **{"transforms.putin.type": "HoistField$Value", "transforms.putin.field": "line"},
    )

    plan = plan_connector(given, SOURCE)
    rows = PlugwrightDataSource(given)
    schema = rows.schema()
    reader = rows.reader(schema)

    assert plan.task_class.qualname == "FileStreamSourceTask"
    assert plan.python_path == (str(Path(PLUGIN_PATH, "file-source")),)
    assert schema.simpleString() == "struct<line:string>"
    (batch,) = reader.read(reader.partitions()[0])
    assert batch.to_pylist() == [{"line": "a"}, {"line": "b"}]


@pytest.mark.slow
def test_a_sink_is_planned_before_rows_come(tmp_path):
    """In a process of its own location."""
    given = options(connector_class="FileStreamSink", file=str(tmp_path / "out"), topics="t")

    plan = plan_connector(given | {"plugin.isolation": "process", "tasks.max": "3"}, SINK)

    assert len(plan.configs) == 3
    assert plan.configs[0].keys() == {"name", "connector.class", "file", "topics", "tasks.max"}


REFUSALS = {
    "unknown": (
        {"connector.class": "FileStreamSorce"},
        "plugin.not-found: no source plugin is called FileStreamSorce; looked in ",
    ),
    "no class": (
        {},
        (
            "config.invalid: 1 problem · connector.class: Missing required configuration "
            '"connector.class" which has no default value.\n'
        ),
    ),
    "a sink": (
        {"connector.class": "FileStreamSink"},
        (
            "rows.wrong-kind: connector.class: plugwright_file_sink.FileStreamSinkConnector "
            "is a sink "
            "connector and cannot be read from\n  → write to it with df.write, or name a source "
            "connector, such as FileStreamSourceConnector"
        ),
    ),
    "settings": (
        {"connector.class": "FileStreamSource", "fil": "f", "rows": "x", "key.converter": "k"},
        (
            "config.invalid: 3 problems · rows: Invalid value x for configuration rows: "
            "String must be "
            "one of (case insensitive): VALUES, RECORDS · key.converter: is not supported "
            "here: "
            "rows contain the values themselves, so nothing is converted; remove it, or run a "
            "worker · topic: "
            'Missing required configuration "topic" which has no default value.\n'
            "  → correct the value in the configuration"
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("given", "text"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_read_is_reported_whole(given, text):
    """Every problem at once, with near matches."""
    assert refusal(options() | given).startswith(text)


@pytest.mark.slow
def test_what_cannot_be_written_is_reported():
    """A source, no topic, and rows that are to be replaced."""
    sink = options(connector_class="FileStreamSink", file="f")

    assert "FileStreamSourceConnector is a source connector and cannot be written to" in refusal(
        options(connector_class="FileStreamSource"), sink=True
    )
    assert refusal(sink, sink=True).startswith("rows.no-topic: topics: no topic is set")
    with pytest.raises(RowsError, match=r"rows\.overwrite: a sink connector appends records"):
        PlugwrightDataSource(sink).writer(TEXT, overwrite=True)


def plan_at(*paths):
    """A plan of a plugin in these locations."""
    return ConnectorPlan("p.C", "1", ClassReference("p", "T"), paths, None, ())


@pytest.fixture
def location(tmp_path, monkeypatch):
    """Two locations with modules of one name, and an import path to be put right afterwards."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shelf_of_location.py").write_text(f"NAME = {name!r}")
    yield tmp_path
    sys.modules.pop("shelf_of_location", None)


def test_a_worker_that_is_used_again_imports_from_the_new_location(location):
    """What came from the one before is forgotten."""
    enter_location(plan_at(str(location / "one")))
    first = __import__("shelf_of_location").NAME
    enter_location(plan_at(str(location / "two")))

    assert (first, __import__("shelf_of_location").NAME) == ("one", "two")
    assert str(location / "one") not in sys.path


def test_a_location_comes_behind_the_standard_library(location):
    """And before what is installed."""
    enter_location(plan_at(str(location / "one")))

    at = sys.path.index(str(location / "one"))
    assert all("site-packages" not in entry for entry in sys.path[:at])
    assert any(entry.endswith("lib-dynload") for entry in sys.path[:at])


def test_a_plan_of_another_version_enters_nothing(location):
    """It is refused before anything is imported."""
    plan = replace(plan_at(str(location / "one")), runtime="0.0.9")

    with pytest.raises(SetupError) as raised:
        enter_location(plan)

    assert raised.value.code == "spark.other-version"
    assert str(location / "one") not in sys.path


def test_a_location_that_is_not_there_is_reported(location):
    """With the machine."""
    with pytest.raises(SetupError, match=r"none, the location of p\.C 1, does not exist on "):
        enter_location(plan_at(str(location / "none")))
