"""The standalone herder: what it refuses, what it launches, what it stops."""

from __future__ import annotations

import os

import pytest

from plugwright.errors import (
    AlreadyExistsError,
    ConfigError,
    ConnectError,
    DataError,
    NotFoundError,
    PluginError,
)
from plugwright.herder import InstanceStatus
from plugwright.herder.context import HerderContext


def test_a_connector_becomes_a_job_with_a_spec_for_each_task(world):
    """As many as the connector makes, numbered from 0."""
    world.start(tasks_max="3")
    ((name, specs, python_path),) = world.launcher.launched
    assert (name, python_path) == ("orders-1", "")
    assert [(spec.connector, spec.task, spec.kind) for spec in specs] == [
        ("orders", 0, "source"),
        ("orders", 1, "source"),
        ("orders", 2, "source"),
    ]
    assert specs[2].config["task"] == "2"
    assert specs[0].task_class.qualname == "ShopTask"
    assert specs[0].version == "1.4"


def test_the_worker_says_where_kafka_and_the_offsets_are(world):
    """Times in seconds."""
    settings = {
        "bootstrap.servers": "kafka:9",
        "offset.storage.topic": "o",
        "offset.storage.partitions": "3",
        "offset.flush.interval.ms": "1500",
        "offset.flush.timeout.ms": "250",
    }
    world.herder = world.make(**settings)
    world.start()
    spec = world.launcher.launched[0][1][0]
    assert (spec.bootstrap_servers, spec.offsets_topic, spec.offsets_shape.partitions) == (
        "kafka:9",
        "o",
        3,
    )
    assert (spec.flush_interval_s, spec.flush_timeout_s) == (1.5, 0.25)


def test_a_connector_may_have_its_own_converter_with_its_own_settings(world):
    """The worker's settings belong to the worker's converters."""
    world.herder = world.make(**{"value.converter.schemas.enable": "false"})
    world.start(**{"key.converter": "JsonConverter", "key.converter.schemas.enable": "true"})
    spec = world.launcher.launched[0][1][0]
    assert spec.key_converter.qualname == "JsonConverter"
    assert spec.key_converter.settings == {"schemas.enable": "true"}
    assert spec.value_converter.settings == {"schemas.enable": "false"}
    assert spec.header_converter.qualname in {"StringConverter", "SimpleHeaderConverter"}


@pytest.mark.parametrize(
    ("plugin", "client"),
    [
        ("ShopSource", {"linger.ms": "1"}),
        ("ShopSink", {"fetch.min.bytes": "2"}),
    ],
)
def test_overrides_reach_the_client_of_the_kind(world, plugin, client):
    """Producers for sources, consumers for sinks."""
    world.start(
        **{
            "connector.class": plugin,
            "topics": "t",
            "producer.override.linger.ms": "1",
            "consumer.override.fetch.min.bytes": "2",
        }
    )
    assert world.launcher.launched[0][1][0].client == client


@pytest.mark.parametrize(
    ("changes", "topics"),
    [
        ({"topics": "a, b"}, (("a", "b"), "")),
        ({"topics.regex": "a|b"}, ((), "a|b")),
        ({"topics.regex": "^a"}, ((), "^a")),
    ],
    ids=str,
)
def test_a_sink_subscribes_to_names_or_to_a_pattern(world, changes, topics):
    """A pattern is for the host to match, with no other meaning than Java's."""
    world.start(**{"connector.class": "ShopSink", **changes})
    spec = world.launcher.launched[0][1][0]
    assert (spec.topics, spec.topics_regex) == topics


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "Must configure one of topics or topics.regex"),
        ({"topics": "a", "topics.regex": "b"}, "mutually exclusive"),
    ],
    ids=["none", "both"],
)
def test_a_sink_needs_topics_of_one_sort(world, changes, message):
    """Kafka's sentences."""
    with pytest.raises(ConfigError, match=message):
        world.start(**{"connector.class": "ShopSink", **changes})
    assert world.launcher.launched == []


def test_all_problems_of_a_configuration_come_at_once(world):
    """Each with its key."""
    with pytest.raises(ConfigError) as caught:
        world.start(name="", tasks_max="many", connector_class=None)
    text = str(caught.value)
    assert [key for key in ("name", "connector.class", "tasks.max") if key not in text] == []


def test_the_plugins_own_settings_are_checked_before_it_starts(world):
    """By its own definition."""
    with pytest.raises(ConfigError, match=r"shop\.url"):
        world.start(shop_url=None)
    assert world.calls == []


def test_an_unknown_plugin_is_explained(world):
    """With near matches."""
    with pytest.raises(NotFoundError) as caught:
        world.start(connector_class="ShopSorce")
    assert "ShopSource" in caught.value.hint


