"""A standalone worker without Spark and Kafka behind the real API."""

from __future__ import annotations

from tests.runtime.herder.conftest import WORKER, FakeJob, FakeLauncher
from tests.runtime.rest.fakes import client_of

from plugwright.herder import (
    HerderSettings,
    OffsetFile,
    SparkWorker,
    WorkerConfig,
    standalone_herder,
)
from plugwright.hosts import PluginHosts


class Job(FakeJob):
    """One whose tasks can be steered as well."""

    def __init__(self, listener, specs):
        super().__init__()
        self.tasks = [spec.task for spec in specs]
        self.counters, self.topics = {}, {}
        self._listener = listener

    def pause(self):
        """At once."""

    resume = pause

    def forget_topics(self, before_ms):
        """It uses none."""


class Launcher(FakeLauncher):
    """Makes such jobs."""

    def launch(self, name, specs, *, python_path="", listener=None):
        """Take a job."""
        super().launch(name, specs, python_path=python_path, listener=listener)
        return Job(listener, specs)


class Group:
    """The offsets of a group that nobody has ever been in."""

    def __init__(self, *_):
        self.found = {}

    def read(self):
        """None."""
        return self.found

    def alter(self, changes):
        """Take them."""


class Service:
    """A standalone worker without Spark and Kafka, and its API."""

    def __init__(self, world, directory):
        properties = {
            **WORKER,
            "plugin.isolation": "none",
            "offset.storage.file.filename": str(directory / "offsets"),
        }
        config = WorkerConfig.parse(properties)
        offsets = OffsetFile.of(config)
        hosts = PluginHosts(world.plugins, isolated=False, timeout_s=30)
        worker = SparkWorker(config, hosts, Launcher(), offsets)
        settings = HerderSettings("cluster", shutdown_timeout_s=1.0, settle_timeout_s=20.0)
        self.herder = standalone_herder(worker, world.plugins, settings)
        self.herder.start("http://127.0.0.1:8083/")
        properties = {"rest.request.max.bytes": "65536"}
        self.call = client_of(self.herder, properties, plugins=world.plugins)

    def create(self, name, config):
        """`POST /connectors`."""
        return self.call("POST", "/connectors", {"name": name, "config": config})
