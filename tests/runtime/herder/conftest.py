"""A herder whose launcher only remembers, over plugins that are classes of the test."""

from __future__ import annotations

import pytest

from plugwright import ConfigDef, ConfigType, Importance, SinkConnector, SourceConnector
from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.plugins import SINK, SOURCE, PluginDescriptor, Plugins

WORKER = {"key.converter": "StringConverter", "value.converter": "JsonConverter"}


class FakeJob:
    """A job that stops when asked, or does not."""

    def __init__(self):
        self.graceful = True
        self.stopped_within = None

    def stop(self, timeout_s, tasks=None):
        """Remember how long the tasks were given."""
        self.stopped_within = timeout_s
        return self.graceful


class FakeLauncher:
    """Remembers what it was to launch."""

    def __init__(self):
        self.launched = []
        self.prepared = []
        self.listeners = []
        self.error = None

    def prepare(self, python_paths):
        """Remember the directories."""
        self.prepared.append(list(python_paths))

    def launch(self, name, specs, *, python_path="", listener=None):
        """Take a job."""
        if self.error:
            raise self.error
        self.launched.append((name, list(specs), python_path))
        self.listeners.append(listener)
        return FakeJob()


class ShopTask:
    """Only its name matters here."""


class _Shop:
    """What the connectors of these tests share."""

    fail: dict
    calls: list

    def version(self):
        """Of the plugin."""
        return "1.0"

    def config(self):
        """One required setting."""
        return ConfigDef().define(
            "shop.url", ConfigType.STRING, importance=Importance.HIGH, documentation="Where."
        )

    def start(self, props):
        """Fail if a test says so."""
        self._do("start")
        self.props = props

    def task_class(self):
        """Of these tests."""
        return ShopTask

    def task_configs(self, max_tasks):
        """As many as allowed, or as a test says."""
        count = self._do("task_configs") or max_tasks
        return [{"task": str(number), **self.props} for number in range(count)]

    def stop(self):
        """Fail if a test says so."""
        self._do("stop")

    def _do(self, name):
        self.calls.append(name)
        step = self.fail.get(name)
        if isinstance(step, BaseException):
            raise step
        return step


class World:
    """A herder and everything around it."""

    def __init__(self):
        self.fail, self.calls = {}, []
        common = {"fail": self.fail, "calls": self.calls}
        self.classes = {
            "shop.ShopSourceConnector": type("ShopSource", (_Shop, SourceConnector), common),
            "shop.ShopSinkConnector": type("ShopSink", (_Shop, SinkConnector), common),
        }
        kinds = {"ShopSourceConnector": SOURCE, "ShopSinkConnector": SINK}
        found = [
            PluginDescriptor(kind, "shop", name, name, "shop", "1.4")
            for name, kind in kinds.items()
        ]
        self.plugins = Plugins([], found, [])
        inherited = self.plugins.load
        self.plugins.load = lambda plugin: (
            self.classes[plugin.class_name] if plugin in found else inherited(plugin)
        )
        self.launcher = FakeLauncher()
        self.herder = self.make()

    def make(self, **worker):
        """A herder with these worker settings."""
        config = WorkerConfig.parse({**WORKER, **worker})
        return EmbeddedHerder(config, self.plugins, self.launcher)

    def start(self, **changes):
        """Start a source connector with a valid configuration, with these changes."""
        properties = {
            "name": "orders",
            "connector.class": "ShopSource",
            "shop.url": "http://shop",
            **{key.replace("_", "."): value for key, value in changes.items()},
        }
        return self.herder.start_connector({k: v for k, v in properties.items() if v is not None})


@pytest.fixture
def world():
    """A herder and everything around it."""
    return World()
