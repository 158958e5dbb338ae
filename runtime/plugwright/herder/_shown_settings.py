"""A connector's settings in Kafka Connect's order, with its groups, labels and defaults.

The clients' view of a validation: names, order and attributes are those of Kafka Connect 4.3.1,
as ``ConnectorConfig``, ``SourceConnectorConfig`` and ``SinkConnectorConfig`` define them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from plugwright.herder._plugin_versions import CHAIN_KINDS, CONVERTER_KEYS, PLUGIN_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plugwright.config import ConfigValue
    from plugwright.herder._named_plugins import NamedPlugin

_LABELS: Final[Mapping[str, tuple[str, int, str, str]]] = {
    "name": ("Common", 1, "MEDIUM", "Connector name"),
    "connector.class": ("Common", 2, "LONG", "Connector class"),
    "connector.plugin.version": ("Common", 3, "MEDIUM", "Connector version"),
    "tasks.max": ("Common", 4, "SHORT", "Tasks max"),
    "tasks.max.enforce": ("Common", 5, "SHORT", "Enforce tasks max"),
    "key.converter": ("Common", 6, "SHORT", "Key converter class"),
    "key.converter.plugin.version": ("Common", 7, "SHORT", "Key converter version"),
    "value.converter": ("Common", 8, "SHORT", "Value converter class"),
    "value.converter.plugin.version": ("Common", 9, "SHORT", "Value converter version"),
    "header.converter": ("Common", 10, "SHORT", "Header converter class"),
    "header.converter.plugin.version": ("Common", 11, "SHORT", "Header converter version"),
    "transforms": ("Transforms", 12, "LONG", "Transforms"),
    "predicates": ("Predicates", 13, "LONG", "Predicates"),
    "config.action.reload": ("Common", 14, "MEDIUM", "Reload Action"),
    "errors.retry.timeout": ("Error Handling", 1, "MEDIUM", "Retry Timeout for Errors"),
    "errors.retry.delay.max.ms": (
        "Error Handling",
        2,
        "MEDIUM",
        "Maximum Delay Between Retries for Errors",
    ),
    "errors.tolerance": ("Error Handling", 3, "SHORT", "Error Tolerance"),
    "errors.log.enable": ("Error Handling", 4, "SHORT", "Log Errors"),
    "errors.log.include.messages": ("Error Handling", 5, "SHORT", "Log Error Details"),
    "topics": ("Common", 4, "LONG", "Topics"),
    "topics.regex": ("Common", 4, "LONG", "Topics regex"),
    "errors.deadletterqueue.topic.name": (
        "Error Handling",
        6,
        "MEDIUM",
        "Dead Letter Queue Topic Name",
    ),
    "errors.deadletterqueue.topic.replication.factor": (
        "Error Handling",
        7,
        "MEDIUM",
        "Dead Letter Queue Topic Replication Factor",
    ),
    "errors.deadletterqueue.context.headers.enable": (
        "Error Handling",
        8,
        "MEDIUM",
        "Enable Error Context Headers",
    ),
    "topic.creation.groups": ("Topic Creation", 1, "LONG", "Topic Creation Groups"),
    "exactly.once.support": ("Exactly Once Support", 2, "SHORT", "Exactly once support"),
    "transaction.boundary": ("Exactly Once Support", 3, "SHORT", "Transaction Boundary"),
    "transaction.boundary.interval.ms": (
        "Exactly Once Support",
        4,
        "SHORT",
        "Transaction boundary interval",
    ),
    "offsets.storage.topic": ("offsets.topic", 1, "LONG", "Offsets topic"),
}
"""Group, order in it, width and label of Kafka Connect's own settings, in its order."""

