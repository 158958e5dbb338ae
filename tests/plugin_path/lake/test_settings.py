"""Settings of the lake sink: Confluent's, and what is refused by name."""

from __future__ import annotations

import pytest

from plugwright import ConfigError
from plugwright_lake import LakeSinkConnector
from plugwright_lake.store import open_store

GOOD = {"store.url": "x", "flush.size": "3"}

WRONG = {
    "s3.bucket.name": ({"s3.bucket.name": "b"}, "store.url names the place"),
    "s3.part.size": ({"s3.part.size": "5242880"}, "a file is put at once"),
    "hive.integration": ({"hive.integration": "true"}, "not registered in Hive"),
    "store.kafka.keys": ({"store.kafka.keys": "true"}, "keys and headers are not written"),
    "partition.field.name": ({"partitioner.class": "field"}, "needs partition.field.name"),
    "path.format": (
        {"partitioner.class": "time", "partition.duration.ms": "1", "path.format": "'a"},
        "a quote is not closed at 'a",
    ),
    "partition.duration.ms": (
        {"partitioner.class": "time", "path.format": "YYYY"},
        "a positive duration",
    ),
    "timezone": ({"timezone": "Mars/Base"}, "no time zone Mars/Base"),
    "format.class": ({"format.class": "orc"}, "jsonl, avro, parquet"),
    "flush.size": ({"flush.size": "0"}, "at least 1"),
    "parquet.codec": ({"parquet.codec": "zip"}, "snappy"),
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_setting_is_reported_on_its_key(key):
    """And fails the start with the same sentence."""
    settings, words = WRONG[key]
    connector = LakeSinkConnector()
    found = {v.name: v.error_messages for v in connector.validate(GOOD | settings)}
    assert [name for name, messages in found.items() if messages] == [key]
    assert words in found[key][0]
    with pytest.raises(ConfigError) as caught:
        connector.start(GOOD | settings)
    assert words in str(caught.value)


def test_all_problems_are_reported_at_once():
    """Also those between settings."""
    found = LakeSinkConnector().validate(
        {"partitioner.class": "field", "timezone": "x", "s3.region": "r"}
    )
    assert sorted(value.name for value in found if value.error_messages) == [
        "flush.size",
        "partition.field.name",
        "s3.region",
        "store.url",
        "timezone",
    ]


@pytest.mark.parametrize(
    ("name", "extension"),
    [
        ("io.confluent.connect.s3.format.json.JsonFormat", ".jsonl"),
        ("io.confluent.connect.s3.format.avro.AvroFormat", ".avro"),
        ("io.confluent.connect.hdfs.parquet.ParquetFormat", ".snappy.parquet"),
        ("parquet", ".snappy.parquet"),
    ],
)
def test_confluents_class_names_mean_the_same(sink, name, extension):
    """Their configuration runs with another connector.class."""
    lake = sink(**{"format.class": name})
    lake.put("a", "b", "c")
    assert list(lake.files()) == [f"topics/t/partition=0/t+0+0000000000{extension}"]


def test_the_connector_makes_as_many_tasks_as_allowed():
    """Kafka shares out the partitions."""
    connector = LakeSinkConnector()
    connector.start(GOOD)
    assert connector.task_configs(3) == [GOOD] * 3
    assert connector.alter_offsets({}, {})


def test_options_of_a_driver_are_json_where_they_are_some(monkeypatch):
    """Secrets are text, whatever they look like, and are not printed."""
    import fsspec  # noqa: PLC0415  # only here

    from plugwright_lake.layout import Layout  # noqa: PLC0415

    seen = {}
    monkeypatch.setattr(
        fsspec.core, "url_to_fs", lambda url, **options: seen.update(options) or (None, "b")
    )
    layout = Layout.parse(
        GOOD
        | {
            "store.url": "s3://b",
            "store.option.secret": "12345",
            "store.option.anon": "false",
            "store.option.client_kwargs": '{"endpoint_url": "http://localhost:1"}',
            "store.option.profile": "me",
        }
    )
    assert "12345" not in repr(layout)
    open_store(layout.url, layout.options)
    assert seen == {
        "secret": "12345",
        "anon": False,
        "client_kwargs": {"endpoint_url": "http://localhost:1"},
        "profile": "me",
    }
