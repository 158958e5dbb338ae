"""Server properties for a single broker that lives for one run."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.kafka.brokers.ports import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CLIENT_PORT = 9092

# Kafka 4.3 documentation, "Broker Configs". One replica of everything, few partitions in internal
# topics so that coordinators load fast, no waiting for more group members, and a log cleaner
# whose buffer fits a small heap. Retention uses the records' timestamps, and connectors write old
# records: with a limit of a week the cleaner's next run would delete these.
_SINGLE_NODE: Mapping[str, str] = MappingProxyType(
    {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": (
            "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT"
        ),
        "num.partitions": "1",
        "auto.create.topics.enable": "true",
        "default.replication.factor": "1",
        "min.insync.replicas": "1",
        "offsets.topic.num.partitions": "4",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.num.partitions": "4",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        "group.min.session.timeout.ms": "1000",
        "log.retention.ms": "-1",
        "log.cleaner.dedupe.buffer.size": "16777216",
    }
)


def for_host(port: int, controller_port: int, data: Path, host: str = LOOPBACK) -> dict[str, str]:
    """Properties of a broker that clients reach at one address of this machine.

    By default only processes on this machine reach it.
    """
    listeners = f"PLAINTEXT://{host}:{port},CONTROLLER://{LOOPBACK}:{controller_port}"
    return {
        **_SINGLE_NODE,
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
        "listeners": listeners,
        "advertised.listeners": f"PLAINTEXT://{host}:{port}",
        "log.dirs": str(data),
    }


def for_container(host: str, port: int) -> dict[str, str]:
    """Properties of a broker in a container that clients reach at another host and port.

    The broker sends transaction markers to itself at an advertised address. The clients' address
    does not work inside the container, so there is a second listener.
    """
    listeners = (
        f"PLAINTEXT://0.0.0.0:{CLIENT_PORT},INTERNAL://localhost:9094,CONTROLLER://localhost:9093"
    )
    return {
        **_SINGLE_NODE,
        "controller.quorum.voters": "1@localhost:9093",
        "listeners": listeners,
        "advertised.listeners": f"PLAINTEXT://{host}:{port},INTERNAL://localhost:9094",
        "inter.broker.listener.name": "INTERNAL",
    }


def environment(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties as environment variables of Kafka's image (its docker/examples/README)."""
    return {_variable(key): value for key, value in sorted(properties.items())}


def _variable(key: str) -> str:
    name = key.replace("_", "__").replace("-", "___").replace(".", "_")
    return f"KAFKA_{name.upper()}"
