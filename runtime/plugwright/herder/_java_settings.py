"""Settings of Kafka Connect 4.3.1 that have no effect here, or another default.

Every key in Kafka Connect's own definitions is either supported or listed here, and the worker
logs a warning at start-up for each listed key that is set.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.herder.tls_settings import unread_tls_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WINDOW = "windowed metrics use two samples of 30 s, Kafka's default"
_INTERNAL = "workers call each other over the public REST endpoints, without signed requests"
_NO_LEADER = "the group has no leader for a worker to lag behind"

UNREAD_BY_WORKERS: Mapping[str, str] = MappingProxyType(
    {
        "connect.protocol": "workers share connectors over Kafka's cooperative consumer protocol",
        "inter.worker.key.generation.algorithm": _INTERNAL,
        "inter.worker.key.size": _INTERNAL,
        "inter.worker.key.ttl.ms": _INTERNAL,
        "inter.worker.signature.algorithm": _INTERNAL,
        "inter.worker.verification.algorithms": _INTERNAL,
        "metrics.num.samples": _WINDOW,
        "metrics.recording.level": "every metric has level INFO, as in Kafka Connect",
        "metrics.sample.window.ms": _WINDOW,
        "scheduled.rebalance.max.delay.ms": "connectors of a lost worker are reassigned as "
        "soon as session.timeout.ms has passed",
        "socket.connection.setup.timeout.max.ms": "every connection attempt has one time limit, "
        "socket.connection.setup.timeout.ms",
        "worker.sync.timeout.ms": _NO_LEADER,
        "worker.unsync.backoff.ms": _NO_LEADER,
    }
)
"""Reason why a worker setting has no effect, by key."""

_FILE = "offset.storage.file.filename"
_PROTOCOL = "security.protocol"


@dataclass(frozen=True, slots=True)
class OtherDefault:
    """A setting whose default differs from Kafka's.

    Attributes:
        kind: the definition in Kafka that has it, such as ``distributed`` or ``consumer``.
        kafkas: Kafka's default.
        ours: the default here.
        reason: why.
    """

    kind: str
    key: str
    kafkas: str
    ours: str
    reason: str


OTHER_DEFAULTS: Sequence[OtherDefault] = (
    OtherDefault(
        "distributed",
        "heartbeat.interval.ms",
        "3000",
        "1000",
        "a worker learns of a newcomer with its next heartbeat, the first wait of every start",
    ),
    OtherDefault(
        "consumer",
        "heartbeat.interval.ms",
        "3000",
        "1000",
        "a sink's member learns of a new one with its next heartbeat",
    ),
    OtherDefault(
        "consumer",
        "session.timeout.ms",
        "45000",
        "10000",
        "members are static (KIP-345): one that returns resumes its place at once, and one that "
        "does not is missed for only ten seconds",
    ),
    OtherDefault(
        "consumer",
        "partition.assignment.strategy",
        "RangeAssignor,CooperativeStickyAssignor",
        "range,roundrobin",
        "the client accepts eager assignors or the cooperative one, not both; the first choice is "
        "the same",
    ),
    OtherDefault(
        "consumer",
        "isolation.level",
        "read_uncommitted",
        "read_committed",
        "sinks on either engine do not read records of aborted transactions",
    ),
    OtherDefault(
        "consumer",
        "reconnect.backoff.ms",
        "50",
        "500",
        "librdkafka opens several connections for different purposes, each with its own retries",
    ),
    OtherDefault(
        "consumer",
        "reconnect.backoff.max.ms",
        "1000",
        "2000",
        "the same",
    ),
)
"""The settings of Kafka Connect and its clients with another default here, and the reasons."""


def unread_settings(properties: Mapping[str, str], *, distributed: bool) -> list[str]:
    """One line for each Kafka Connect setting that is set but has no effect here.

    Args:
        properties: the worker's properties.
        distributed: whether the worker is distributed.
    """
    reasons = dict(UNREAD_BY_WORKERS)
    if distributed:
        reasons[_FILE] = "a group of workers keeps offsets in offset.storage.topic"
    protocol = properties.get(_PROTOCOL, "PLAINTEXT").upper()
    if not protocol.startswith("SASL_"):
        unused = f"{_PROTOCOL} is {protocol}, which does not use SASL"
        reasons |= {key: unused for key in properties if key.startswith("sasl.")}
    reasons |= unread_tls_settings(properties)
    return [
        f"the setting {key} of Kafka Connect has no effect here: {reasons[key]}"
        for key in properties
        if key in reasons
    ]
