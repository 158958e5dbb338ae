"""The counters and recent figures of one task, maintained by its loop."""

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
    """Records one value per batch, over the present window of 30 s and the one before.

    Kafka's defaults of ``metrics.sample.window.ms`` and ``metrics.num.samples``.

    Args:
        clock: monotonic seconds.
    """

    __slots__ = ("_began", "_clock", "_former", "_present")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._present = _NOTHING  # count, sum, minimum, maximum
        self._former = _NOTHING

    def add(self, value: float) -> None:
        """Record one value. Called once per batch; takes a microsecond."""
        self._turn()
        count, total, least, most = self._present
        self._present = (count + 1, total + value, min(least, value), max(most, value))

    def figures(self, name: str) -> dict[str, float]:
        """Average, minimum and maximum as ``<name>-avg``, ``-min``, ``-max``; empty without values.

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
    """Totals of failures of single records (Kafka's ``task-error-metrics``).

    Attributes:
        record_failures: failed operations, including retries.
        record_errors: records whose processing failed for good.
        records_skipped: records among them that were skipped.
        retries: operations that were retried.
        errors_logged: failures that were logged.
        dead_letter_requests: records sent to the dead-letter queue.
        dead_letter_failures: records that did not reach it.
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
        """The current totals by Kafka's metric names."""
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
    """Totals of one task; the loop updates them per batch, the host reads them for reports.

    Attributes:
        records: records handed to the producer (sources) or taken by ``put`` (sinks).
        polled: records before transformations, from ``poll`` (sources) or Kafka (sinks).
        batches: non-empty batches.
        commits: successful offset commits.
        commit_failures: offset commits that failed and will be retried.
        commit_skips: offset commits of a sink that completed too late to count.
        commit_number: sequence number of a sink's latest offset commit.
        retries: batches that a plugin asked to retry.
        errors: failures of single records.
        topics: the topics that records went to or came from (KIP-558), with the time of the last
            use in milliseconds since the epoch.
        partitions: number of partitions assigned to a sink task.
        batch_size: records in a batch of ``poll``, or of ``put``.
        batch_ms: duration of ``poll`` or ``put`` for a batch, in milliseconds.
        commit_ms: duration of an offset commit, in milliseconds.
        transaction_size: records in a committed transaction of a source.
        active: number of records in progress: of a source, not acknowledged by Kafka; of a
            sink, consumed and not committed.
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
    topics: dict[str, int] = field(default_factory=dict)
    partitions: int = 0
    batch_size: Meter = field(default_factory=Meter)
    batch_ms: Meter = field(default_factory=Meter)
    commit_ms: Meter = field(default_factory=Meter)
    transaction_size: Meter = field(default_factory=Meter)
    active: int = 0
    active_of_late: Meter = field(default_factory=Meter)
    lag_max: int = 0

    def now_active(self, records: int, lag_max: int = 0) -> None:
        """Record the number of records in progress, and the most of one partition."""
        self.active, self.lag_max = records, lag_max
        self.active_of_late.add(records)

    def batch_took(self, records: int, seconds: float) -> None:
        """Record the size and duration of a polled or put batch."""
        self.batch_size.add(records)
        self.batch_ms.add(seconds * 1000)

    def batch_put(self, records: int, seconds: float, places: Iterable[TopicPartition]) -> None:
        """Record a batch that a sink task has put."""
        self.records += records
        self.batches += 1
        self.used((place.topic for place in places), seconds)
        self.batch_took(records, seconds)

    def used(self, topics: Iterable[str], ago_s: float = 0.0) -> None:
        """Record that a batch used these topics. Hot path: one topic per record."""
        self.topics.update(dict.fromkeys(topics, int((time.time() - ago_s) * 1000)))

    def snapshot(self) -> dict[str, int]:
        """The current totals by name."""
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
        """The current gauges, under names shared by sources and sinks."""
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
    """Add the totals of former runs to the figures of a task.

    A restarted task counts from zero; the totals that are shown must only grow.
    """
    figures = dict(later)
    for name, value in former.items():
        if name in _TOTALS:
            figures[name] = value + figures.get(name, 0)
        elif name == _LAST_ERROR:
            figures[name] = max(value, figures.get(name, 0))
    return figures
