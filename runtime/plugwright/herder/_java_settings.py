"""Settings of Kafka Connect 4.3.1 that nothing reads here, and those with another default.

Every key that Java's own definitions have is honoured or stands here, and whoever sets it is told
when the worker starts: none is silent.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.herder._tls_settings import unread_tls_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WINDOW = "figures of the recent past are of two samples of 30 s, as Kafka's are by default"
_INTERNAL = "workers ask each other over the public REST endpoints, so that no request is signed"
_NO_LEADER = "there is no leader that a worker could lag behind"

UNREAD_BY_WORKERS: Mapping[str, str] = MappingProxyType(
    {
        "connect.protocol": "workers share connectors by Kafka's cooperative consumer protocol",
        "inter.worker.key.generation.algorithm": _INTERNAL,
        "inter.worker.key.size": _INTERNAL,
        "inter.worker.key.ttl.ms": _INTERNAL,
        "inter.worker.signature.algorithm": _INTERNAL,
        "inter.worker.verification.algorithms": _INTERNAL,
        "metrics.num.samples": _WINDOW,
        "metrics.recording.level": "every metric is of level INFO, as all of Kafka Connect's are",
        "metrics.sample.window.ms": _WINDOW,
        "scheduled.rebalance.max.delay.ms": "what a lost worker had is given to others as soon as "
        "session.timeout.ms is over",
        "socket.connection.setup.timeout.max.ms": "attempts to connect have one time limit, "
        "socket.connection.setup.timeout.ms",
        "worker.sync.timeout.ms": _NO_LEADER,
        "worker.unsync.backoff.ms": _NO_LEADER,
    }
)
"""Why a setting of workers has no effect, by key."""

_FILE = "offset.storage.file.filename"
_PROTOCOL = "security.protocol"


@dataclass(frozen=True, slots=True)
class OtherDefault:
    """A setting whose default is not Kafka's.

    Attributes:
        kind: of the definition that Kafka has it in, such as ``distributed`` or ``consumer``.
        kafkas: its default there.
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
        "members are static (KIP-345): one that comes back takes its place at once, and one that "
        "does not is missed for ten seconds only",
    ),
    OtherDefault(
        "consumer",
        "partition.assignment.strategy",
        "RangeAssignor,CooperativeStickyAssignor",
        "range,roundrobin",
        "the client takes eager assignors or the cooperative one, not both; the first choice is "
        "the same",
    ),
    OtherDefault(
        "consumer",
        "isolation.level",
        "read_uncommitted",
        "read_committed",
        "sinks on either engine do not see what exactly-once sources have aborted",
    ),
    OtherDefault(
        "consumer",
        "reconnect.backoff.ms",
        "50",
        "500",
        "librdkafka has a connection for each of several purposes, and each tries by itself",
    ),
    OtherDefault(
        "consumer",
        "reconnect.backoff.max.ms",
        "1000",
        "2000",
        "the same",
    ),
)
"""The settings of Kafka Connect and its clients that have another default here, and why."""


def unread_settings(properties: Mapping[str, str], *, distributed: bool) -> list[str]:
    """A line for each of a worker's settings that is one of Kafka Connect and has no effect here.

    Args:
        properties: the worker's.
        distributed: whether it is one of a group.
    """
    reasons = dict(UNREAD_BY_WORKERS)
    if distributed:
        reasons[_FILE] = "a group of workers keeps offsets in offset.storage.topic"
    protocol = properties.get(_PROTOCOL, "PLAINTEXT").upper()
    if not protocol.startswith("SASL_"):
        unused = f"{_PROTOCOL} is {protocol}, which has no login by SASL"
        reasons |= {key: unused for key in properties if key.startswith("sasl.")}
    reasons |= unread_tls_settings(properties)
    return [
        f"the setting {key} of Kafka Connect has no effect here: {reasons[key]}"
        for key in properties
        if key in reasons
    ]
