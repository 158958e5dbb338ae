"""Assigns the tasks of a connector to shards, and so to workers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.herder.config_state import ConfigState


def spread_tasks(
    name: str, count: int, home: int, owners: Mapping[int, str], state: ConfigState
) -> tuple[int, ...]:
    """Choose a shard for each task so that all workers have equally many tasks.

    A task goes to the worker with the fewest tasks, the connector's own on a tie, and there to the
    shard with the fewest. Neighbouring tasks are placed half of the shards apart, because a worker
    that joins is assigned the lower half of the shards of one that had all.

    Args:
        name: of the connector.
        count: number of its tasks.
        home: shard of the connector itself.
        owners: owner of each shard; "" for those that no worker has at the moment, which get their
            part of the tasks as well.
        state: the running tasks.
    """
    if not owners:
        return (home,) * count
    tasks = Counter(state.placed)
    tasks.subtract(state.shards_of(name))
    load = Counter(dict.fromkeys(owners.values(), 0))
    for shard, running in tasks.items():
        if shard in owners:
            load[owners[shard]] += running
    at_home, shards = owners.get(home, ""), sorted(owners)
    chosen: list[int] = []
    for number in range(count):
        worker = min(load, key=lambda url: (load[url], url != at_home, url))
        own = [shard for shard in _from(home, number, shards) if owners[shard] == worker]
        shard = min(own, key=lambda each: tasks[each])
        chosen.append(shard)
        tasks[shard] += 1
        load[worker] += 1
    return tuple(chosen)


def _from(home: int, number: int, shards: Sequence[int]) -> list[int]:
    """All shards, starting with the preferred one of a task."""
    size = len(shards)
    begin = (home + number // 2 + number % 2 * (size // 2)) % size
    return [*shards[begin:], *shards[:begin]]
