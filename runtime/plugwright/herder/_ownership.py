"""Which worker runs which connector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from plugwright.control_plane import RebalanceNeededError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def conflict() -> RebalanceNeededError:
    """The answer while connectors change hands, in Kafka's words."""
    return RebalanceNeededError(
        "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"
    )


class Ownership(Protocol):
    """Tells a worker which connectors are its own."""

    def start(self, url: str, changed: Callable[[], None]) -> None:
        """Begin to take part.

        Args:
            url: address of this worker's REST API.
            changed: called whenever connectors may have come or gone; before connectors go to
                another worker, it returns only when this one has let go of them.
        """

    def owns(self, connector: str) -> bool:
        """Whether this worker runs a connector."""

    def shard_of(self, connector: str) -> int:
        """The shard of a connector itself."""

    def holds(self, shard: int) -> bool:
        """Whether this worker runs what is in a shard."""

    def owners(self) -> Mapping[int, str]:
        """Which worker runs what is in each shard, as far as it is known."""

    def require_shard(self, shard: int, what: str) -> None:
        """Insist that this worker runs what is in a shard; see `require`."""

    def require(self, connector: str) -> None:
        """Insist that this worker runs a connector.

        Raises:
            RequestTargetError: if another one does, with its address.
            RebalanceNeededError: if nobody does at the moment.
        """

    @property
    def generation(self) -> int:
        """Grows with every change of hands."""

    def figures(self) -> Mapping[str, float]:
        """About rebalances, by Kafka Connect's names; none where there are no others."""

    def close(self) -> None:
        """Take part no longer."""


class SoleOwner:
    """The only worker there is."""

    generation = 0

    def start(self, url: str, changed: Callable[[], None]) -> None:  # noqa: ARG002  # nobody asks
        """Own everything at once."""
        changed()

    def owns(self, connector: str) -> bool:  # noqa: ARG002  # whatever it is called
        """Yes."""
        return True

    def shard_of(self, connector: str) -> int:  # noqa: ARG002  # whatever it is called
        """There is one."""
        return 0

    def holds(self, shard: int) -> bool:  # noqa: ARG002  # there is one
        """Yes."""
        return True

    def owners(self) -> Mapping[int, str]:
        """This worker, by no name."""
        return {0: ""}

    def require_shard(self, shard: int, what: str) -> None:
        """Return: everything is this worker's."""

    def require(self, connector: str) -> None:
        """Return: every connector is this worker's."""

    def figures(self) -> Mapping[str, float]:
        """None: nothing ever changes hands."""
        return {}

    def close(self) -> None:
        """Return: there is nobody to leave."""
