"""The worker's settings, in Kafka Connect's names."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.herder import WorkerConfig
from plugwright.kafka import TopicShape

REQUIRED = {"key.converter": "StringConverter", "value.converter": "StringConverter"}


def test_defaults_are_kafka_connects():
    """Those of its distributed worker."""
    config = WorkerConfig.parse(REQUIRED)
    assert (config.bootstrap_servers, config.offsets_shape.partitions) == ("localhost:9092", 25)
    assert (config.flush_interval_s, config.flush_timeout_s) == (60.0, 5.0)
    assert (config.shutdown_timeout_s, config.plugin_path) == (5.0, ())


def test_the_plugin_path_is_a_list():
    """Blanks around its commas do not count."""
    assert WorkerConfig.parse({**REQUIRED, "plugin.path": "a , b"}).plugin_path == ("a", "b")


def test_unknown_settings_are_kept_for_the_converters():
    """They read their own."""
    config = WorkerConfig.parse({**REQUIRED, "key.converter.x": "1"})
    assert config.originals["key.converter.x"] == "1"


def test_all_problems_come_at_once():
    """Missing, empty, no number, too small."""
    with pytest.raises(ConfigError) as caught:
        WorkerConfig.parse(
            {
                "key.converter": "",
                "offset.storage.partitions": "0",
                "offset.flush.interval.ms": "soon",
            }
        )
    keys = (
        "key.converter",
        "value.converter",
        "offset.storage.partitions",
        "offset.flush.interval.ms",
    )
    assert [key for key in keys if key not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("settings", "isolated"),
    [({}, True), ({"plugin.isolation": "None"}, False), ({"plugin.isolation": "process"}, True)],
    ids=["default", "none", "process"],
)
def test_plugin_locations_get_processes_of_their_own_by_default(settings, isolated):
    """In any case of letters; a call into a connector may take a minute."""
    config = WorkerConfig.parse({**REQUIRED, **settings})
    assert (config.isolated, config.call_timeout_s) == (isolated, 60.0)


def test_an_unknown_isolation_is_refused_with_the_known_ones():
    """By its key."""
    with pytest.raises(ConfigError, match=r"plugin\.isolation.*PROCESS, NONE"):
        WorkerConfig.parse({**REQUIRED, "plugin.isolation": "composite"})


@pytest.mark.parametrize("mode", ["ONLY_SCAN", "hybrid_warn", "Hybrid_Fail", "service_load"])
def test_the_four_modes_of_discovery_are_known(mode):
    """In any case of letters."""
    assert WorkerConfig.parse({**REQUIRED, "plugin.discovery": mode})


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("plugin.discovery", "ONLY_SCAN, HYBRID_WARN, HYBRID_FAIL, SERVICE_LOAD"),
        ("plugin.path.follow.symlinks", "any, inside"),
    ],
    ids=["mode", "links"],
)
def test_an_unknown_way_of_discovery_is_refused_with_the_known_ones(key, expected):
    """By its key."""
    with pytest.raises(ConfigError) as caught:
        WorkerConfig.parse({**REQUIRED, key: "most"})

    assert key in str(caught.value)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, (2 << 30, 300.0)),
        ({"plugin.memory.limit.mb": "0", "task.startup.timeout.ms": "0"}, (0, 0.0)),
        ({"plugin.memory.limit.mb": "512", "task.startup.timeout.ms": "1500"}, (512 << 20, 1.5)),
    ],
    ids=["defaults", "no limits", "chosen"],
)
def test_plugins_have_a_limit_of_memory_and_tasks_one_of_time_to_start(settings, expected):
    """In bytes and seconds; as much memory as Kafka's scripts give a whole worker."""
    config = WorkerConfig.parse({**REQUIRED, **settings})
    assert (config.memory_limit, config.startup_timeout_s) == expected


def test_only_a_standalone_worker_keeps_offsets_in_a_file():
    """A distributed one ignores the setting, as in Kafka."""
    given = {**REQUIRED, "offset.storage.file.filename": "/tmp/offsets"}  # noqa: S108  # not made

    assert WorkerConfig.parse(given).offsets_file == "/tmp/offsets"  # noqa: S108  # the same
    assert WorkerConfig.parse(given, distributed=True).offsets_file == ""


def test_the_workers_own_clients_have_its_top_level_settings_and_show_none():
    """They hold passwords."""
    login = {"security.protocol": "SSL", "ssl.key.password": "s3cret"}
    config = WorkerConfig.parse({**REQUIRED, **login, "producer.ssl.key.password": "other"})
    assert config.clients.admin == login
    assert "s3cret" not in repr(config)


@pytest.mark.parametrize(
    ("distributed", "given", "expected"),
    [
        (False, {}, TopicShape(25, -1)),
        (True, {}, TopicShape(25, 3)),
        (True, {"replication.factor": "2", "partitions": "-1"}, TopicShape(-1, 2)),
        (True, {"segment.bytes": "9"}, TopicShape(25, 3, {"segment.bytes": "9"})),
    ],
)
def test_the_offsets_topic_is_made_as_the_settings_say(distributed, given, expected):
    """For the worker's own one and for those of connectors; three replicas in a group."""
    settings = {f"offset.storage.{key}": value for key, value in given.items()}
    config = WorkerConfig.parse({**REQUIRED, **settings}, distributed=distributed)
    assert config.offsets_shape == expected


@pytest.mark.parametrize("key", ["partitions", "replication.factor"])
def test_a_number_for_the_offsets_topic_must_make_sense(key):
    """At least one, or the broker's default."""
    with pytest.raises(ConfigError, match=f"offset.storage.{key}"):
        WorkerConfig.parse({**REQUIRED, f"offset.storage.{key}": "0"})
