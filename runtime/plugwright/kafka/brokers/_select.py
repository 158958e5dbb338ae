"""Chooses the kind of broker and opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.brokers._broker import ProgressListener, quiet
from plugwright.kafka.brokers._containers import engine_answers, open_container
from plugwright.kafka.brokers._embedded import open_embedded
from plugwright.kafka.brokers._external import open_external

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.kafka.brokers._broker import Broker

Kind = Literal["external", "testcontainers", "embedded"]


def open_broker(
    bootstrap_servers: str | None = None,
    *,
    kind: Kind | None = None,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    progress: ProgressListener = quiet,
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

    Raises:
        ConfigError: ``config.invalid`` if the arguments contradict each other.
        SetupError: if no broker can be opened; the code has the reason.
    """
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
