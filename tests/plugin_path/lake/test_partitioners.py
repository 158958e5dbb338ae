"""Folders of records: the tables of Confluent's documentation, as literal paths."""

from __future__ import annotations

import datetime as dt

import pytest

from plugwright import INT32_SCHEMA, STRING_SCHEMA, SchemaBuilder, Struct, Timestamp

MOMENT = 1_450_476_551_123  # 2015-12-18T22:09:11.123Z

SCHEMA = (
    SchemaBuilder.struct()
    .field("country", STRING_SCHEMA)
    .field("year", INT32_SCHEMA)
    .field("at", Timestamp.SCHEMA)
    .build()
)


def _struct(country="no"):
    at = dt.datetime(2015, 12, 18, 22, 9, 11, 123000, tzinfo=dt.UTC)
    return Struct(SCHEMA).put("country", country).put("year", 2015).put("at", at)


def _folder(sink, value="v", timestamp=MOMENT, **settings):
    lake = sink(**{"flush.size": "1", **settings})
    lake.put(value, schema=SCHEMA if isinstance(value, Struct) else None, timestamp=timestamp)
    (path,) = [path for path in lake.files() if not path.startswith("+")]
    return path.removeprefix("topics/t/").rpartition("/")[0]


TIMES = {
    "daily": ({"partitioner.class": "daily"}, "year=2015/month=12/day=18"),
    "hourly": ({"partitioner.class": "hourly"}, "year=2015/month=12/day=18/hour=22"),
    "class name": (
        {"partitioner.class": "io.confluent.connect.storage.partitioner.HourlyPartitioner"},
        "year=2015/month=12/day=18/hour=22",
    ),
    "zone": (
        {"partitioner.class": "hourly", "timezone": "Asia/Tokyo"},
        "year=2015/month=12/day=19/hour=07",
    ),
    "pattern": (
        {
            "partitioner.class": "time",
            "path.format": "'dt'=yyyy-MM-dd/'h'=HH/'m'=mm",
            "partition.duration.ms": "600000",
        },
        "dt=2015-12-18/h=22/m=00",
    ),
    "half a day by the clocks of the zone": (
        {
            "partitioner.class": "time",
            "path.format": "YYYY-MM-dd'T'HH",
            "partition.duration.ms": "43200000",
            "timezone": "America/New_York",
        },
        "2015-12-18T12",
    ),
    "letters": (
        {
            "partitioner.class": "time",
            "path.format": "yy MMM MMMM EEE EEEE D hh a ss.SSS ''e",
            "partition.duration.ms": "1",
        },
        "15 Dec December Fri Friday 352 10 PM 11.123 '5",
    ),
}


@pytest.mark.parametrize(("settings", "folder"), TIMES.values(), ids=TIMES)
def test_time_names_folders(sink, settings, folder):
    """By the timestamp of the record."""
    assert _folder(sink, **settings) == folder


CLOCKS = {
    "before clocks are put back": ("2024-10-27T00:30Z", "02:30"),
    "after clocks are put back": ("2024-10-27T01:30Z", "02:30"),
    "before clocks are put forward": ("2024-03-31T00:59Z", "01:30"),
    "after clocks are put forward": ("2024-03-31T01:00Z", "03:00"),
    "before 1970": ("1969-12-31T22:59Z", "23:30"),
}


@pytest.mark.parametrize(("moment", "folder"), CLOCKS.values(), ids=CLOCKS)
def test_folders_go_by_the_clocks_of_the_zone(sink, moment, folder):
    """Half hours in Berlin."""
    settings = {
        "partitioner.class": "time",
        "path.format": "HH:mm",
        "partition.duration.ms": "1800000",
        "timezone": "Europe/Berlin",
    }
    at = int(dt.datetime.fromisoformat(moment).timestamp() * 1000)
    assert _folder(sink, timestamp=at, **settings) == folder


def test_the_default_is_the_partition_of_kafka(sink):
    """As ever."""
    assert _folder(sink) == "partition=0"


FIELDS = {
    "one": ("country", "country=no"),
    "two": ("country,year", "country=no/year=2015"),
}


@pytest.mark.parametrize(("names", "folder"), FIELDS.values(), ids=FIELDS)
def test_fields_name_folders(sink, names, folder):
    """The outermost first."""
    settings = {"partitioner.class": "field", "partition.field.name": names}
    assert _folder(sink, _struct(), **settings) == folder


def test_fields_of_values_without_schema_name_folders(sink):
    """Truth values as Java writes them; full stops lead inside."""
    settings = {"partitioner.class": "field", "partition.field.name": "a.b,c"}
    assert _folder(sink, {"a": {"b": 7}, "c": True}, **settings) == "a.b=7/c=true"


@pytest.mark.parametrize("value", ["a/b", "..", "", "x\x00", "ä" * 124], ids=ascii)
def test_a_field_cannot_lead_elsewhere(sink, value):
    """Such a record is reported."""
    lake = sink(**{"partitioner.class": "field", "partition.field.name": "country"})
    lake.put(_struct(value), schema=SCHEMA)
    assert "cannot name a folder" in lake.reporter.reported[0][1]
    assert lake.files() == {}


def test_a_field_may_be_as_long_as_the_name_of_a_folder(sink):
    """255 bytes, with the name of the field."""
    settings = {"partitioner.class": "field", "partition.field.name": "country"}
    folder = "country=" + "ä" * 123 + "x"
    assert len(folder.encode()) == 255
    assert _folder(sink, _struct("ä" * 123 + "x"), **settings) == folder


EXTRACTED = {
    "a timestamp": ("at", _struct()),
    "milliseconds": ("ts", {"ts": MOMENT}),
    "text": ("ts", {"ts": "2015-12-18T23:09:11+01:00"}),
    "text of UTC": ("ts", {"ts": "2015-12-18T22:09:11Z"}),
    "inside": ("a.ts", {"a": {"ts": MOMENT}}),
}


@pytest.mark.parametrize(("field", "value"), EXTRACTED.values(), ids=EXTRACTED)
def test_a_field_is_the_time_of_a_record(sink, field, value):
    """The extractor RecordField."""
    settings = {
        "partitioner.class": "hourly",
        "timestamp.extractor": "RecordField",
        "timestamp.field": field,
    }
    assert _folder(sink, value, 0, **settings) == "year=2015/month=12/day=18/hour=22"


@pytest.mark.parametrize("value", [{}, {"ts": True}, {"ts": "soon"}, {"ts": 10**18}], ids=repr)
def test_a_record_without_time_is_reported(sink, value):
    """Not put into some folder."""
    lake = sink(
        **{
            "partitioner.class": "daily",
            "timestamp.extractor": "RecordField",
            "timestamp.field": "ts",
        }
    )
    lake.put(value)
    assert [offset for offset, _ in lake.reporter.reported] == [0]


def test_all_folders_of_a_partition_are_finished_together(sink):
    """So that an offset can be promised for all of them."""
    lake = sink(**{"partitioner.class": "field", "partition.field.name": "k"})
    lake.put({"k": "a"}, {"k": "b"}, {"k": "a"}, {"k": "b"})
    assert list(lake.files()) == [
        "topics/t/k=a/t+0+0000000000.jsonl",
        "topics/t/k=b/t+0+0000000001.jsonl",
    ]
    assert lake.promised(4) == 3
