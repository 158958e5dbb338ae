"""What one task has done so far, counted by its loop."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ErrorCounters", "TaskCounters"]


@dataclass(slots=True)
class ErrorCounters:
    """Running totals of trouble with single records (Kafka's ``task-error-metrics``).

    Attributes:
        record_failures: operations that failed, repeated ones each time.
        record_errors: records that were given up.
        records_skipped: those of them that were left out and the task went on.
        retries: operations that were tried again.
        errors_logged: failures written to the log.
        dead_letter_requests: records sent towards the dead-letter queue.
        dead_letter_failures: those of them that did not get there.
        last_error_timestamp: milliseconds since the epoch of the last error; 0 for none.
    """

    record_failures: int = 0
    record_errors: int = 0
    records_skipped: int = 0
    retries: int = 0
    errors_logged: int = 0
    dead_letter_requests: int = 0
    dead_letter_failures: int = 0
    last_error_timestamp: int = 0

    def snapshot(self) -> dict[str, int]:
        """The totals by Kafka's metric names, as they are now."""
        return {
            "total-record-failures": self.record_failures,
            "total-record-errors": self.record_errors,
            "total-records-skipped": self.records_skipped,
            "total-retries": self.retries,
            "total-errors-logged": self.errors_logged,
            "deadletterqueue-produce-requests": self.dead_letter_requests,
            "deadletterqueue-produce-failures": self.dead_letter_failures,
            "last-error-timestamp": self.last_error_timestamp,
        }


@dataclass(slots=True)
class TaskCounters:
    """Plain running totals; the loop adds per batch, the host reads whenever it reports.

    Attributes:
        records: records handed to the producer (sources) or taken by ``put`` (sinks).
        batches: non-empty batches among them.
        commits: successful offset commits.
        commit_failures: offset commits that were given up and will be tried again.
        retries: batches that a plugin asked to see again.
        errors: trouble with single records.
        topics: the topics that records went to or came from (KIP-558).
    """

    records: int = 0
    batches: int = 0
    commits: int = 0
    commit_failures: int = 0
    retries: int = 0
    errors: ErrorCounters = field(default_factory=ErrorCounters)
    topics: set[str] = field(default_factory=set)

    def snapshot(self) -> dict[str, int]:
        """The totals by name, as they are now."""
        return {
            "records": self.records,
            "batches": self.batches,
            "commits": self.commits,
            "commit_failures": self.commit_failures,
            "retries": self.retries,
            **self.errors.snapshot(),
        }
