"""The context of a source task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.metrics import OwnPluginMetrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.metrics import PluginMetrics
    from plugwright.task import TransactionContext
    from plugwright.worker._host_protocols import OffsetStore


@dataclass(frozen=True, slots=True)
class LoopSourceTaskContext:
    """The source task context, which is also its offset storage reader."""

    configs: Mapping[str, str]
    _store: OffsetStore
    transaction_context: TransactionContext | None = None
    _metrics: PluginMetrics = field(default_factory=lambda: OwnPluginMetrics({}))

    @property
    def offset_storage_reader(self) -> LoopSourceTaskContext:
        """Itself."""
        return self

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of the task (KIP-877)."""
        return self._metrics

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""
        return self._store.offset(partition)

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """The stored offsets of several source partitions, in the order asked."""
        return [(partition, self._store.offset(partition)) for partition in partitions]