def test_a_name_can_be_taken_once(world):
    """Kafka's sentence."""
    world.start()
    with pytest.raises(AlreadyExistsError, match="Connector orders already exists"):
        world.start()
    assert len(world.launcher.launched) == 1


def test_too_many_tasks_fail_the_connector(world):
    """Kafka's sentence (tasks.max.enforce); the instance is stopped again."""
    world.fail["task_configs"] = 3
    with pytest.raises(ConnectError, match="has generated 3 tasks, which is greater than 2"):
        world.start(tasks_max="2")
    assert (world.launcher.launched, world.calls[-1]) == ([], "stop")


@pytest.mark.parametrize("phase", ["start", "task_configs"])
@pytest.mark.parametrize("error", [ValueError("bad"), SystemExit("bad")], ids=repr)
def test_a_plugin_that_fails_on_the_driver_is_named(world, phase, error):
    """Also where it tries to end the process."""
    world.fail[phase] = error
    with pytest.raises(PluginError, match=f"1.4 failed in {phase}: bad") as caught:
        world.start()
    assert caught.value.facts["phase"] == phase
    assert caught.value.__cause__ is error


def test_an_error_that_the_plugin_explains_is_passed_on(world):
    """Its author wrote it for the user."""
    world.fail["start"] = DataError("the shop is closed", code="shop.closed")
    with pytest.raises(DataError, match="the shop is closed"):
        world.start()


def test_what_was_started_is_stopped_when_spark_refuses(world):
    """Nothing half-open stays behind, and the name is free."""
    world.launcher.error = RuntimeError("no session")
    with pytest.raises(RuntimeError, match="no session"):
        world.start()
    assert world.calls[-1] == "stop"
    world.launcher.error = None
    assert world.start()


@pytest.mark.parametrize("graceful", [True, False])
def test_stopping_stops_tasks_then_connector(world, graceful):
    """Within the worker's time; whether it was enough is the answer."""
    world.herder = world.make(**{"task.shutdown.graceful.timeout.ms": "700"})
    job = world.start()
    job.graceful = graceful
    assert world.herder.stop_connector("orders") is graceful
    assert (job.stopped_within, world.calls[-1]) == (0.7, "stop")


def test_a_stopped_connector_may_start_again(world):
    """As a new generation."""
    world.start()
    world.herder.stop_connector("orders")
    world.start()
    assert [name for name, _, _ in world.launcher.launched] == ["orders-1", "orders-2"]


def test_a_connector_that_does_not_run_is_not_found(world):
    """Neither to look at nor to stop."""
    for ask in (world.herder.job, world.herder.stop_connector):
        with pytest.raises(NotFoundError, match="Connector orders not found"):
            ask("orders")


def test_the_job_of_a_connector_can_be_asked_for(world):
    """By its name."""
    job = world.start()
    assert world.herder.job("orders") is job


def test_closing_stops_every_connector_whatever_one_of_them_does(world, caplog):
    """A stop that fails is logged, as in Connect."""
    jobs = [world.start(name=name) for name in ("a", "b")]
    world.fail["stop"] = ValueError("bad")
    world.herder.close()
    assert [job.stopped_within for job in jobs] == [5.0, 5.0]
    assert "failed in stop: bad" in caplog.text


def test_a_connector_reads_the_offsets_of_its_tasks():
    """Partitions are equal whatever the order of their keys; several are read at once (KIP-131)."""
    reads = []

    def read():
        reads.append(1)
        return [({"a": 1, "b": None}, {"n": 5}), ({"a": 2}, {"n": 7})]

    context = HerderContext("orders", None, None, None, read)
    reader = context.offset_storage_reader

    assert reader.offset({"b": None, "a": 1}) == {"n": 5}
    assert reader.offset({"a": 3}) is None
    wanted = [{"a": 2}, {"a": 3}, {"a": 1, "b": None}]
    assert reader.offsets(wanted) == [
        ({"a": 2}, {"n": 7}),
        ({"a": 3}, None),
        ({"a": 1, "b": None}, {"n": 5}),
    ]
    assert len(reads) == 3


def test_a_connector_that_raises_an_error_has_failed(world):
    """With what it said; its tasks go on, as in Connect."""
    seen = []
    source = world.classes["shop.ShopSourceConnector"]
    source.initialize = lambda self, context, task_configs=(): seen.append(context)
    world.start()
    assert world.herder.status("orders") == InstanceStatus("RUNNING", "", (os.getpid(),))

    seen[0].raise_error(DataError("no stock left", code="shop.empty", hint="order some"))

    status = world.herder.status("orders")
    assert (status.state, status.trace) == (
        "FAILED",
        "shop.empty: no stock left\n  → order some",
    )


def test_the_status_of_a_connector_that_does_not_run_is_not_found(world):
    """As its job is."""
    with pytest.raises(NotFoundError, match="Connector orders not found"):
        world.herder.status("orders")
