"""An existing Kafka."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from plugwright.errors import SetupError
from plugwright.kafka.brokers._broker import Broker
from plugwright.kafka.brokers._deadline import within
from plugwright.kafka.brokers._probe import connect_failure, metadata_failure, parse_servers

if TYPE_CHECKING:
    from collections.abc import Mapping

# The sum is below ten seconds, the limit for reporting a wrong address.
_CONNECT_SECONDS = 3.0
_METADATA_SECONDS = 5.0
_TOTAL_SECONDS = 9.0


@dataclass(frozen=True, slots=True)
class ExternalBroker(Broker):
    """A Kafka that was running before and keeps running; closing it does nothing."""

    bootstrap_servers: str
    kind: ClassVar[str] = "external"
    version: ClassVar[None] = None
    log: ClassVar[None] = None

    def close(self) -> None:
        """Do nothing: the broker was not started here."""


def open_external(
    bootstrap_servers: str, properties: Mapping[str, str] | None = None
) -> ExternalBroker:
    """The broker at an address, after a check that it answers; takes less than ten seconds.

    Args:
        bootstrap_servers: ``host:port`` pairs separated by commas.
        properties: the clients' properties, such as ``security.protocol``.

    Raises:
        ConfigError: ``config.invalid`` for a malformed address or client properties.
        SetupError: ``environment.kafka-unreachable`` with the reason and the seconds taken.
    """
    servers = parse_servers(bootstrap_servers)
    started = time.monotonic()

    def probe() -> str | None:
        return connect_failure(servers, _CONNECT_SECONDS) or metadata_failure(
            bootstrap_servers, _METADATA_SECONDS, properties or {}
        )

    try:
        reason = within(_TOTAL_SECONDS, probe)
    except TimeoutError as error:
        reason = f"{error}; the host name may not resolve"
    if reason:
        raise _unreachable(bootstrap_servers, reason, time.monotonic() - started)
    return ExternalBroker(bootstrap_servers)


def _unreachable(bootstrap_servers: str, reason: str, seconds: float) -> SetupError:
    return SetupError(
        f"no Kafka answers at {bootstrap_servers}: {reason} (after {seconds:.1f} s)",
        code="environment.kafka-unreachable",
        hint="start that broker or correct the address; "
        "without bootstrap servers an embedded broker is started",
        facts={"bootstrap.servers": bootstrap_servers, "reason": reason, "seconds": seconds},
    )
