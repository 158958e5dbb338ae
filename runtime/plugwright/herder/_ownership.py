"""Determines which worker runs which connector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from plugwright.control_plane import RebalanceNeededError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def conflict() -> RebalanceNeededError:
    """The error during a rebalance, in Kafka's words."""
    return RebalanceNeededError(
        "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"
    )


class Ownership(Protocol):
    """Determines which connectors belong to this worker."""

    def start(self, url: str, changed: Callable[[], None]) -> None:
        """Join the group.

        Args:
            url: address of this worker's REST API.
            changed: called whenever connectors may have been assigned or revoked; before connectors
                move to another worker, it returns only after this worker has released them.
        """

    def owns(self, connector: str) -> bool:
        """Whether this worker owns a connector."""

    def shard_of(self, connector: str) -> int:
        """The shard of the connector itself."""

    def holds(self, shard: int) -> bool:
        """Whether this worker owns a shard."""

    def owners(self) -> Mapping[int, str]:
        """The known owner of each shard."""

    def require_shard(self, shard: int, what: str) -> None:
        """Check that this worker owns a shard; see `require`."""

    def require(self, connector: str) -> None:
        """Check that this worker owns a connector.

        Raises:
            RequestTargetError: if another worker owns it; has its address.
            RebalanceNeededError: if no worker owns it at the moment.
        """

    @property
    def generation(self) -> int:
        """Increases with every change of ownership."""

    def figures(self) -> Mapping[str, float]:
        """Rebalance metrics under Kafka Connect's names; empty for a standalone worker."""

    def close(self) -> None:
        """Leave the group."""


class SoleOwner:
    """The ownership of a standalone worker, which owns everything."""

    generation = 0

    def start(self, url: str, changed: Callable[[], None]) -> None:  # noqa: ARG002  # not needed here
        """Do nothing: everything belongs to this worker."""
        changed()

    def owns(self, connector: str) -> bool:  # noqa: ARG002  # whatever it is called
        """Yes."""
        return True

    def shard_of(self, connector: str) -> int:  # noqa: ARG002  # whatever it is called
        """Return the only shard."""
        return 0

    def holds(self, shard: int) -> bool:  # noqa: ARG002  # there is one
        """Yes."""
        return True

    def owners(self) -> Mapping[int, str]:
        """This worker, under an empty name."""
        return {0: ""}

    def require_shard(self, shard: int, what: str) -> None:
        """Do nothing: this worker owns every shard."""

    def require(self, connector: str) -> None:
        """Do nothing: this worker owns every connector."""

    def figures(self) -> Mapping[str, float]:
        """Return nothing: a standalone worker has no rebalances."""
        return {}

    def close(self) -> None:
        """Do nothing: there is no group to leave."""
