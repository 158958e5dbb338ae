"""The catalogue of metrics: Kafka Connect's names, their types and descriptions.

Names and groups are those of ``ConnectMetricsRegistry`` (KIP-196, KIP-475, KIP-298), so that
dashboards built for Kafka Connect work unchanged.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECTOR: Final = "connector-metrics"
ERRORS: Final = "task-error-metrics"
OWN: Final = "plugwright-task-metrics"
PLUGINS: Final = "plugins"
PREDICATE: Final = "connector-predicate-metrics"
REBALANCE: Final = "connect-worker-rebalance-metrics"
SINK_TASK: Final = "sink-task-metrics"
SOURCE_TASK: Final = "source-task-metrics"
TASK: Final = "connector-task-metrics"
TRANSFORM: Final = "connector-transform-metrics"
WORKER: Final = "connect-worker-metrics"

_COUNTERS = frozenset({"deadletterqueue-produce-requests", "deadletterqueue-produce-failures"})
_PARTS = {
    "connector": "connectors",
    "task": "tasks",
}
_STATES = ("running", "paused", "failed", "unassigned", "restarting", "destroyed")


def _is_counter(name: str) -> bool:
    return name.endswith("-total") or name.startswith("total-") or name in _COUNTERS


def _startups(part: str) -> dict[str, str]:
    """The counters of connector or task start-ups."""
    many = _PARTS[part]
    return {
        f"{part}-startup-attempts-total": f"Starts of {many} that this worker has attempted.",
        f"{part}-startup-success-total": f"Starts of {many} that succeeded.",
        f"{part}-startup-success-percentage": f"Fraction of the starts of {many} that succeeded, "
        "from 0 to 1.",
        f"{part}-startup-failure-total": f"Starts of {many} that failed.",
        f"{part}-startup-failure-percentage": f"Fraction of the starts of {many} that failed, "
        "from 0 to 1.",
    }


def _states() -> dict[str, str]:
    return {f"connector-{state}-task-count": f"Tasks of the connector that are {state}."
            for state in _STATES}  # fmt: skip


def _converters() -> dict[str, str]:
    return {
        f"{part}-converter-{what}": f"{what.capitalize()} of the converter of record {many}."
        for part, many in (("key", "keys"), ("value", "values"), ("header", "headers"))
        for what in ("class", "version")
    }


_HELP: Final[Mapping[str, Mapping[str, str]]] = {
    WORKER: {
        "connector-count": "Connectors that this worker runs.",
        "task-count": "Tasks that this worker runs.",
        **_startups("connector"),
        **_startups("task"),
        "connector-total-task-count": "Tasks of the connector.",
        **_states(),
    },
    REBALANCE: {
        "leader-name": "Always n/a: workers share a consumer group without a leader of their own.",
        "connect-protocol": "Always consumer: workers share an ordinary consumer group.",
        "epoch": "Generation of the group in which this worker got its newest connectors.",
        "completed-rebalances-total": "Rebalances that this worker has completed.",
        "rebalancing": "1 while this worker rebalances, else 0.",
        "rebalance-max-time-ms": "The longest rebalance of this worker.",
        "rebalance-avg-time-ms": "Average duration of its rebalances.",
        "time-since-last-rebalance-ms": "Time since the last rebalance completed.",
    },
    CONNECTOR: {
        "status": "State of the connector.",
        "connector-type": "source or sink.",
        "connector-class": "Class of the connector.",
        "connector-version": "Version of its plugin.",
    },
    TASK: {
        "status": "State of the task.",
        "running-ratio": "Fraction of its lifetime that the task has been running, from 0 to 1.",
        "pause-ratio": "Fraction of its lifetime that the task has been paused, from 0 to 1.",
        "offset-commit-max-time-ms": "Longest offset commit of the last minute.",
        "offset-commit-avg-time-ms": "Average duration of offset commits over the last minute.",
        "batch-size-max": "Records in the largest batch of the last minute.",
        "batch-size-avg": "Average batch size over the last minute.",
        "offset-commit-failure-percentage": "Fraction of offset commits that failed (0 to 1).",
        "offset-commit-success-percentage": "Fraction of offset commits that succeeded (0 to 1).",
        "connector-type": "source or sink.",
        "connector-class": "Class of its connector.",
        "connector-version": "Version of the connector's plugin.",
        "task-class": "Class of the task.",
        "task-version": "Version of the task's plugin.",
        **_converters(),
    },
    TRANSFORM: {
        "transform-class": "Class of a transformation of the task.",
        "transform-version": "Version of its plugin.",
    },
    PREDICATE: {
        "predicate-class": "Class of a predicate of the task.",
        "predicate-version": "Version of its plugin.",
    },
    SOURCE_TASK: {
        "source-record-poll-rate": "Records per second returned by poll, over the last minute.",
        "source-record-poll-total": "Records returned by poll, before transformations.",
        "source-record-write-rate": "Records per second sent to Kafka, over the last minute.",
        "source-record-write-total": "Records passed to the Kafka producer.",
        "poll-batch-max-time-ms": "Longest poll of the last minute that returned records.",
        "poll-batch-avg-time-ms": "Average duration of the same polls.",
        "source-record-active-count": "Records that Kafka has not acknowledged yet.",
        "source-record-active-count-max": "Maximum of unacknowledged records over the last minute.",
        "source-record-active-count-avg": "Average of unacknowledged records over the last minute.",
        "transaction-size-min": "Records in the smallest transaction of the last minute.",
        "transaction-size-max": "Records in the largest transaction of the last minute.",
        "transaction-size-avg": "Average transaction size over the last minute.",
    },
    SINK_TASK: {
        "sink-record-read-rate": "Records per second read from Kafka, over the last minute.",
        "sink-record-read-total": "Records read from Kafka, before transformations.",
        "sink-record-send-rate": "Records per second passed to put, over the last minute.",
        "sink-record-send-total": "Records passed to put.",
        "sink-record-lag-max": "Largest number of records of one partition that were passed to put "
        "and are not committed.",
        "sink-record-active-count": "Records that were passed to put and are not committed.",
        "sink-record-active-count-max": "Maximum of uncommitted records over the last minute.",
        "sink-record-active-count-avg": "Average of uncommitted records over the last minute.",
        "partition-count": "Partitions assigned to the task.",
        "offset-commit-seq-no": "Sequence number of the latest offset commit.",
        "offset-commit-skip-rate": "Offset commits per second that completed too late, over the "
        "last minute.",
        "offset-commit-skip-total": "Offset commits that completed too late and were skipped.",
        "offset-commit-completion-rate": "Offset commits per second, over the last minute.",
        "offset-commit-completion-total": "Offset commits that succeeded.",
        "put-batch-max-time-ms": "Longest put of the last minute.",
        "put-batch-avg-time-ms": "Average duration of puts over the last minute.",
    },
    ERRORS: {
        "total-record-failures": "Failed operations on records, including retries.",
        "total-record-errors": "Records whose processing failed for good.",
        "total-records-skipped": "Records that were skipped because of errors.",
        "total-retries": "Operations that were retried.",
        "total-errors-logged": "Failures that were logged.",
        "deadletterqueue-produce-requests": "Records sent to the dead-letter queue.",
        "deadletterqueue-produce-failures": "Records that did not reach the dead-letter queue.",
        "last-error-timestamp": "Time of the latest error in milliseconds since 1970; 0: never.",
    },
    OWN: {
        "batch-total": "Non-empty batches.",
        "offset-commit-total": "Offset commits that succeeded.",
        "put-retry-total": "Batches that the plugin asked to retry.",
    },
}

METRICS: Final[Mapping[tuple[str, str], tuple[str, str]]] = MappingProxyType(
    {
        (group, name): ("counter" if _is_counter(name) else "gauge", text)
        for group, names in _HELP.items()
        for name, text in names.items()
    }
)
"""Type and description of every metric, by group and name."""
