"""Connectors of generated locations, each in processes of its own."""

from __future__ import annotations

import queue

import pytest

from plugwright.hosts import ChainSetup, ConverterSetup, HostedConnector, PluginHosts
from plugwright.plugins import CONVERTER, HEADER_CONVERTER, SOURCE, Plugins


class Context:
    """Remembers what a connector asks for."""

    def __init__(self):
        self.calls = []
        self.errors = []
        self.lost = []
        self.figures = queue.SimpleQueue()
        self.offset_storage_reader = self

    def request_task_reconfiguration(self):
        """Remember it."""
        self.calls.append("reconfigure")

    def raise_error(self, error):
        """Remember it."""
        self.errors.append(error)

    def report_metrics(self, figures):
        """Remember it."""
        self.figures.put(figures)

    def host_lost(self, error):
        """Remember it."""
        self.lost.append(error)

    def offset(self, partition):
        """Remember it, and answer."""
        self.calls.append(partition)
        return {"o": 1}


class World:
    """A plugin path, and the hosts of what is on it."""

    def __init__(self, root):
        self.root = root
        self.hosts = None

    def open(self, *, value="StringConverter", timeout_s=30.0, isolated=True, memory=0, **settings):
        """A connector, made and validated."""
        plugins = Plugins.service_load([self.root])
        if self.hosts is None:
            self.hosts = PluginHosts(plugins, isolated=isolated, timeout_s=timeout_s, memory=memory)
        properties = {"name": "x", "topic": "t", **settings}
        kinds = {"key": CONVERTER, "value": CONVERTER, "header": HEADER_CONVERTER}
        names = {"key": "StringConverter", "value": value, "header": "SimpleHeaderConverter"}
        converters = [
            ConverterSetup(
                f"{part}.converter",
                plugins.find(names[part], kind),
                {
                    key.removeprefix(f"{part}.converter."): setting
                    for key, setting in settings.items()
                    if key.startswith(f"{part}.converter.")
                },
                part == "value",
            )
            for part, kind in kinds.items()
        ]
        plugin = plugins.find(settings.get("connector.class", "ShopSource"), SOURCE)
        chain = ChainSetup(properties, {}, plugin.location)
        return HostedConnector(self.hosts, plugin, properties, converters, chain)


@pytest.fixture
def world(tmp_path):
    """A plugin path, and the hosts of what is on it."""
    made = World(tmp_path / "path")
    yield made
    if made.hosts is not None:
        made.hosts.close()


@pytest.fixture
def context():
    """What a connector is given."""
    return Context()
