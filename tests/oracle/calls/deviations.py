"""Where our worker calls connectors otherwise than Java for a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.oracle.calls.playing import Calls

__all__ = ["DEVIATIONS", "SOMETIMES", "lanes_that_differ"]

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


def lanes_that_differ(java: Calls, ours: Calls) -> list[str]:
    """Whose calls are not the same, among them what was waited for in vain."""
    return [lane for lane in sorted({*java, *ours}) if java.get(lane) != ours.get(lane)]
