"""Who runs a connector in a cluster, over a group that is only pretended."""

from __future__ import annotations

import threading
import time

import pytest

from plugwright.control_plane import RebalanceNeededError, RequestTargetError
from plugwright.herder.shards import ShardOwnership


class FakeMembership:
    """Two shards: names up to ``m``, and the others."""

    def __init__(self):
        self.owned = frozenset()
        self.announced = {}
        self.closed = False
        self.generation = 4

    def start(self, url, listener):
        """Let the test tell what comes and goes."""
        self.url, self.listener = url, listener

    def shard_of(self, connector):
        """By its first letter."""
        return int(connector > "m")

    def owners(self):
        """As the test says."""
        return self.announced

    def close(self):
        """Remember it."""
        self.closed = True

    def give(self, *shards):
        """Assign shards."""
        self.owned |= frozenset(shards)
        self.generation += 1
        self.listener.assigned(frozenset(shards))


class World:
    """What happened, in order."""

    def __init__(self):
        self.events = []
        self.group = FakeMembership()
        self.ownership = ShardOwnership(
            self.group,
            lambda: self.events.append("refresh"),
            lambda shard: self.events.append(f"take-{shard}"),
        )
        self.ownership.start("http://self:8083/", self._changed)

    def _changed(self):
        self.events.append(f"changed a={self.ownership.owns('a')} z={self.ownership.owns('z')}")


def test_changes_of_hands_are_counted():
    """One that brings nothing here is one too."""
    world = World()
    world.group.give(1)
    world.group.listener.revoked(frozenset({1}))
    during = world.ownership.figures()
    world.group.give()
    figures = world.ownership.figures()
    assert (during["completed-rebalances-total"], during["rebalancing"]) == (1, 1.0)
    assert (figures["completed-rebalances-total"], figures["rebalancing"]) == (2, 0.0)
    assert figures["epoch"] == world.ownership.generation == 5


def test_a_shard_is_fenced_and_read_before_its_connectors_run():
    """The former owner may live on for a while."""
    world = World()
    world.group.give(1)
    assert world.events == ["take-1", "refresh", "changed a=False z=True"]


def test_an_empty_assignment_changes_nothing():
    """A member that joins gets its shards when the others have let go of them."""
    world = World()
    world.group.give()
    assert world.events == []


@pytest.mark.parametrize("how", ["revoked", "lost"])
def test_what_leaves_is_let_go_of(how):
    """Before the call returns, so before another worker has it."""
    world = World()
    world.group.give(0, 1)
    world.events.clear()
    getattr(world.ownership, how)(frozenset({0}))
    assert world.events == ["changed a=False z=True"]


def test_the_generation_grows_with_a_change_of_hands():
    """So that a late status of a former owner is known as such."""
    world = World()
    before = world.ownership.generation
    world.group.give(0)
    assert world.ownership.generation > before


def test_the_generation_is_that_of_the_group():
    """Kafka's own number, the same order on every worker."""
    world = World()
    world.group.give(0)
    assert world.ownership.generation == 5


def test_without_the_groups_generation_it_is_the_time():
    """A client that hides it."""
    world = World()
    world.group.generation = -1  # zero once a shard is given
    before = int(time.time())
    world.group.give(0)
    assert world.ownership.generation >= before


def test_another_workers_connector_is_referred_to_it():
    """By its address."""
    world = World()
    world.group.announced = {0: "http://other:8083/"}
    with pytest.raises(RequestTargetError) as raised:
        world.ownership.require("a")
    assert raised.value.forward_url == "http://other:8083/"


def test_a_connector_without_an_owner_is_to_be_asked_for_later():
    """A rebalance goes on."""
    with pytest.raises(RebalanceNeededError, match="conflicting operation"):
        World().ownership.require("a")


def test_a_shard_that_is_being_taken_up_is_not_referred_to_ourselves():
    """The group says it is ours, but its state has not been read yet."""
    world = World()
    world.group.owned = frozenset({0})
    world.group.announced = {0: "http://self:8083/"}
    with pytest.raises(RebalanceNeededError):
        world.ownership.require("a")


def test_a_shard_that_has_left_us_is_not_referred_to_ourselves():
    """Its next owner has not announced itself yet."""
    world = World()
    world.group.announced = {0: "http://self:8083/"}
    with pytest.raises(RebalanceNeededError):
        world.ownership.require("a")


def test_our_own_connector_needs_no_other_worker():
    """The group is not even asked."""
    world = World()
    world.group.give(0)
    world.ownership.require("a")


def test_leaving_leaves_the_group():
    """Which revokes what is held."""
    world = World()
    world.ownership.close()
    assert world.group.closed


def test_shards_are_taken_side_by_side():
    """Each waits for Kafka, and a new worker may get all of them."""
    together = threading.Barrier(2, timeout=10)
    group = FakeMembership()
    ShardOwnership(group, lambda: None, lambda _: together.wait()).start("http://s/", lambda: None)

    group.give(0, 1)

    assert not together.broken
