"""What Kafka's clients may be told, as validation shows a connector's overrides (KIP-458).

The table is that of the client configurations of Kafka 4.3.1, as their own documentation lists it:
for which clients (producer, consumer, admin), name, type, importance, default.
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
    """The overrides that a configuration has, each with its definition, or an empty one.

    Those of clients that the connector does not use are left out, as Kafka Connect leaves them.

    Args:
        settings: the configuration, resolved.
        sink: whether it is that of a sink.
        exactly_once: whether the worker has its sources' offsets in Kafka's transactions.

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
    """The clients that a connector uses by its configuration."""
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
        "documentation": f"Setting {name} of the client, instead of the worker's.",
    }
    return shown, _judged(f"{prefix}{name}", ConfigType[kind], text)


def _judged(key: str, kind: ConfigType, text: str) -> ConfigValue:
    """The value; classes are Java's and stay text.

    Raises:
        ConnectError: if it does not fit the type: the client would not start.
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
    """ConfigType, importance and default by client and name."""
    found: dict[str, dict[str, tuple[str, str, str]]] = {"p": {}, "c": {}, "a": {}}
    text = files("plugwright.herder").joinpath(_TABLE).read_text("utf-8")
    for line in text.splitlines():
        clients, name, kind, importance, default = [*line.split(" ", _COLUMNS - 1), ""][:_COLUMNS]
        for client in clients:
            found[client][name] = (kind, importance, default)
    return found
