"""The offset, transaction and error settings of a source loop."""

from __future__ import annotations

from dataclasses import dataclass, field

from plugwright.task import TransactionBoundary
from plugwright.worker._error_settings import ErrorSettings


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """The settings of a source loop, times in seconds.

    Attributes:
        boundary: where transactions of an exactly-once source end.
        transaction_interval_s: for the boundary ``interval``; by default the flush interval.
        errors: how failing records are handled.
    """

    offset_flush_interval_s: float = 60.0
    offset_flush_timeout_s: float = 5.0
    boundary: TransactionBoundary = TransactionBoundary.POLL
    transaction_interval_s: float | None = None
    errors: ErrorSettings = field(default_factory=ErrorSettings)

    @property
    def commit_interval_s(self) -> float:
        """The time between two transactions of the boundary ``interval``."""
        own = self.transaction_interval_s
        return self.offset_flush_interval_s if own is None else own
