"""A connector and its tasks, over a launcher that only remembers."""

from __future__ import annotations

import pytest
from tests.runtime.herder.conftest import WORKER, World

from plugwright.errors import ConnectError
from plugwright.herder import SparkWorker, StartRequest, TaskUpdate, WorkerConfig
from plugwright.hosts import HostedConnector, PluginHosts
from plugwright.spark import TaskStatus

CONFIG = {"name": "orders", "connector.class": "ShopSource", "shop.url": "u", "tasks.max": "2"}


class Bench(World):
    """A worker over the plugins of the herder's tests."""

    def __init__(self):
        super().__init__()
        self.config = WorkerConfig.parse({**WORKER, "plugin.isolation": "none"})
        self.worker = SparkWorker(
            self.config, PluginHosts(self.plugins, isolated=False), self.launcher
        )
        self.asked = []

    def start_connector(self, **changes):
        """Start a source connector with a valid configuration, with these changes."""
        request = StartRequest(
            "orders", {**CONFIG, **changes}, lambda: self.asked.append("divide"), self.asked.append
        )
        return self.worker.start_connector(request)


@pytest.fixture
def bench():
    """A fresh one."""
    return Bench()


def test_task_configs_name_the_task_class(bench):
    """As Kafka Connect writes them to the configs topic."""
    configs = bench.start_connector().task_configs()
    assert [config["task.class"] for config in configs] == [f"{World.__module__}.ShopTask"] * 2


def test_a_misfit_override_leaves_no_connector_behind(bench, monkeypatch):
    """An overridden setting of a client that does not fit its type ends the validation."""
    stopped = []
    stop = HostedConnector.stop
    monkeypatch.setattr(HostedConnector, "stop", lambda self: (stopped.append(self), stop(self)))

    with pytest.raises(ConnectError, match="linger"):
        bench.start_connector(**{"producer.override.linger.ms": "soon"})

    assert len(stopped) == 1


def test_some_tasks_are_launched_alone(bench):
    """With their numbers and the configurations that were given."""
    connector = bench.start_connector()
    connector.task_configs()
    connector.launch("orders-7", {1: {"a": "b"}}, lambda *_: None)
    name, specs, _ = bench.launcher.launched[-1]
    assert (name, [(spec.task, spec.config) for spec in specs]) == ("orders-7", [(1, {"a": "b"})])


def test_tasks_are_launched_from_stored_configurations(bench):
    """The connector is asked for its task class then."""
    bench.start_connector().launch("orders-1", {0: {}}, lambda *_: None)
    assert bench.launcher.launched[-1][1][0].task_class.qualname == "ShopTask"


def test_updates_of_tasks_are_passed_on(bench):
    """With state, trace and topics."""
    heard = []
    connector = bench.start_connector()
    connector.task_configs()
    connector.launch("orders-1", {0: {}}, lambda *update: heard.append(update))
    bench.launcher.listeners[-1](0, TaskStatus("FAILED", trace="boom", topics=("t",)))
    assert heard == [(0, TaskUpdate("FAILED", "boom", ("t",)))]


def test_pausing_stops_the_instance_and_resuming_makes_a_new_one(bench):
    """As Kafka Connect stops and starts it."""
    connector = bench.start_connector()
    connector.pause()
    connector.resume()
    assert [call for call in bench.calls if call in {"start", "stop"}] == ["start", "stop", "start"]


def test_one_that_is_made_paused_is_started_when_it_is_resumed(bench):
    """Not before, though its tasks, as they are configured, may be launched (KIP-980)."""
    request = StartRequest("orders", CONFIG, lambda: None, bench.asked.append, paused=True)
    connector = bench.worker.start_connector(request)
    connector.launch("orders-1", {0: {"task.class": "shop.ShopTask"}}, lambda *_: None)
    assert (connector.version, bench.calls) == ("1.4", [])
    assert bench.launcher.launched[-1][1][0].task_class.qualname == "ShopTask"
    connector.resume()
    connector.task_configs()
    assert bench.calls == ["start", "task_configs"]


def test_a_paused_connector_is_asked_what_a_java_class_name_means(bench):
    """Kafka Connect's workers store Java's names; those of this worker need no connector."""
    request = StartRequest("orders", CONFIG, lambda: None, bench.asked.append, paused=True)
    connector = bench.worker.start_connector(request)
    stored = {0: {"task.class": "org.apache.kafka.connect.file.FileStreamSourceTask"}}
    connector.launch("orders-1", stored, lambda *_: None, paused=True)
    (spec,) = bench.launcher.launched[-1][1]
    assert (spec.task_class.qualname, spec.paused) == ("ShopTask", True)
    assert bench.calls == ["start", "task_configs", "stop"]


def test_tasks_of_a_paused_connector_do_not_begin(bench):
    """As Kafka Connect's WorkerTask waits before it starts its task."""
    connector = bench.start_connector()
    connector.launch("orders-1", {0: {}}, lambda *_: None, paused=True)
    connector.launch("orders-2", {0: {}}, lambda *_: None)
    assert [launched[1][0].paused for launched in bench.launcher.launched] == [True, False]


def test_more_tasks_than_allowed_are_refused(bench):
    """In Kafka's words."""
    bench.fail["task_configs"] = 3
    with pytest.raises(ConnectError, match=r"has generated 3 tasks, which is greater than 2"):
        bench.start_connector().task_configs()


def test_more_tasks_than_allowed_run_where_that_is_not_enforced(bench):
    """KIP-1004."""
    bench.fail["task_configs"] = 3
    assert len(bench.start_connector(**{"tasks.max.enforce": "false"}).task_configs()) == 3


