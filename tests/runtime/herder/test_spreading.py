"""Which shard each task of a connector gets."""

from __future__ import annotations

from collections import Counter

import pytest

from plugwright.herder.config_state import ConfigState, Opening
from plugwright.herder.shards import ShardOwnership
from plugwright.herder.spreading import spread_tasks

HALVES = {shard: "one" if shard < 12 else "two" for shard in range(24)}
TURNS = {shard: ("one", "two", "three")[shard % 3] for shard in range(24)}


def _state(**shards):
    """Connectors that run with their tasks in these shards."""
    state = ConfigState()
    for name, own in shards.items():
        state.configs[name], state.task_configs[name] = {}, {n: {} for n in range(len(own))}
        state.generations[name], state.openings[name] = 5, Opening(5, tuple(own))
    return state


@pytest.mark.parametrize("owners", [HALVES, TURNS], ids=["halves", "in turn"])
@pytest.mark.parametrize("count", [1, 2, 5, 24, 50])
@pytest.mark.parametrize("home", [0, 11, 23])
def test_every_worker_has_as_many_tasks_as_any_other(owners, count, home):
    """But for one."""
    shards = spread_tasks("a", count, home, owners, ConfigState())
    load = Counter(dict.fromkeys(owners.values(), 0))
    load.update(owners[shard] for shard in shards)

    assert len(shards) == count
    assert max(load.values()) - min(load.values()) <= 1
    assert owners[shards[0]] == owners[home]


def test_tasks_of_others_count():
    """Those of the connector itself are about to end, and those of no connector have."""
    state = _state(b=[0, 1, 2], a=[12] * 9, gone=[13] * 9)
    del state.configs["gone"]
    shards = spread_tasks("a", 3, 0, HALVES, state)
    assert {HALVES[shard] for shard in shards} == {"two"}


def test_tasks_that_may_not_run_do_not_count():
    """Where theirs will be is open."""
    state = _state(b=[0, 1, 2])
    state.generations["b"] = 6
    assert HALVES[spread_tasks("a", 1, 0, HALVES, state)[0]] == "one"


@pytest.mark.parametrize("half", [range(12), range(6, 18), range(0, 24, 2)])
def test_tasks_of_one_worker_go_to_shards_that_part_when_another_one_comes(half):
    """Whichever half of the shards it gets."""
    shards = spread_tasks("a", 12, 7, dict.fromkeys(range(24), "one"), ConfigState())
    assert len(set(shards)) == 12
    assert abs(sum(shard in half for shard in shards) - 6) <= 1


def test_before_anybody_has_announced_what_it_has_tasks_stay_at_home():
    """It is known that the connector's shard has an owner."""
    assert spread_tasks("a", 2, 7, {}, ConfigState()) == (7, 7)


def test_tasks_are_spread_over_shards_that_are_changing_hands():
    """Their next owner has its part of the tasks then."""
    owners = {shard: "one" if shard < 12 else "" for shard in range(24)}
    shards = spread_tasks("a", 4, 0, owners, ConfigState())

    assert sorted(owners[shard] for shard in shards) == ["", "", "one", "one"]


class Membership:
    """A member that has announced itself for three shards, of which two are its own."""

    owned = frozenset({0, 1})
    generation = 7

    def start(self, url, listener):
        """No other worker is notified."""

    def owners(self):
        """As all have announced."""
        return {0: "me", 1: "me", 2: "me", 3: "other"}


def test_a_shard_that_was_released_has_no_owner():
    """Until another worker has announced itself."""
    ownership = ShardOwnership(Membership(), lambda: None, lambda _: None)
    ownership.start("me", lambda: None)
    ownership.assigned(frozenset({0, 1, 2}))
    assert ownership.owners() == {0: "me", 1: "me", 2: "me", 3: "other"}

    ownership.revoked(frozenset({2}))

    assert ownership.owners() == {0: "me", 1: "me", 2: "", 3: "other"}
