"""Ownership in a cluster: the owner of a shard runs the connectors in it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from plugwright.control_plane import RequestTargetError
from plugwright.herder._ownership import conflict
from plugwright.herder.rebalances import Rebalances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.kafka import ShardListener

_TAKING_AT_ONCE = 8


class Membership(Protocol):
    """This worker's membership in the group; see `plugwright.kafka.ShardMembership`."""

    @property
    def owned(self) -> frozenset[int]:
        """The shards of this worker."""

    @property
    def generation(self) -> int:
        """The group generation that assigned the newest shards; 0 if unknown."""

    def start(self, url: str, listener: ShardListener) -> None:
        """Join the group under the address of this worker."""

    def shard_of(self, connector: str) -> int:
        """The shard that a connector belongs to."""

    def owners(self) -> Mapping[int, str]:
        """The addresses of the workers that have announced their shards, by shard number."""

    def confirms(self, connector: str) -> bool:
        """Whether this worker owns the shard and no other worker has claimed it; queries Kafka."""

    def close(self) -> None:
        """Leave."""


class ShardOwnership:
    """The ownership of connectors by the shards that Kafka assigns.

    Args:
        membership: this worker's membership in the group.
        refresh: waits until everything that former owners have written is applied.
        take: makes this worker the only writer of a shard.
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
        """Join the group under the address of this worker's REST API.

        Raises:
            ConnectError: if Kafka rejects this worker.
        """
        self._changed, self._url = changed, url
        self._membership.start(url, self)

    @property
    def generation(self) -> int:
        """The group generation at the last change of ownership: the same order on every worker.

        Seconds since the epoch if the client does not report a generation.
        """
        return self._generation

    def figures(self) -> Mapping[str, float]:
        """Rebalance metrics under Kafka Connect's names."""
        return {"epoch": self._generation, **self._rebalances.figures()}

    def owns(self, connector: str) -> bool:
        """Whether this worker owns a connector's shard."""
        return self.holds(self.shard_of(connector))

    def shard_of(self, connector: str) -> int:
        """The shard of a connector itself."""
        return self._membership.shard_of(connector)

    def holds(self, shard: int) -> bool:
        """Whether this worker owns a shard and has taken it over."""
        return shard in self._held

    def owners(self) -> Mapping[int, str]:
        """The owner of each shard as announced; this worker's own shards are certain.

        A shard that this worker has released, and no other one has taken over, has the owner "".
        """
        announced = self._membership.owners().items()
        others = {shard: "" if url == self._url else url for shard, url in announced}
        return {**others, **dict.fromkeys(self._held, self._url)}

    def require(self, connector: str) -> None:
        """Check that this worker owns a connector's shard.

        Raises:
            RequestTargetError: if another worker owns it; has its address.
            RebalanceNeededError: if no worker owns it at the moment.
        """
        self.require_shard(self.shard_of(connector), f"connector {connector}")

    def require_shard(self, shard: int, what: str) -> None:
        """Check that this worker owns a shard.

        Raises:
            RequestTargetError: if another worker owns it; has its address.
            RebalanceNeededError: if no worker owns it at the moment.
        """
        if self.holds(shard):
            return
        owner = self._membership.owners().get(shard)
        if owner in {None, self._url} or shard in self._membership.owned:
            raise conflict()
        raise RequestTargetError(f"Cannot modify {what} because another worker runs it", owner)

    def close(self) -> None:
        """Release all shards, then leave the group."""
        self._membership.close()

    def assigned(self, shards: frozenset[int]) -> None:
        """Take over shards: fence the former owners, read their entries, then run."""
        self._rebalances.begin()
        if shards:
            self._take_up(shards)
        self._rebalances.end()

    def _take_up(self, shards: frozenset[int]) -> None:
        with ThreadPoolExecutor(min(len(shards), _TAKING_AT_ONCE)) as pool:
            list(pool.map(self._take, sorted(shards)))  # each call mostly waits for Kafka
        self._refresh()
        self._generation = self._membership.generation or int(time.time())
        self._held |= shards
        self._changed()

    def revoked(self, shards: frozenset[int]) -> None:
        """Release shards once everything in them has stopped here."""
        self._rebalances.begin()
        if shards:
            self._held -= shards
            self._changed()

    def lost(self, shards: frozenset[int]) -> None:
        """Stop everything in these shards, which another worker may already own."""
        self.revoked(shards)
