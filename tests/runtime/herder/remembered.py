"""A herder over a worker that only remembers."""

from __future__ import annotations

import zlib

from tests.runtime.herder.fakes import FakeWorker

from plugwright.control_plane import RequestTargetError
from plugwright.herder import (
    ConfigStore,
    Herder,
    HerderParts,
    HerderSettings,
    MemoryLog,
    SoleOwner,
    StatusStore,
)
from plugwright.plugins import Plugins

__all__ = ["Shards", "World"]


class Shards(SoleOwner):
    """Owns what a test says."""

    def __init__(self):
        self.foreign = set()
        self.changed = None

    def start(self, url, changed):
        """Remember whom to tell."""
        self.changed = changed
        changed()

    def owns(self, connector):
        """Unless it is another's."""
        return connector not in self.foreign

    def shard_of(self, connector):
        """By its name."""
        return zlib.crc32(connector.encode()) % 24

    def holds(self, shard):
        """Unless it is another's."""
        return shard not in map(self.shard_of, self.foreign)

    def owners(self):
        """Each has an owner."""
        return {shard: "" if self.holds(shard) else "other" for shard in range(24)}

    def require(self, connector):
        """Name the other worker."""
        if connector in self.foreign:
            raise RequestTargetError("not mine", "http://other:8083/")


class World:
    """A herder of one process."""

    def __init__(self, *, started=True, **settings):
        self.worker = FakeWorker()
        self.shards = Shards()
        parts = HerderParts(
            self.worker,
            Plugins((), (), ()),
            ConfigStore(MemoryLog()),
            StatusStore(MemoryLog()),
            self.shards,
            HerderSettings("cluster-1", settle_timeout_s=5.0, **settings),
        )
        self.herder = Herder(parts)
        if started:
            self.herder.start("http://here:8083/")

    def create(self, name="a", target=None, **config):
        """Create a connector and wait until its reports are in."""
        self.herder.put_connector_config(name, {"name": name, **config}, target, False)
        assert self.herder.settle(5)
