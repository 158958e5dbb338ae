"""The topic creation settings of source connectors (KIP-158)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config import (
    NO_DEFAULT_VALUE,
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    LambdaValidator,
)
from plugwright.config import invalid_value as invalid
from plugwright.worker import TopicGroup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PREFIX = "topic.creation."
_GROUPS = f"{_PREFIX}groups"
_DEFAULT = "default"
_OWN = ("include", "exclude", "partitions", "replication.factor")
_COUNT_TEXT = {
    "partitions": "Number of partitions must be positive, or -1 to use the broker's default",
    "replication.factor": "Replication factor must be positive and not larger than the number of "
    "brokers in the Kafka cluster, or -1 to use the broker's default",
}


def _group_names(properties: Mapping[str, str]) -> list[str]:
    """The configured groups; ``default`` always exists and need not be listed."""
    listed = [name.strip() for name in properties.get(_GROUPS, "").split(",")]
    return [name for name in listed if name and name != _DEFAULT]


def _is_wanted(properties: Mapping[str, str]) -> bool:
    return any(key.startswith(_PREFIX) for key in properties)


def topic_creation_config(properties: Mapping[str, str]) -> ConfigDef:
    """The definition of the ``topic.creation.`` settings for the configured groups."""
    definition = ConfigDef().define(
        _GROUPS,
        ConfigType.LIST,
        default="",
        importance=Importance.LOW,
        group="Topic Creation",
        documentation="Groups of topics that are created with settings of their own, matched in "
        "this order; the group default matches all remaining topics.",
        validator=LambdaValidator.with_(_check_unique, lambda: "unique topic creation groups"),
    )
    if _is_wanted(properties):
        _define_default(definition)
        for name in dict.fromkeys(_group_names(properties)):
            _define_group(definition, name)
    return definition


def _define_default(definition: ConfigDef) -> None:
    for what in ("replication.factor", "partitions"):
        definition.define(
            f"{_PREFIX}{_DEFAULT}.{what}",
            ConfigType.SHORT if what == "replication.factor" else ConfigType.INT,
            importance=Importance.LOW,
            validator=_count(what),
            documentation=f"The {what.replace('.', ' ')} of topics that match no other group.",
        )


def _define_group(definition: ConfigDef, name: str) -> None:
    prefix = f"{_PREFIX}{name}."
    required = {"include": NO_DEFAULT_VALUE, "exclude": ""}
    for what, default in required.items():
        definition.define(
            f"{prefix}{what}",
            ConfigType.LIST,
            default=default,
            importance=Importance.LOW,
            validator=LambdaValidator.with_(_check_patterns, lambda: "regular expressions"),
            documentation=f"Regular expressions for topic names to {what}.",
        )
    for what in ("replication.factor", "partitions"):
        definition.define(
            f"{prefix}{what}",
            ConfigType.SHORT if what == "replication.factor" else ConfigType.INT,
            default=None,
            importance=Importance.LOW,
            validator=_count(what),
            documentation=f"The {what.replace('.', ' ')} of topics of this group; by default that "
            "of the group default.",
        )


def _count(what: str) -> LambdaValidator:
    def check(name: str, value: object) -> None:
        if value is not None and value != -1 and not (isinstance(value, int) and value > 0):
            raise invalid(name, value, _COUNT_TEXT[what])

    return LambdaValidator.with_(check, lambda: "Positive number, or -1 for the broker's default")


def _check_unique(name: str, value: object) -> None:
    if isinstance(value, list) and len(set(value)) < len(value):
        raise invalid(name, value, "Duplicate alias provided.")


def _check_patterns(name: str, value: object) -> None:
    for pattern in value if isinstance(value, list) else ():
        try:
            re.compile(pattern)
        except re.error as error:
            raise invalid(name, pattern, f"Syntax error in regular expression: {error}") from error


def validate_topic_creation(properties: Mapping[str, str]) -> Sequence[ConfigValue]:
    """The list of groups with its problems.

    The settings of the groups are validated when tasks start, and fail them, as in Kafka Connect.
    """
    found = topic_creation_config(properties).validate_all(properties)
    return [found[_GROUPS]]


def topic_groups(properties: Mapping[str, str]) -> tuple[TopicGroup, ...]:
    """The groups of a valid configuration in matching order; empty if topic creation is off."""
    if not _is_wanted(properties):
        return ()
    values = topic_creation_config(properties).parse(properties)
    partitions = values[f"{_PREFIX}{_DEFAULT}.partitions"]
    replication = values[f"{_PREFIX}{_DEFAULT}.replication.factor"]
    default = TopicGroup(
        _DEFAULT, (".*",), (), partitions, replication, _extra(_DEFAULT, properties)
    )
    own = [
        TopicGroup(
            name,
            tuple(values[f"{_PREFIX}{name}.include"]),
            tuple(values[f"{_PREFIX}{name}.exclude"]),
            _or(values[f"{_PREFIX}{name}.partitions"], partitions),
            _or(values[f"{_PREFIX}{name}.replication.factor"], replication),
            _extra(name, properties),
        )
        for name in _group_names(properties)
    ]
    return (*own, default)


def _or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def _extra(name: str, properties: Mapping[str, str]) -> dict[str, str]:
    """The additional topic-level settings of a group."""
    prefix = f"{_PREFIX}{name}."
    own = {f"{prefix}{what}" for what in _OWN}
    return {
        key.removeprefix(prefix): value
        for key, value in properties.items()
        if key.startswith(prefix) and key not in own
    }
