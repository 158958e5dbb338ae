"""A connector and its tasks, over a launcher that only remembers."""

from __future__ import annotations

import pytest
from tests.runtime.herder.conftest import WORKER, World

from plugwright.errors import ConnectError
from plugwright.herder import SparkWorker, WorkerConfig
from plugwright.herder._seams import StartRequest, TaskNews
from plugwright.hosts import PluginHosts
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
        """Start a source connector with a valid configuration, changed as told."""
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


def test_news_of_tasks_are_passed_on(bench):
    """With state, trace and topics."""
    heard = []
    connector = bench.start_connector()
    connector.task_configs()
    connector.launch("orders-1", {0: {}}, lambda *news: heard.append(news))
    bench.launcher.listeners[-1](0, TaskStatus("FAILED", trace="boom", topics=("t",)))
    assert heard == [(0, TaskNews("FAILED", "boom", ("t",)))]


def test_pausing_stops_the_instance_and_resuming_makes_a_new_one(bench):
    """As Kafka Connect stops and starts it."""
    connector = bench.start_connector()
    connector.pause()
    connector.resume()
    assert [call for call in bench.calls if call in {"start", "stop"}] == ["start", "stop", "start"]


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
    assert bench.calls == []


def test_a_validation_shows_definitions_and_problems(bench):
    """Of the runtime's own settings and of the connector's; the instance is not started."""
    infos = bench.worker.validate({**CONFIG, "tasks.max": "0", "shop.url": None})
    by_name = {
        info["definition"]["name"]: info["value"] for info in infos["configs"] if info["definition"]
    }
    assert infos["error_count"] == 3
    assert by_name["tasks.max"]["errors"] == [
        "Invalid value 0 for configuration tasks.max: Value must be at least 1"
    ]
    assert "Null value can not be supplied as the configuration value." in str(by_name["shop.url"])
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
