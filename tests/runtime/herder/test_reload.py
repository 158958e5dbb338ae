"""A connector is restarted when what config providers gave it is no longer good (KIP-297)."""

from __future__ import annotations

import pytest
from tests.runtime.herder.cluster import Cluster
from tests.runtime.herder.conftest import WORKER
from tests.runtime.herder.conftest import World as Shops
from tests.runtime.herder.fakes import FakeWorker, HandClock, failure

from plugwright.config import ConfigData, ConfigProvider
from plugwright.errors import ConfigError
from plugwright.herder import (
    ConfigStore,
    Herder,
    HerderParts,
    HerderSettings,
    MemoryLog,
    SoleOwner,
    SparkWorker,
    StartRequest,
    StatusStore,
    WorkerConfig,
)
from plugwright.hosts import PluginHosts
from plugwright.plugins import CONFIG_PROVIDER, PluginDescriptor, Plugins


class Rig:
    """A herder that is alone, with a clock that the test moves."""

    def __init__(self, worker, plugins=None):
        self.worker, self.clock = worker, HandClock()
        self.statuses = StatusStore(MemoryLog())
        parts = HerderParts(
            worker,
            plugins or Plugins((), (), ()),
            ConfigStore(MemoryLog()),
            self.statuses,
            SoleOwner(),
            HerderSettings(settle_timeout_s=5.0, start_timer=self.clock.start_timer),
        )
        self.herder = Herder(parts)
        self.herder.start("http://here:8083/")

    def put(self, name="a", **config):
        """Create a connector or change it, and wait for its reports."""
        self.herder.put_connector_config(name, {"name": name, **config})
        self.settle()

    def advance(self, seconds):
        """Let time pass, and wait for what it makes the herder do; what was called since."""
        self.worker.calls.clear()
        self.clock.advance(seconds)
        self.settle()
        return [call[0] for call in self.worker.calls]

    def settle(self):
        """Wait until nothing is left to do."""
        assert self.herder.settle(5)
        assert self.herder.settle(5)


@pytest.fixture
def rig():
    """One whose worker says that what it was given is good for a minute."""
    worker = FakeWorker()
    worker.ttl_ms, worker.supplied = 60_000, {"first": "${vault:p:k}"}
    rig = Rig(worker)
    yield rig
    rig.herder.close()
    assert rig.clock.waits == []


def test_a_connector_is_restarted_when_the_time_is_over(rig):
    """Not before; its tasks go on where nothing else is given, and the next time is set."""
    rig.put()
    assert rig.advance(59) == []
    assert rig.advance(1) == ["stop", "start"]
    assert rig.clock.waits == [60]
    assert rig.statuses.connector("a").state == "RUNNING"


def test_tasks_are_replaced_when_something_else_is_given(rig):
    """Their configurations hold references, which are the same; what they run with is not."""
    rig.put()
    rig.worker.supplied = {"second": "${vault:p:k}"}
    assert rig.advance(60) == ["stop", "start", "stop-tasks", "fence", "launch"]
    assert rig.advance(60) == ["stop", "start"]


def test_a_resumed_connector_replaces_its_tasks_when_something_else_is_given(rig):
    """What it was given before is known."""
    rig.put()
    rig.herder.pause_connector("a")
    rig.worker.supplied = {"second": "${vault:p:k}"}
    rig.worker.calls.clear()
    rig.herder.resume_connector("a")
    rig.settle()
    done = [call[0] for call in rig.worker.calls]
    assert done == ["resume", "stop-tasks", "fence", "launch"]


@pytest.mark.parametrize("order", ["delete_connector_config", "stop_connector"])
def test_what_ends_a_connector_calls_the_restart_off(rig, order):
    """Nothing happens when the time is over."""
    rig.put()
    getattr(rig.herder, order)("a")
    assert rig.clock.waits == []
    assert rig.advance(100) == []


def test_a_new_configuration_sets_a_new_time(rig):
    """The former one is forgotten, also where the new one has none."""
    rig.put()
    rig.worker.ttl_ms = 30_000
    rig.put(more="x")
    assert rig.clock.waits == [30]
    rig.worker.ttl_ms = None
    rig.put(more="y")
    assert rig.clock.waits == []


def test_a_connector_that_could_not_start_is_tried_again(rig):
    """What it was given may have been the reason."""
    rig.worker.failures["start"] = failure()
    rig.put()
    assert rig.statuses.connector("a").state == "FAILED"
    rig.worker.failures.clear()
    assert rig.advance(60) == ["start", "fence", "launch"]
    assert rig.statuses.connector("a").state == "RUNNING"


