"""Where our worker calls connectors otherwise than Java for a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.calls.playing import Calls

__all__ = ["DEVIATIONS", "SOMETIMES", "sequences_that_differ"]

_STOPPED = "a connector whose start failed is stopped, so that nothing stays half open"
_SENT = "records of the same poll behind one that Kafka refuses may have been sent already"
_REWOUND = "offsets behind a requested seek are not committed, or a crash would lose records"
_REPLACED = "a seek takes the place of the batch that waits for a retry"
_ANSWERED = "a dropped record is answered with its poll, not with the next transaction"
_NOTHING = "None from pre_commit commits nothing; Java fails with a NullPointerException"

DEVIATIONS = {
    ("sink-connector-start-fails", "connector"): _STOPPED,
    ("source-connector-start-fails", "connector"): _STOPPED,
    ("source-bad-topic", "task-0 records"): _SENT,
    ("sink-seeks-back-and-commits", "task-0"): _REWOUND,
    ("sink-answers-null", "unreached"): _NOTHING,
    ("sink-retry-sought-back", "task-0"): _REPLACED,
    ("source-exact-filtered", "task-0 records"): _ANSWERED,
}
"""The reason of each, by life and by whose calls they are."""
SOMETIMES = frozenset({("source-bad-topic", "task-0 records")})
"""Those that depend on how fast Kafka's client is."""
_BATCH = re.compile(r"^put (?P<records>\S+@\d+=\S*(?: \S+@\d+=\S*)*)")


def sequences_that_differ(java: Calls, ours: Calls) -> list[str]:
    """Whose calls are not the same, among them what was waited for in vain.

    Kafka orders the records of a partition, not the partitions of a poll.
    """
    return [
        sequence
        for sequence in sorted({*java, *ours})
        if _by_partition(java.get(sequence)) != _by_partition(ours.get(sequence))
    ]


def _by_partition(calls: Sequence[str] | None) -> list[str] | None:
    """Calls whose batches name one partition after the other; the records of each stay in order."""
    return None if calls is None else [_BATCH.sub(_partitions_in_order, call) for call in calls]


def _partitions_in_order(batch: re.Match[str]) -> str:
    records = sorted(batch["records"].split(" "), key=lambda record: record.partition("@")[0])
    return f"put {' '.join(records)}"
