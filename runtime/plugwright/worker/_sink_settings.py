"""The commit, batch and error settings of a sink loop."""

from __future__ import annotations

from dataclasses import dataclass, field

from plugwright.worker._error_settings import ErrorSettings


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """The settings of a sink loop, times in seconds.

    Attributes:
        offset_flush_interval_s: time between two commits.
        offset_flush_timeout_s: time that the group may take to answer; a rejected commit is
            retried after this time, not after another interval.
        errors: how failing records are handled.
        max_poll_records: maximum number of records per ``put``. Small batches stay in the
            processor's cache; batches above Java's default measured slower.
        flush_max_records: number of records that may be put and not committed, which limits how
            many are put again after a crash; 0 for as many as arrive within the interval.
    """

    offset_flush_interval_s: float = 60.0
    offset_flush_timeout_s: float = 5.0
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    max_poll_records: int = 500
    flush_max_records: int = 0

    def commit_wait_s(self, *, refused: bool) -> float:
        """The time between two commits; shorter after a rejected commit."""
        interval_s, timeout_s = self.offset_flush_interval_s, self.offset_flush_timeout_s
        return min(interval_s, timeout_s) if refused else interval_s

    @property
    def batch(self) -> int:
        """The number of records per poll."""
        limit = self.flush_max_records
        return min(self.max_poll_records, limit) if limit else self.max_poll_records

    @property
    def most_uncommitted(self) -> float:
        """The number of uncommitted records above which the next batch could exceed the limit."""
        limit = self.flush_max_records
        return limit - self.batch if limit else float("inf")