_PLACES: Final = {name: place for place, name in enumerate(_LABELS)}
_SINKS_ONLY: Final = ("topics", "topics.regex")
_OWN: Final = ("errors.tolerance.limit", "spark.engine")
"""Settings that Kafka Connect does not have; shown only if they are set."""
_LATE: Final = ("topic.creation.",)
"""Settings that Kafka Connect checks at the start of a connector, not in a validation."""
_CLIENTS: Final = ("producer", "consumer", "admin")
_CONVERTERS: Final = ("header.converter.", "key.converter.", "value.converter.")
"""In the order in which Kafka Connect appends their own settings."""
_CONDITIONAL: Final = ("negate", "predicate")
_KINDS: Final = {"transforms": "Transformation", "predicates": "Predicate"}


def shown_settings(
    values: Iterable[ConfigValue],
    definitions: Iterable[Mapping[str, Any]],
    named: Mapping[str, NamedPlugin],
    given: Mapping[str, object],
    *,
    sink: bool,
) -> tuple[list[ConfigValue], list[dict[str, Any]]]:
    """The values and definitions to show.

    Args:
        values: every setting with its problems.
        definitions: every defined setting.
        named: resolution of the settings that name plugins, by key.
        given: the configuration.
        sink: whether the connector is a sink.
    """
    shown = [_with_plugin(value, named, given) for value in values]
    wrong = {value.name for value in shown if value.error_messages}
    hidden = _Hidden(given, wrong, sink=sink)
    kept = {each["name"]: each for each in reversed(list(definitions))}
    ordered = [
        _labelled(_of_plugin(each, named))
        for each in _ordered(list(reversed(kept.values())), _aliases(named))
    ]
    ordered = [each for each in _numbered(ordered, named) if not hidden.hides(each["name"])]
    implied = {f"{alias}.{key}" for alias in _unknown(named) for key in _CONDITIONAL}
    kept_values = [
        value
        for value in shown
        if not hidden.hides(value.name) and (value.name not in implied or value.name in wrong)
    ]
    return kept_values, ordered


@dataclass(frozen=True, slots=True)
class _Hidden:
    """The settings to omit because Kafka Connect does not have them in this configuration.

    Attributes:
        given: the configuration.
        wrong: the settings with problems, which are never omitted.
    """

    given: Mapping[str, object]
    wrong: set[str]
    sink: bool

    def hides(self, name: str) -> bool:
        if name in self.wrong or name in _LABELS:
            return name not in self.wrong and name in _SINKS_ONLY and not self.sink
        family = next((each for each in _OWN if name.startswith(each)), "")
        if family:
            return not any(key.startswith(family) for key in self.given)
        return name.startswith(_LATE)


def _with_plugin(
    value: ConfigValue, named: Mapping[str, NamedPlugin], given: Mapping[str, object]
) -> ConfigValue:
    """Add the valid choices to a value that names a plugin or requests a version of one."""
    if value.name in named:
        plugin = named[value.name]
        name = plugin.shown(str(given.get(value.name) or ""))
        if value.name == "connector.class":
            return value
        return replace(value, value=name, recommended_values=plugin.choice)
    subject = _subject(value.name)
    if subject not in named:
        return value
    plugin = named[subject]
    return replace(
        value,
        value=plugin.version if value.name not in given else value.value,
        recommended_values=plugin.versions,
        visible=plugin.found is not None
        or plugin.known
        or value.name.startswith(tuple(CHAIN_KINDS)),
    )


def _of_plugin(definition: Mapping[str, Any], named: Mapping[str, NamedPlugin]) -> dict[str, Any]:
    """Add the defaults that depend on the installed plugins to a definition."""
    name = definition["name"]
    if name in CONVERTER_KEYS and name in named:
        return {**definition, "type": "CLASS", "default_value": named[name].default}
    if (subject := _subject(name)) in named:
        return {**definition, "default_value": named[subject].version}
    return dict(definition)


def _subject(name: str) -> str:
    """The setting that names the plugin to which a version setting belongs."""
    if not name.endswith(f".{PLUGIN_VERSION}"):
        return ""
    prefix = name.removesuffix(f".{PLUGIN_VERSION}")
    if prefix == "connector":
        return "connector.class"
    return prefix if prefix in CONVERTER_KEYS else f"{prefix}.type"


