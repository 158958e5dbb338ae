"""The metrics that there are: Kafka Connect's names, their types and what they mean.

Names and groups are those of ``ConnectMetricsRegistry`` (KIP-196, KIP-475, KIP-298), so that
dashboards made for Kafka Connect fit.
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
    """What a worker counts of the starts of connectors, or of tasks."""
    many = _PARTS[part]
    return {
        f"{part}-startup-attempts-total": f"Starts of {many} that this worker has tried.",
        f"{part}-startup-success-total": f"Starts of {many} that went well.",
        f"{part}-startup-success-percentage": f"Part of one of these starts of {many} that went "
        "well.",
        f"{part}-startup-failure-total": f"Starts of {many} that failed.",
        f"{part}-startup-failure-percentage": f"Part of one of these starts of {many} that failed.",
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
        "leader-name": "Always n/a: none of the workers leads their consumer group.",
        "connect-protocol": "Always consumer: workers share an ordinary consumer group.",
        "epoch": "The group's generation that brought this worker its newest connectors.",
        "completed-rebalances-total": "Rebalances that this worker has completed.",
        "rebalancing": "1 while connectors of this worker change hands, else 0.",
        "rebalance-max-time-ms": "The longest rebalance of this worker.",
        "rebalance-avg-time-ms": "Average of its rebalances.",
        "time-since-last-rebalance-ms": "Time since the last one was completed.",
    },
    CONNECTOR: {
        "status": "State of the connector.",
        "connector-type": "source or sink.",
        "connector-class": "Class of the connector.",
        "connector-version": "Version of its plugin.",
    },
    TASK: {
        "status": "State of the task.",
        "running-ratio": "Part of one of its life that the task has been running.",
        "pause-ratio": "Part of one of its life that it has been paused.",
        "offset-commit-max-time-ms": "The longest offset commit of the last minute.",
        "offset-commit-avg-time-ms": "Average of the offset commits of the last minute.",
        "batch-size-max": "Records in the largest batch of the last minute.",
        "batch-size-avg": "Average of the batches of the last minute.",
        "offset-commit-failure-percentage": "Part of one of its offset commits that failed.",
        "offset-commit-success-percentage": "Part of one of its offset commits that went well.",
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
        "source-record-poll-rate": "Records a second from poll, over the last minute.",
        "source-record-poll-total": "Records from poll, before their transformation.",
        "source-record-write-rate": "Records a second to Kafka, over the last minute.",
        "source-record-write-total": "Records handed to Kafka's producer.",
        "poll-batch-max-time-ms": "The longest poll of the last minute that brought records.",
        "poll-batch-avg-time-ms": "Average of the polls of the last minute that brought records.",
        "source-record-active-count": "Records that Kafka has not acknowledged yet.",
        "source-record-active-count-max": "The most of them after a batch of the last minute.",
        "source-record-active-count-avg": "Average of them after the batches of the last minute.",
        "transaction-size-min": "Records in the smallest transaction of the last minute.",
        "transaction-size-max": "Records in the largest transaction of the last minute.",
        "transaction-size-avg": "Average of the transactions of the last minute.",
    },
    SINK_TASK: {
        "sink-record-read-rate": "Records a second from Kafka, over the last minute.",
        "sink-record-read-total": "Records from Kafka, before their transformation.",
        "sink-record-send-rate": "Records a second that put has taken, over the last minute.",
        "sink-record-send-total": "Records that put has taken.",
        "sink-record-lag-max": "The most records of one partition that put has taken and no "
        "commit covers.",
        "sink-record-active-count": "Records that put has taken and no commit covers.",
        "sink-record-active-count-max": "The most of them in the last minute.",
        "sink-record-active-count-avg": "Average of them in the last minute.",
        "partition-count": "Partitions that the task has.",
        "offset-commit-seq-no": "Number of the latest offset commit.",
        "offset-commit-skip-rate": "Offset commits a second whose answer came too late, over the "
        "last minute.",
        "offset-commit-skip-total": "Offset commits whose answer came too late to count.",
        "offset-commit-completion-rate": "Offset commits a second, over the last minute.",
        "offset-commit-completion-total": "Offset commits that went well.",
        "put-batch-max-time-ms": "The longest put of the last minute.",
        "put-batch-avg-time-ms": "Average of the puts of the last minute.",
    },
    ERRORS: {
        "total-record-failures": "Operations on records that failed, repeated ones each time.",
        "total-record-errors": "Records that were given up.",
        "total-records-skipped": "Records that were left out because they failed.",
        "total-retries": "Operations that were tried again.",
        "total-errors-logged": "Failures that were written to the log.",
        "deadletterqueue-produce-requests": "Records sent towards the dead-letter queue.",
        "deadletterqueue-produce-failures": "Those of them that did not get there.",
        "last-error-timestamp": "When a record last failed, in milliseconds since 1970; 0 for "
        "never.",
    },
    OWN: {
        "batch-total": "Batches that were not empty.",
        "offset-commit-total": "Offset commits that went well.",
        "put-retry-total": "Batches that the plugin asked to see again.",
    },
}

METRICS: Final[Mapping[tuple[str, str], tuple[str, str]]] = MappingProxyType(
    {
        (group, name): ("counter" if _is_counter(name) else "gauge", text)
        for group, names in _HELP.items()
        for name, text in names.items()
    }
)
"""Type and meaning of every metric, by group and name."""