def test_in_a_group_only_the_worker_of_the_connector_restarts_it():
    """Tasks of other workers are replaced with the rest when something else is given."""
    cluster = Cluster()
    nodes = cluster.join("one", "two")
    for node in nodes:
        node.worker.ttl_ms, node.worker.supplied = 60_000, {"first": "r"}
    cluster.create("a", 4)
    leader = cluster.leader("a")
    (other,) = [node for node in nodes if node is not leader]
    assert cluster.clock.waits == [60]
    for node in nodes:
        node.worker.supplied = {"second": "r"}
        node.worker.calls.clear()
    cluster.clock.advance(60)
    cluster.settle()
    assert [call[0] for call in leader.worker.calls] == [
        "stop",
        "start",
        "stop-tasks",
        "fence",
        "launch",
    ]
    assert [call[0] for call in other.worker.calls] == ["stop-tasks", "stop", "host", "launch"]
    cluster.close()
    assert (cluster.watch.twice, cluster.clock.waits) == ([], [])


class Vault(ConfigProvider):
    """Tells another secret each time, with the time that the path names."""

    asked = 0

    def get(self, path, keys=None):
        """One more."""
        type(self).asked += 1
        data = dict.fromkeys(keys or (), f"secret-{self.asked}")
        return ConfigData(data, int(path) if path else None)


class Bench(Shops):
    """A worker that resolves references, over the connectors of the herder's tests."""

    def __init__(self):
        super().__init__()
        vault = PluginDescriptor(CONFIG_PROVIDER, "v", "Vault", "Vault", "v", "1")
        plugins = Plugins([], [*self.plugins.descriptors, vault], [])
        classes = {**self.classes, "v.Vault": type("Vault", (Vault,), {})}
        plugins.load = lambda plugin: classes.get(plugin.class_name) or self.plugins.load(plugin)
        settings = {
            **WORKER,
            "config.providers": "vault",
            "config.providers.vault.class": "Vault",
            "plugin.isolation": "none",
        }
        hosts = PluginHosts(plugins, isolated=False)
        self.worker = SparkWorker(WorkerConfig.parse(settings), hosts, self.launcher)
        self.heard = []

    def start_connector(self, **changes):
        """One whose settings refer to the vault, under these paths."""
        config = {"name": "orders", "connector.class": "ShopSource", "shop.url": "u", **changes}
        request = StartRequest(
            "orders", config, lambda: None, self.heard.append, expires=self.heard.append
        )
        return self.worker.start_connector(request)


def test_the_shortest_time_counts():
    """Of all that providers say of one configuration."""
    bench = Bench()
    bench.start_connector(a="${vault:9000:k}", b="${vault:7000:k}", c="${vault:k}")
    assert bench.heard == [7000]


def test_nothing_expires_where_no_provider_says_so():
    """Or none is asked."""
    bench = Bench()
    bench.start_connector(a="${vault:k}")
    assert bench.heard == []


@pytest.mark.parametrize(("action", "heard"), [("restart", [7000]), ("none", [])])
def test_the_setting_says_whether_a_connector_is_restarted(action, heard):
    """``config.action.reload``."""
    bench = Bench()
    bench.start_connector(a="${vault:7000:k}", **{"config.action.reload": action})
    assert bench.heard == heard


def test_a_resumed_connector_is_given_anew():
    """With a new time, and other texts."""
    bench = Bench()
    connector = bench.start_connector(a="${vault:7000:k}")
    before = dict(connector.supplied)
    connector.pause()
    connector.resume()
    assert bench.heard == [7000, 7000]
    assert connector.supplied.keys() != before.keys()
    assert list(connector.supplied.values()) == ["${vault:7000:k}"]


def test_a_refused_configuration_has_a_time_too():
    """It may be right when the provider is asked again."""
    bench = Bench()
    with pytest.raises(ConfigError):
        bench.start_connector(**{"tasks.max": "${vault:7000:k}"})
    assert bench.heard == [7000]


def test_whose_tasks_alone_run_here_is_restarted_by_another_worker():
    """By the one that runs the connector itself."""
    bench = Bench()
    config = {"name": "orders", "connector.class": "ShopSource", "shop.url": "${vault:7000:k}"}
    bench.worker.host_tasks("orders", config)
    assert bench.heard == []
