"""What a sink loop is told about its pace and its errors."""

from __future__ import annotations

from dataclasses import dataclass, field

from plugwright.worker._error_settings import ErrorSettings


@dataclass(frozen=True, slots=True)
class SinkSettings:
    """The settings that a sink loop obeys, in seconds.

    Attributes:
        offset_flush_interval_s: time between two commits.
        offset_flush_timeout_s: how long the group may take to answer; a commit that it did not
            take is tried again after this time, not after another interval.
        errors: what happens to records that fail.
        max_poll_records: how many records ``put`` is given at most. Small batches stay in the
            processor's cache; larger ones than Java's default measured slower.
        flush_max_records: how many records may be put and not committed, so that no more of them
            are put again after a crash; 0 for as many as come within the interval.
    """

    offset_flush_interval_s: float = 60.0
    offset_flush_timeout_s: float = 5.0
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    max_poll_records: int = 500
    flush_max_records: int = 0

    def commit_wait_s(self, *, refused: bool) -> float:
        """The time from one commit to the next; shorter where the group did not take one."""
        interval_s, timeout_s = self.offset_flush_interval_s, self.offset_flush_timeout_s
        return min(interval_s, timeout_s) if refused else interval_s

    @property
    def batch(self) -> int:
        """How many records are polled at once."""
        limit = self.flush_max_records
        return min(self.max_poll_records, limit) if limit else self.max_poll_records

    @property
    def most_uncommitted(self) -> float:
        """With more records put than this, the next batch could go beyond the limit."""
        limit = self.flush_max_records
        return limit - self.batch if limit else float("inf")
