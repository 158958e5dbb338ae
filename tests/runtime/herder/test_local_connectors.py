"""Which connectors have a runner, whatever happens at the same time."""

from __future__ import annotations

import threading

import pytest
from tests.runtime.herder.fakes import FakeWorker

from plugwright.herder import (
    ConfigStore,
    HerderParts,
    HerderSettings,
    MemoryLog,
    SoleOwner,
    StatusStore,
)
from plugwright.herder.local_connectors import LocalConnectors
from plugwright.plugins import Plugins


class Owner(SoleOwner):
    """Owns everything; a test may act while it is queried."""

    def __init__(self):
        self.meanwhile = lambda: None

    def holds(self, shard):
        """Yes, after a while."""
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()
        return True


class World:
    """Local connectors over stores in memory."""

    def __init__(self):
        self.worker, self.owner = FakeWorker(), Owner()
        self.configs, statuses = ConfigStore(MemoryLog()), StatusStore(MemoryLog())
        settings = HerderSettings()
        self.connectors = LocalConnectors(
            HerderParts(
                self.worker, Plugins((), (), ()), self.configs, statuses, self.owner, settings
            )
        )
        statuses.start()
        self.configs.start(lambda change: self.connectors.reconcile(change.name))
        self.connectors.start("http://here:8083/")

    def create(self, name):
        """Write a configuration; the connectors follow it."""
        self.configs.put_connector(name, {"name": name})


@pytest.fixture
def world():
    """A fresh one, closed at the end."""
    world = World()
    yield world
    world.connectors.close()


def test_a_connector_that_is_created_while_others_change_hands_keeps_its_runner(world):
    """It was written after the look at who has what, and is not another worker's therefore."""
    world.create("a")
    creating = threading.Thread(target=world.create, args=("b",))

    def create_another():
        creating.start()
        creating.join(0.02)

    world.owner.meanwhile = create_another
    world.connectors.distribute()
    creating.join(10)

    assert world.connectors.runner("b") is not None
    assert world.connectors.settle(10)
    assert ("stop", "b") not in world.worker.calls


def test_nothing_is_left_of_a_connector_that_was_removed(world):
    """A worker of many short-lived connectors would fill up."""
    world.create("a")
    runner = world.connectors.runner("a")
    assert runner.settle(10)

    world.configs.remove_connector("a")
    runner.call(lambda: None)  # what waits for it is not forgotten

    assert world.connectors.runner("a") is None
    assert world.worker.calls[-1] == ("stop", "a")


def test_a_connector_that_comes_back_at_once_runs(world):
    """Its removal may still be under way."""
    for _ in range(3):
        world.create("a")
        world.configs.remove_connector("a")
    world.create("a")

    assert world.connectors.settle(10)
    assert world.connectors.runner("a") is not None
    assert world.worker.calls[-1][0] == "launch"
