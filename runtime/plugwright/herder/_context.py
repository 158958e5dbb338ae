"""What a connector may ask of the herder, and what became of it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["ConnectorStatus", "HerderContext"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectorStatus:
    """How a connector's own instance is; its tasks have states of their own.

    Attributes:
        state: RUNNING or FAILED.
        trace: what it failed with.
        pids: the processes on the driver that it runs in.
    """

    state: str = "RUNNING"
    trace: str = ""
    pids: tuple[int, ...] = ()


class HerderContext:
    """What a connector may ask of this herder, from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.trace = ""

    @property
    def offset_storage_reader(self) -> HerderContext:
        """Reads offsets; on the driver it says that this is the tasks' business."""
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Refuse.

        Raises:
            ConnectError: always.
        """
        raise ConnectError(
            f"connector {self._name} asked for the offset of {dict(partition)!r} on the driver",
            code="herder.offsets-on-tasks-only",
            hint="read offsets in the task, through its own context",
        )

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Refuse.

        Raises:
            ConnectError: always, if there is any partition.
        """
        return [(partition, self.offset(partition)) for partition in partitions]

    def request_task_reconfiguration(self) -> None:
        """Say what a restart would do."""
        log.warning("%s: restart the connector to give its tasks new configurations", self._name)

    def raise_error(self, error: Exception) -> None:
        """Fail the connector; its tasks go on, as in Connect."""
        self.trace = render(error) if isinstance(error, ConnectError) else str(error)
        log.error("%s: %s", self._name, error)