@pytest.mark.parametrize(
    ("name", "kind"), [("ShopSource", "source"), ("ShopSink", "sink"), ("Nope", "unknown")]
)
def test_the_type_is_known_without_making_a_connector(bench, name, kind):
    """From its manifest."""
    assert bench.worker.connector_type({"connector.class": name}) == kind


@pytest.mark.parametrize(
    ("name", "shown"),
    [("ShopSource", "shop.ShopSourceConnector"), ("Shop.Nowhere", "Shop.Nowhere"), ("", "")],
    ids=["alias", "unknown", "empty"],
)
def test_metrics_name_the_class_behind_an_alias(name, shown, bench):
    """As Kafka Connect's do; what no plugin is called stands as it was written."""
    assert bench.worker.connector_class({"connector.class": name}) == shown
    assert bench.calls == []


def test_the_processes_of_each_location_are_made_ready_once(bench):
    """However many connectors it has; what is not known has none."""
    bench.worker.prepare([CONFIG, dict(CONFIG), {"connector.class": "Nope"}])
    bench.worker.prepare([])
    assert bench.launcher.prepared == [[""], []]


def test_a_validation_shows_definitions_and_problems(bench):
    """Of the runtime's own settings and of the connector's; the instance is not started."""
    infos = bench.worker.validate({**CONFIG, "tasks.max": "0", "shop.url": None, "other": None})
    by_name = {
        info["definition"]["name"]: info["value"] for info in infos["configs"] if info["definition"]
    }
    assert infos["error_count"] == 2
    assert by_name["tasks.max"]["errors"] == [
        "Invalid value 0 for configuration tasks.max: Value must be at least 1"
    ]
    assert by_name["shop.url"]["value"] is None
    assert {"errors.tolerance", "transforms", "topic.creation.groups"} <= set(by_name)
    assert bench.calls == []


def test_the_tasks_of_a_paused_connector_can_still_be_launched(bench):
    """A worker that takes over a paused connector starts its tasks, paused."""
    connector = bench.start_connector()
    connector.pause()
    bench.calls.clear()

    configs = connector.task_configs()
    connector.launch("orders-1", dict(enumerate(configs)), lambda *_: None)

    assert [spec.task for spec in bench.launcher.launched[-1][1]] == [0, 1]
    assert bench.calls == []


def test_a_resumed_connector_is_asked_for_its_tasks_again(bench):
    """They may have changed meanwhile."""
    connector = bench.start_connector()
    connector.pause()
    connector.resume()
    bench.calls.clear()

    connector.task_configs()

    assert bench.calls


def test_secrets_of_providers_are_resolved_for_tasks_and_stored_nowhere(bench, monkeypatch):
    """Task configurations hold the reference again (KIP-297); a new value counts at a restart."""
    providers = {
        "config.providers": "env",
        "config.providers.env.class": "EnvVarConfigProvider",
    }
    monkeypatch.setenv("SHOP_PASSWORD", "s3cret")
    hosts = PluginHosts(bench.plugins, isolated=False)
    config = WorkerConfig.parse({**WORKER, **providers, "plugin.isolation": "none"})
    bench.worker = SparkWorker(config, hosts, bench.launcher)
    connector = bench.start_connector(**{"shop.url": "http://u:${env:SHOP_PASSWORD}@shop"})

    stored = connector.task_configs()
    connector.launch("orders-1", dict(enumerate(stored)), lambda *_: None)

    assert {config["shop.url"] for config in stored} == {"http://u:${env:SHOP_PASSWORD}@shop"}
    given = {spec.config["shop.url"] for spec in bench.launcher.launched[-1][1]}
    assert given == {"http://u:s3cret@shop"}


def test_tasks_run_without_their_connector(bench):
    """Where it runs on another worker: what they need is asked of one that is not started."""
    started = bench.start_connector()
    configs = started.task_configs()
    started.launch("orders-1", dict(enumerate(configs)), lambda *_: None)
    bench.calls.clear()

    host = bench.worker.host_tasks("orders", CONFIG)
    host.launch("orders-2", {1: configs[1]}, lambda *_: None)
    host.stop()

    (_, both, path), (_, (one,), other_path) = bench.launcher.launched[-2:]
    assert one == both[1]
    assert other_path == path
    assert [call for call in bench.calls if call != "stop"] == []
    assert (host.version, started.version) == ("1.4", "1.4")


@pytest.mark.parametrize(
    ("reported", "module", "qualname"),
    [
        ("shop.tasks.ShopTask", "shop.tasks", "ShopTask"),
        ("shop.tasks.Shop.Task", "shop.tasks", "Shop.Task"),
        ("shop.lower_task", "shop", "lower_task"),
        (
            "org.apache.kafka.connect.file.FileStreamSourceTask",
            "plugwright_file_source.task",
            "FileStreamSourceTask",
        ),
        (
            "org.apache.kafka.connect.file.FileStreamSinkTask",
            "plugwright_file_sink.task",
            "FileStreamSinkTask",
        ),
    ],
)
def test_the_task_class_is_found_by_its_name(reported, module, qualname, bench):
    """As it stands in the configuration of a task, also one that Kafka Connect stored."""
    host = bench.worker.host_tasks("orders", CONFIG)
    host.launch("orders-1", {0: {"task.class": reported}}, lambda *_: None)
    found = bench.launcher.launched[-1][1][0].task_class
    assert (found.module, found.qualname) == (module, qualname)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, True),
        ({"connector.class": "ShopSink"}, True),
        ({"connector.class": "ShopSink", "spark.engine": "stream"}, False),
    ],
)
def test_only_tasks_of_one_query_stay_together(bench, config, expected):
    """All others are shared by the workers."""
    assert bench.worker.spreads_tasks({**CONFIG, **config}) is expected