def _labelled(definition: dict[str, Any]) -> dict[str, Any]:
    found = _LABELS.get(definition["name"])
    if found is None:
        return definition
    group, place, width, label = found
    return {
        **definition,
        "group": group,
        "order_in_group": place,
        "width": width,
        "display_name": label,
    }


def _ordered(
    definitions: Sequence[Mapping[str, Any]], listed: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """Sort: Kafka's own settings, then those of the chain by alias, then the plugins' own."""
    aliases = {alias: place for place, alias in enumerate(listed)}

    def place(definition: Mapping[str, Any]) -> tuple[int, int, int]:
        name = definition["name"]
        if name in _PLACES:
            return 0, _PLACES[name], 0
        alias = _alias_of(name, aliases)
        if alias:
            return 1, aliases[alias], _place_under(name, alias)
        client, _, overridden = name.partition(".override.")
        if overridden:
            return 3, _CLIENTS.index(client), _hashed(overridden)
        converter = next((n for n, key in enumerate(_CONVERTERS) if name.startswith(key)), None)
        return (2, 0, 0) if converter is None else (4, converter, _hashed(name.split(".", 2)[2]))

    yield from sorted(definitions, key=place)


def is_judged_apart(name: str) -> bool:
    """Whether a setting belongs to a converter or client, which Kafka Connect validates later."""
    of_converter = name.startswith(tuple(f"{key}." for key in CONVERTER_KEYS))
    return ".override." in name or (of_converter and not name.endswith(f".{PLUGIN_VERSION}"))


def in_java_order(keys: Iterable[str], size: int) -> list[str]:
    """Sort keys as a Java ``HashMap`` that has grown to ``size`` entries iterates over them."""
    capacity = 16
    while size > capacity * 0.75:
        capacity *= 2
    return sorted(keys, key=lambda key: _hashed(key, capacity - 1))


def _hashed(key: str, mask: int = 0xF) -> int:
    """The bucket of a key in Java's ``HashMap``, by default one with a dozen entries.

    Kafka Connect shows the settings of converters and clients in this order.
    """
    code = 0
    for unit in key:
        code = (31 * code + ord(unit)) & 0xFFFF_FFFF
    return (code ^ (code >> 16)) & mask


def _aliases(named: Iterable[str]) -> list[str]:
    """The prefixes of transformations and predicates, in order."""
    return [key.removesuffix(".type") for key in named if key.partition(".")[0] in CHAIN_KINDS]


def _alias_of(name: str, aliases: Iterable[str]) -> str:
    return max((each for each in aliases if name.startswith(f"{each}.")), key=len, default="")


def _place_under(name: str, alias: str) -> int:
    key = name.removeprefix(f"{alias}.")
    return {"type": 0, PLUGIN_VERSION: 1}.get(key, 2)


def _numbered(
    definitions: Iterable[dict[str, Any]], named: Mapping[str, NamedPlugin]
) -> Iterator[dict[str, Any]]:
    """Add the order under each alias; settings of classes that cannot be used are left out."""
    counts: dict[str, int] = {}
    listed = list(definitions)
    aliases = _aliases(named)
    unknown = _unknown(named)
    for definition in listed:
        name = definition["name"]
        alias = "" if name in _LABELS else _alias_of(name, aliases)
        if not alias:
            yield definition
            continue
        key = name.removeprefix(f"{alias}.")
        if alias in unknown and key in _CONDITIONAL:
            continue
        counts[alias] = counts.get(alias, -1) + 1
        numbered = {**definition, "order_in_group": counts[alias]}
        if key == PLUGIN_VERSION:
            kind, _, own = alias.partition(".")
            label = f"{_KINDS[kind]} version for {own}"
            numbered |= {"importance": "HIGH", "width": "LONG", "display_name": label}
        yield numbered


def _unknown(named: Mapping[str, NamedPlugin]) -> set[str]:
    """The aliases whose classes cannot be used."""
    return {
        key.removesuffix(".type")
        for key, plugin in named.items()
        if plugin.found is None and key.endswith(".type")
    }
