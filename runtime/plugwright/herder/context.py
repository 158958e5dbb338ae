"""The context that the herder gives a connector, and the connector's status."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.metrics import OwnPluginMetrics, reported_figures
from plugwright.worker import partition_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plugwright.errors import PluginError
    from plugwright.herder._worker_interface import Offsets
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
        read_offsets: the stored offsets of a source connector.
    """

    def __init__(
        self,
        name: str,
        reconfigure: Callable[[], None],
        failed: Callable[[Exception], None],
        lost: Callable[[], None],
        read_offsets: Callable[[], Offsets] = tuple,
    ) -> None:
        self._name = name
        self._reconfigure = reconfigure
        self._failed = failed
        self._lost = lost
        self._read_offsets = read_offsets
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
        """Reads the stored offsets of a source connector (KIP-131)."""
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``.

        Raises:
            ConnectError: if the offsets cannot be read.
        """
        return self.offsets([partition])[0][1]

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """The stored offsets of several source partitions, in the order asked; reads them once.

        Raises:
            ConnectError: if the offsets cannot be read.
        """
        stored = {partition_key(partition): offset for partition, offset in self._read_offsets()}
        return [(partition, stored.get(partition_key(partition))) for partition in partitions]

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
