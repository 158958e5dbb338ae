"""Ownership in a cluster: a connector belongs to the worker that has its shard."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from plugwright.control_plane import RequestTargetError
from plugwright.herder._ownership import conflict
from plugwright.herder._rebalances import Rebalances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.kafka import ShardListener

_TAKING_AT_ONCE = 8


class Membership(Protocol):
    """A worker's place among the others; `plugwright.kafka.ShardMembership` is one."""

    @property
    def owned(self) -> frozenset[int]:
        """The shards of this worker."""

    @property
    def generation(self) -> int:
        """The group's generation that brought the newest shards; 0 if it is not known."""

    def start(self, url: str, listener: ShardListener) -> None:
        """Join under an address."""

    def shard_of(self, connector: str) -> int:
        """The shard that a connector belongs to."""

    def owners(self) -> Mapping[int, str]:
        """Addresses of the workers that have told that they have a shard, by its number."""

    def confirms(self, connector: str) -> bool:
        """Whether the shard is this worker's, and no other one has claimed it by now."""

    def close(self) -> None:
        """Leave."""


class ShardOwnership:
    """Which connectors are this worker's, by the shards that Kafka gave it.

    Args:
        membership: the worker's place in the group.
        refresh: waits until everything that former owners have written is known.
        take: makes this worker the only one that may write for a shard.
    """

    def __init__(
        self, membership: Membership, refresh: Callable[[], None], take: Callable[[int], None]
    ) -> None:
        self._membership = membership
        self._refresh = refresh
        self._take = take
        self._changed: Callable[[], None] = lambda: None
        self._url = ""
        self._generation = 0
        self._held: frozenset[int] = frozenset()
        self._rebalances = Rebalances()

    def start(self, url: str, changed: Callable[[], None]) -> None:
        """Join the others under the address of this worker's REST API.

        Raises:
            ConnectError: if Kafka does not let this worker in.
        """
        self._changed, self._url = changed, url
        self._membership.start(url, self)

    @property
    def generation(self) -> int:
        """That of the group at the last change of hands: the same order on every worker.

        Where the client does not tell it, seconds since the epoch.
        """
        return self._generation

    def figures(self) -> Mapping[str, float]:
        """About rebalances, by Kafka Connect's names."""
        return {"epoch": self._generation, **self._rebalances.figures()}

    def owns(self, connector: str) -> bool:
        """Whether this worker has a connector's shard."""
        return self.holds(self.shard_of(connector))

    def shard_of(self, connector: str) -> int:
        """The shard of a connector itself."""
        return self._membership.shard_of(connector)

    def holds(self, shard: int) -> bool:
        """Whether a shard is this worker's, and taken up."""
        return shard in self._held

    def owners(self) -> Mapping[int, str]:
        """Which worker has each shard, as they tell each other; of its own this one is sure."""
        others = {s: url for s, url in self._membership.owners().items() if url != self._url}
        return {**others, **dict.fromkeys(self._held, self._url)}

    def require(self, connector: str) -> None:
        """Insist that this worker has a connector's shard.

        Raises:
            RequestTargetError: if another one has it, with its address.
            RebalanceNeededError: if nobody has it at the moment.
        """
        self.require_shard(self.shard_of(connector), f"connector {connector}")

    def require_shard(self, shard: int, what: str) -> None:
        """Insist that this worker has a shard.

        Raises:
            RequestTargetError: if another one has it, with its address.
            RebalanceNeededError: if nobody has it at the moment.
        """
        if self.holds(shard):
            return
        owner = self._membership.owners().get(shard)
        if owner in {None, self._url} or shard in self._membership.owned:
            raise conflict()
        raise RequestTargetError(f"Cannot modify {what} because another worker runs it", owner)

    def close(self) -> None:
        """Leave the others; what is held is let go of first."""
        self._membership.close()

    def assigned(self, shards: frozenset[int]) -> None:
        """These shards are ours: fence the former owners, read what they wrote, then run."""
        self._rebalances.begin()
        if shards:
            self._take_up(shards)
        self._rebalances.end()

    def _take_up(self, shards: frozenset[int]) -> None:
        with ThreadPoolExecutor(min(len(shards), _TAKING_AT_ONCE)) as pool:
            list(pool.map(self._take, sorted(shards)))  # each waits for Kafka most of its time
        self._refresh()
        self._generation = self._membership.generation or int(time.time())
        self._held |= shards
        self._changed()

    def revoked(self, shards: frozenset[int]) -> None:
        """Another worker gets these shards once everything in them has stopped here."""
        self._rebalances.begin()
        if shards:
            self._held -= shards
            self._changed()

    def lost(self, shards: frozenset[int]) -> None:
        """Another worker may have these shards already: stop what is in them."""
        self.revoked(shards)
