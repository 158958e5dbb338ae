"""What a connector may ask of the herder, and what became of it."""

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
    """What a connector may ask of this herder, from any thread.

    Args:
        name: of the connector.
        reconfigure: asks it anew for the configurations of its tasks.
        failed: hears that it has given up.
        lost: hears that it is gone by no fault of its own, and is to be started again.
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
        """The metrics that the connector has registered (KIP-877), as figures."""
        return {**reported_figures(self._metrics.figures()), **self._task_figures}

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of a connector in this process."""
        return self._metrics

    def tell_figures(self, figures: Mapping[str, float]) -> None:
        """Take the metrics of a connector in another process."""
        self._task_figures = figures

    def end(self) -> None:
        """The connector is stopped; its metrics are gone."""
        self._metrics.close()
        self._metrics, self._task_figures = OwnPluginMetrics(self._metrics.tags), {}

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
            f"connector {self._name} asked for the offset of "
            f"{Values.convert_to_string(None, dict(partition))} on the driver",
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
        """Ask the connector anew for the configurations of its tasks."""
        self._reconfigure()

    def raise_error(self, error: Exception) -> None:
        """Fail the connector; its tasks go on, as in Connect."""
        log.error("%s: %s", self._name, error)
        self._failed(error)

    def host_lost(self, error: PluginError) -> None:
        """Start the connector again: another one has ended the process that they shared."""
        log.warning("%s is started again, another connector ended it: %s", self._name, error)
        self._lost()
