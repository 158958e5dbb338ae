"""Validates a connector's overrides of Kafka client settings (KIP-458).

The table lists the client configurations of Kafka 4.3.1 as its documentation does:
clients (producer, consumer, admin), name, type, importance, default.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    invalid_value,
    key_info,
)
from plugwright.errors import ConfigError, ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TABLE = "client_settings.txt"
_QUEUE = "errors.deadletterqueue.topic.name"
_COLUMNS = 5


def shown_overrides(
    settings: Mapping[str, str | None], *, sink: bool, exactly_once: bool
) -> Iterator[tuple[dict[str, Any], ConfigValue]]:
    """The overrides in a configuration, each with its definition, or an empty one if unknown.

    Overrides of clients that the connector does not use are omitted, as in Kafka Connect.

    Args:
        settings: the connector's configuration, resolved.
        sink: whether the connector is a sink.
        exactly_once: whether the worker commits source offsets in Kafka transactions.

    Raises:
        ConnectError: if a value does not fit its type.
    """
    table: dict[str, dict[str, tuple[str, str, str]]] = {}
    transacts = exactly_once and not sink
    for client in _clients(settings, sink=sink, transacts=transacts):
        prefix = f"{client}.override."
        for key, text in settings.items():
            if key.startswith(prefix) and text is not None:
                table = table or _table()
                name = key.removeprefix(prefix)
                known = table[client[0]].get(name)
                shown = _shown(prefix, name, known, text) if known else None
                yield shown or ({}, ConfigValue(key, text))


def _clients(settings: Mapping[str, str | None], *, sink: bool, transacts: bool) -> Iterator[str]:
    """The kinds of clients that a connector with this configuration uses."""
    queue = bool(settings.get(_QUEUE))
    if not sink or queue:
        yield "producer"
    if sink or transacts:
        yield "consumer"
    makes_topics = any(key.startswith("topic.creation.") for key in settings)
    if transacts or (queue if sink else makes_topics):
        yield "admin"


def _shown(
    prefix: str, name: str, known: tuple[str, str, str], text: str
) -> tuple[dict[str, Any], ConfigValue]:
    kind, importance, default = known
    definition = ConfigDef().define(name, ConfigType.STRING, default=None)
    shown = {
        **key_info(definition.keys[name]),
        "name": f"{prefix}{name}",
        "type": kind,
        "importance": importance,
        "required": not default,
        "default_value": None if default in {"", "null"} else default.strip('"'),
        "documentation": f"Client setting {name}, overriding the worker's.",
    }
    return shown, _judged(f"{prefix}{name}", ConfigType[kind], text)


def _judged(key: str, kind: ConfigType, text: str) -> ConfigValue:
    """Parse the value; class names are Java's and stay strings.

    Raises:
        ConnectError: if it does not fit the type, so that the client would not start.
    """
    if kind is ConfigType.CLASS:
        return ConfigValue(key, text)
    definition = ConfigDef().define(key, kind, importance=Importance.LOW)
    try:
        return ConfigValue(key, definition.parse_value(key, text))
    except ConfigError:
        shown = "[hidden]" if kind is ConfigType.PASSWORD else text
        problem = invalid_value(key, shown, f"Not a value of type {kind.name}")
        raise ConnectError(str(problem), code="herder.override-unfit") from None


def _table() -> dict[str, dict[str, tuple[str, str, str]]]:
    """Type, importance and default, by client and name."""
    found: dict[str, dict[str, tuple[str, str, str]]] = {"p": {}, "c": {}, "a": {}}
    text = files("plugwright.herder").joinpath(_TABLE).read_text("utf-8")
    for line in text.splitlines():
        clients, name, kind, importance, default = [*line.split(" ", _COLUMNS - 1), ""][:_COLUMNS]
        for client in clients:
            found[client][name] = (kind, importance, default)
    return found
