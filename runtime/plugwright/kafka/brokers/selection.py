"""Chooses the kind of broker and opens it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.brokers._broker import (
    Broker,
    ProgressListener,
    RestartableBroker,
    quiet,
)
from plugwright.kafka.brokers.containers import engine_answers, open_container
from plugwright.kafka.brokers.deadline import within
from plugwright.kafka.brokers.embedded import open_embedded
from plugwright.kafka.brokers.probe import connect_failure, metadata_failure, parse_servers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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


Kind = Literal["external", "testcontainers", "embedded"]


def open_broker(  # noqa: PLR0913  # each has a default
    bootstrap_servers: str | None = None,
    *,
    kind: Kind | None = None,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    progress: ProgressListener = quiet,
    host: str = "",
) -> Broker:
    """Open a Kafka: the given one, otherwise one in a container, otherwise an embedded one.

    A container engine that answers but cannot run Kafka's image is skipped, unless ``kind``
    requires it.

    Args:
        bootstrap_servers: address of a running broker, ``host:port`` pairs separated by commas.
        kind: ``external``, ``testcontainers`` or ``embedded`` instead of a choice.
        port: the port for clients of a broker that is started here; by default a free one.
        properties: client properties for an external broker; for a broker that is started
            here, server properties in addition to those for a single node.
        progress: notified of slow steps, with one sentence each.
        host: the address of this machine at which clients on other machines reach a broker that is
            started here, which is an embedded one then; by default only this machine reaches it.

    Raises:
        ConfigError: ``config.invalid`` if the arguments contradict each other.
        SetupError: if no broker can be opened; the code has the reason.
    """
    if host and bootstrap_servers is None:
        if kind not in (None, "embedded"):
            raise _contradiction("kind", kind, f"only an embedded broker listens at {host}")
        return open_embedded(port=port, properties=properties, progress=progress, host=host)
    chosen = choose(bootstrap_servers, kind, engine_answers)
    if bootstrap_servers is not None:
        if port is not None:
            raise _contradiction("port", port, "an external broker has its own port")
        return open_external(bootstrap_servers, properties)
    if chosen == "testcontainers":
        try:
            return open_container(port=port, properties=properties, progress=progress)
        except SetupError as error:
            if kind is not None or error.code == "environment.port-in-use":
                raise
            progress(f"{error}; continuing with an embedded broker")
    return open_embedded(port=port, properties=properties, progress=progress)


def open_restartable(
    *,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    progress: ProgressListener = quiet,
) -> RestartableBroker:
    """Open an embedded Kafka that can be ended and started again with its data.

    Args:
        port: the port for clients; by default a free one.
        properties: server properties in addition to those for a single node.
        progress: notified of slow steps, with one sentence each.

    Raises:
        SetupError: if no broker can be started; the code has the reason.
    """
    return open_embedded(port=port, properties=properties, progress=progress)


def choose(
    bootstrap_servers: str | None, kind: Kind | None, engine_answers: Callable[[], bool]
) -> Kind:
    """The kind of broker to open; looks for a container engine only if necessary.

    Raises:
        ConfigError: ``config.invalid`` for an unknown kind or one that does not fit the address.
    """
    if kind is not None and kind not in get_args(Kind):
        expected = ", ".join(get_args(Kind))
        raise _contradiction("kind", kind, f"expected one of {expected}")
    if bootstrap_servers is not None:
        if kind not in (None, "external"):
            raise _contradiction("kind", kind, "bootstrap servers require an external broker")
        return "external"
    if kind == "external":
        raise _contradiction("kind", kind, "an external broker requires bootstrap servers")
    return kind or ("testcontainers" if engine_answers() else "embedded")


def _contradiction(name: str, value: object, reason: str) -> ConfigError:
    return ConfigError(
        f"broker {name} {value!r}: {reason}",
        hint="omit it to let Plugwright choose the broker",
        facts={"name": name, "value": value},
    )
