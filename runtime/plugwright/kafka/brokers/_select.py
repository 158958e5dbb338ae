"""Chooses the kind of broker and opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.brokers._broker import Progress, quiet
from plugwright.kafka.brokers._containers import engine_answers, open_container
from plugwright.kafka.brokers._embedded import open_embedded
from plugwright.kafka.brokers._external import open_external

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.kafka.brokers._broker import Broker

__all__ = ["Kind", "choose", "open_broker"]

Kind = Literal["external", "testcontainers", "embedded"]


def open_broker(
    bootstrap_servers: str | None = None,
    *,
    kind: Kind | None = None,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    progress: Progress = quiet,
) -> Broker:
    """A Kafka that answers: the one given, else one in a container, else an embedded one.

    A container engine that answers but cannot run Kafka's image is passed over, unless ``kind``
    insists on it.

    Args:
        bootstrap_servers: address of a running broker, ``host:port`` pairs between commas.
        kind: ``external``, ``testcontainers`` or ``embedded`` instead of a choice.
        port: the port for clients of a broker that is started here; by default a free one.
        properties: what a client needs to connect to an external broker; for one that is started
            here, server properties on top of those for a single node.
        progress: told, one sentence at a time, about everything slow.

    Raises:
        ConfigError: ``config.invalid`` if the arguments contradict each other.
        SetupError: if there is no such broker; the code says why.
    """
    chosen = choose(bootstrap_servers, kind, engine_answers)
    if bootstrap_servers is not None:
        if port is not None:
            raise _contradiction("port", port, "a broker that is not started here has its own port")
        return open_external(bootstrap_servers, properties)
    if chosen == "testcontainers":
        try:
            return open_container(port=port, properties=properties, progress=progress)
        except SetupError as error:
            if kind is not None or error.code == "environment.port-in-use":
                raise
            progress(f"{error}; going on with an embedded broker")
    return open_embedded(port=port, properties=properties, progress=progress)


def choose(
    bootstrap_servers: str | None, kind: Kind | None, engine_answers: Callable[[], bool]
) -> Kind:
    """The kind of broker to open; asks for a container engine only where it matters.

    Raises:
        ConfigError: ``config.invalid`` for an unknown kind or one that does not fit the address.
    """
    if kind is not None and kind not in get_args(Kind):
        expected = ", ".join(get_args(Kind))
        raise _contradiction("kind", kind, f"expected one of {expected}")
    if bootstrap_servers is not None:
        if kind not in (None, "external"):
            raise _contradiction("kind", kind, "bootstrap servers are for an external broker")
        return "external"
    if kind == "external":
        raise _contradiction("kind", kind, "an external broker needs its bootstrap servers")
    return kind or ("testcontainers" if engine_answers() else "embedded")


def _contradiction(name: str, value: object, reason: str) -> ConfigError:
    return ConfigError(
        f"broker {name} {value!r}: {reason}",
        hint="leave it out to have the broker chosen",
        facts={"name": name, "value": value},
    )
