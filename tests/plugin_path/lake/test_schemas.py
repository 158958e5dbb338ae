"""Records whose schema changes, in the four modes of compatibility."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as Number

import pyarrow.parquet as pq
import pytest

from plugwright import INT32_SCHEMA, STRING_SCHEMA, SchemaBuilder, SinkRecord, Struct


def _schema(version, *, name="row"):
    builder = SchemaBuilder.struct().name(name).version(version).field("id", INT32_SCHEMA)
    if version and version > 1:
        builder.field("note", SchemaBuilder.string().default("none"))
    return builder.build()


def _record(version, offset):
    schema = _schema(version)
    value = Struct(schema).put("id", offset)
    if version and version > 1:
        value.put("note", "some")
    return SinkRecord("t", 0, None, None, schema, value, offset)


MODES = {
    "NONE": [(0, ["id"], 1), (1, ["id", "note"], 2), (3, ["id"], 1), (4, ["id", "note"], 1)],
    "BACKWARD": [(0, ["id"], 1), (1, ["id", "note"], 4)],
    "FULL": [(0, ["id"], 1), (1, ["id", "note"], 4)],
    "FORWARD": [(0, ["id"], 5)],
}


@pytest.mark.parametrize("mode", MODES)
def test_a_change_finishes_a_file_or_is_projected(sink, mode):
    """Versions 1, 2, 2, 1, 2."""
    lake = sink(
        **{"format.class": "parquet", "flush.size": "5", "schema.compatibility": mode}
        | {"rotate.on.commit": "true"}
    )
    lake.task.put([_record(version, n) for n, version in enumerate([1, 2, 2, 1, 2])])
    lake.promised(5)
    found = []
    for path in sorted((lake.root / "topics" / "t" / "partition=0").iterdir()):
        table = pq.read_table(path, partitioning=None)
        found.append((int(path.name.split("+")[2]), table.column_names, table.num_rows))
    assert found == MODES[mode]


def test_an_older_version_begins_a_file_where_that_is_the_mode(sink):
    """Versions 2, 1, 2: the last one is projected to the older."""
    lake = sink(**{"format.class": "parquet", "flush.size": "2", "schema.compatibility": "FORWARD"})
    lake.task.put([_record(version, n) for n, version in enumerate([2, 1, 2])])
    assert [
        pq.read_table(lake.root / path, partitioning=None).to_pylist() for path in lake.files()
    ] == [[{"id": 0, "note": "some"}], [{"id": 1}, {"id": 2}]]


def test_a_projected_record_has_the_default_of_what_it_lacks(sink):
    """Version 1 among version 2."""
    lake = sink(**{"format.class": "avro", "flush.size": "2", "schema.compatibility": "BACKWARD"})
    lake.task.put([_record(2, 0), _record(1, 1)])
    (data,) = lake.files().values()
    assert b"some" in data
    assert b"\x08none" in data


@pytest.mark.parametrize("mode", ["BACKWARD", "FORWARD", "FULL"])
def test_versions_are_needed_to_compare(sink, mode):
    """Such a record is reported."""
    lake = sink(**{"format.class": "avro", "schema.compatibility": mode})
    lake.task.put([_record(1, 0), _record(None, 1)])
    ((offset, problem),) = lake.reporter.reported
    assert (offset, problem) == (1, f"schema.compatibility={mode} needs schemas with versions")


def test_what_cannot_be_projected_is_reported(sink):
    """Another name is another thing."""
    lake = sink(**{"format.class": "avro", "flush.size": "9", "schema.compatibility": "BACKWARD"})
    other = _schema(1, name="other")
    lake.task.put(
        [_record(2, 0), SinkRecord("t", 0, None, None, other, Struct(other).put("id", 1), 1)]
    )
    assert [offset for offset, _ in lake.reporter.reported] == [1]


def test_another_type_of_a_single_value_begins_a_file(sink):
    """Nothing is bent."""
    lake = sink(**{"format.class": "parquet", "flush.size": "1"})
    lake.put(1, schema=INT32_SCHEMA)
    lake.put("a", first=1, schema=STRING_SCHEMA)
    assert [
        pq.read_table(lake.root / path, partitioning=None)["value"].to_pylist()
        for path in lake.files()
    ] == [
        [1],
        ["a"],
    ]


BARE = {
    "truth": (True, "bool"),
    "integer": (7, "int64"),
    "float": (1.5, "double"),
    "text": ("a", "string"),
    "bytes": (b"x", "binary"),
    "date": (dt.date(2024, 2, 29), "date32[day]"),
    "time": (dt.time(1, 2, 3), "time32[ms]"),
    "timestamp": (dt.datetime(2024, 2, 29, tzinfo=dt.UTC), "timestamp[ms, tz=UTC]"),
    "decimal": (Number("1.50"), "decimal128(38, 2)"),
}


@pytest.mark.parametrize(("value", "kind"), BARE.values(), ids=BARE)
def test_a_single_value_without_schema_has_that_of_its_type(sink, value, kind):
    """Read by pyarrow."""
    lake = sink(**{"format.class": "parquet", "flush.size": "1"})
    lake.put(value)
    (path,) = lake.files()
    table = pq.read_table(lake.root / path, partitioning=None)
    assert (table["value"].to_pylist(), str(table.schema.field("value").type)) == ([value], kind)


@pytest.mark.parametrize("form", ["avro", "parquet"])
@pytest.mark.parametrize("value", [[1], {"a": 1}], ids=repr)
def test_lists_and_maps_without_schema_are_reported(sink, form, value):
    """They are for JSON lines alone."""
    lake = sink(**{"format.class": form, "flush.size": "1"})
    lake.put(value)
    ((_, problem),) = lake.reporter.reported
    assert problem.endswith("without schema has no place in Avro and Parquet")


def test_records_of_one_schema_are_not_projected(sink, monkeypatch):
    """It costs more than all the rest, and there is nothing to change."""
    monkeypatch.setattr("plugwright.SchemaProjector.project", None)
    lake = sink(**{"format.class": "parquet"})
    lake.task.put([_record(1, offset) for offset in range(3)])
    assert len(lake.files()) == 1
