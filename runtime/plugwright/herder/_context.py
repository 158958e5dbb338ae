"""The context that the herder gives a connector, and the connector's status."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.metrics import OwnPluginMetrics, reported_figures
from plugwright.schema import Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.errors import PluginError
    from plugwright.metrics import PluginMetrics

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InstanceStatus:
    """The status of a connector instance; its tasks have statuses of their own.

    Attributes:
        state: RUNNING or FAILED.
        trace: the stack trace of its failure.
        pids: the driver processes that it runs in.
    """

    state: str = "RUNNING"
    trace: str = ""
    pids: tuple[int, ...] = ()


class HerderContext:
    """The connector context; usable from any thread.

    Args:
        name: of the connector.
        reconfigure: requests new task configurations from the connector.
        failed: called when the connector reports its own failure.
        lost: called when the connector ended through no fault of its own, to start it again.
    """

    def __init__(
        self,
        name: str,
        reconfigure: Callable[[], None],
        failed: Callable[[Exception], None],
        lost: Callable[[], None],
    ) -> None:
        self._name = name
        self._reconfigure = reconfigure
        self._failed = failed
        self._lost = lost
        self._metrics = OwnPluginMetrics({"connector": name})
        self._task_figures: Mapping[str, float] = {}

    @property
    def figures(self) -> Mapping[str, float]:
        """The metrics that the connector has registered (KIP-877), by name."""
        return {**reported_figures(self._metrics.figures()), **self._task_figures}

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of a connector that runs in this process."""
        return self._metrics

    def report_metrics(self, figures: Mapping[str, float]) -> None:
        """Store the metrics of a connector that runs in another process."""
        self._task_figures = figures

    def end(self) -> None:
        """Remove the metrics of a stopped connector."""
        self._metrics.close()
        self._metrics, self._task_figures = OwnPluginMetrics(self._metrics.tags), {}

    @property
    def offset_storage_reader(self) -> HerderContext:
        """Reads offsets; on the driver every read fails, because only tasks have offsets."""
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Reject the call.

        Raises:
            ConnectError: always.
        """
        raise ConnectError(
            f"connector {self._name} asked for the offset of "
            f"{Values.convert_to_string(None, dict(partition))} on the driver",
            code="herder.offsets-on-tasks-only",
            hint="read offsets in the task, through its own context",
        )

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Reject the call.

        Raises:
            ConnectError: always, if any partition is given.
        """
        return [(partition, self.offset(partition)) for partition in partitions]

    def request_task_reconfiguration(self) -> None:
        """Request new task configurations from the connector."""
        self._reconfigure()

    def raise_error(self, error: Exception) -> None:
        """Mark the connector as failed; its tasks keep running, as in Kafka Connect."""
        log.error("%s: %s", self._name, error)
        self._failed(error)

    def host_lost(self, error: PluginError) -> None:
        """Restart the connector after another one ended the process that they shared."""
        log.warning("restarting %s, because another connector ended it: %s", self._name, error)
        self._lost()
