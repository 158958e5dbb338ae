"""What one task has done so far, counted by its loop."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plugwright.record import TopicPartition


_WINDOW_S = 30.0
_NOTHING = (0, 0.0, math.inf, -math.inf)


class Meter:
    """Takes a figure for each batch; remembers the present window of 30 s and the one before.

    Kafka's defaults of ``metrics.sample.window.ms`` and ``metrics.num.samples``.

    Args:
        clock: seconds that only go forward.
    """

    __slots__ = ("_began", "_clock", "_former", "_present")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._present = _NOTHING  # how many, their sum, the smallest, the largest
        self._former = _NOTHING

    def add(self, value: float) -> None:
        """Take one figure. Once for each batch; a microsecond."""
        self._turn()
        count, total, least, most = self._present
        self._present = (count + 1, total + value, min(least, value), max(most, value))

    def figures(self, name: str) -> dict[str, float]:
        """Average, minimum and maximum: ``<name>-avg``, ``-min``, ``-max``; nothing if none came.

        Safe to call from another thread.
        """
        self._turn()
        present, former = self._present, self._former
        count = present[0] + former[0]
        if not count:
            return {}
        return {
            f"{name}-avg": round((present[1] + former[1]) / count, 3),
            f"{name}-min": round(min(present[2], former[2]), 3),
            f"{name}-max": round(max(present[3], former[3]), 3),
        }

    def _turn(self) -> None:
        """Begin a new window if the present one is over."""
        passed = self._clock() - self._began
        if passed >= _WINDOW_S:
            self._former = self._present if passed < 2 * _WINDOW_S else _NOTHING
            self._present = _NOTHING
            self._began += passed


_LAST_ERROR = "last-error-timestamp"


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
            _LAST_ERROR: self.last_error_timestamp,
        }


@dataclass(slots=True)
class TaskCounters:
    """Plain running totals; the loop adds per batch, the host reads whenever it reports.

    Attributes:
        records: records handed to the producer (sources) or taken by ``put`` (sinks).
        polled: records before their transformation, from ``poll`` (sources) or Kafka (sinks).
        batches: non-empty batches among them.
        commits: successful offset commits.
        commit_failures: offset commits that were given up and will be tried again.
        commit_skips: offset commits of a sink whose answer came too late to count.
        commit_number: number of a sink's latest offset commit.
        retries: batches that a plugin asked to see again.
        errors: trouble with single records.
        topics: the topics that records went to or came from (KIP-558).
        partitions: how many partitions a sink task has.
        batch_size: records in a batch of ``poll``, or of ``put``.
        batch_ms: milliseconds that ``poll`` took for a batch, or ``put``.
        commit_ms: milliseconds that an offset commit took.
        transaction_size: records in a committed transaction of a source.
        active: how many records are between Kafka and their completion: of a source, not
            acknowledged by Kafka; of a sink, consumed and not committed.
        active_of_late: the same after each batch.
        lag_max: the most records of one partition that a sink has consumed and not committed.
    """

    records: int = 0
    polled: int = 0
    batches: int = 0
    commits: int = 0
    commit_failures: int = 0
    commit_skips: int = 0
    commit_number: int = 0
    retries: int = 0
    errors: ErrorCounters = field(default_factory=ErrorCounters)
    topics: set[str] = field(default_factory=set)
    partitions: int = 0
    batch_size: Meter = field(default_factory=Meter)
    batch_ms: Meter = field(default_factory=Meter)
    commit_ms: Meter = field(default_factory=Meter)
    transaction_size: Meter = field(default_factory=Meter)
    active: int = 0
    active_of_late: Meter = field(default_factory=Meter)
    lag_max: int = 0

    def now_active(self, records: int, lag_max: int = 0) -> None:
        """So many records are on their way now; at most ``lag_max`` of one partition."""
        self.active, self.lag_max = records, lag_max
        self.active_of_late.add(records)

    def batch_took(self, records: int, seconds: float) -> None:
        """A batch of so many records was polled, or put, in that time."""
        self.batch_size.add(records)
        self.batch_ms.add(seconds * 1000)

    def batch_put(self, records: int, seconds: float, places: Iterable[TopicPartition]) -> None:
        """A sink task has taken a batch."""
        self.records += records
        self.batches += 1
        self.topics.update(place.topic for place in places)
        self.batch_took(records, seconds)

    def snapshot(self) -> dict[str, int]:
        """The totals by name, as they are now."""
        return {
            "records": self.records,
            "polled": self.polled,
            "batches": self.batches,
            "commits": self.commits,
            "commit_failures": self.commit_failures,
            "commit_skips": self.commit_skips,
            "retries": self.retries,
            **self.errors.snapshot(),
        }

    def figures(self) -> dict[str, float]:
        """What goes up and down, by names that are alike for sources and sinks."""
        return {
            "partitions": self.partitions,
            "commit-number": self.commit_number,
            "active": self.active,
            "lag-max": self.lag_max,
            **self.active_of_late.figures("active"),
            **self.transaction_size.figures("transaction-size"),
            **self.batch_size.figures("batch-size"),
            **self.batch_ms.figures("batch-ms"),
            **self.commit_ms.figures("commit-ms"),
        }


_TOTALS = frozenset({*TaskCounters().snapshot()} - {_LAST_ERROR})


def carried_on(former: Mapping[str, float], later: Mapping[str, float]) -> dict[str, float]:
    """Figures of a task with the totals of those that ran before it added.

    A restarted task counts from zero; what is shown of it only grows.
    """
    figures = dict(later)
    for name, value in former.items():
        if name in _TOTALS:
            figures[name] = value + figures.get(name, 0)
        elif name == _LAST_ERROR:
            figures[name] = max(value, figures.get(name, 0))
    return figures
