"""The settings that every connector has, whatever its plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import (
    ConfigDef,
    Importance,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    Type,
    require_valid,
)
from plugwright.errors import ConfigError
from plugwright.herder._plugin_versions import ValidVersion, version_documentation
from plugwright.herder._worker_config import WORKER_CONFIG

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CONNECTOR_CONFIG", "ConnectorConfig"]

CONNECTOR_CONFIG = (
    ConfigDef()
    .define(
        "name",
        Type.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Name of the connector, unique in the worker.",
    )
    .define(
        "connector.class",
        Type.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Class name or alias of the plugin.",
    )
    .define(
        "connector.plugin.version",
        Type.STRING,
        default=None,
        importance=Importance.MEDIUM,
        validator=ValidVersion(),
        documentation=version_documentation("the connector"),
    )
    .define(
        "tasks.max",
        Type.INT,
        default=1,
        validator=Range.at_least(1),
        importance=Importance.HIGH,
        documentation="The most tasks that the connector may have.",
    )
    .define(
        "tasks.max.enforce",
        Type.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether a connector that wants more tasks than that fails (KIP-1004).",
    )
    .define(
        "key.converter",
        Type.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record keys instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["key.converter.plugin.version"])
    .define(
        "value.converter",
        Type.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record values instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["value.converter.plugin.version"])
    .define(
        "header.converter",
        Type.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record headers instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["header.converter.plugin.version"])
    .define(
        "topics",
        Type.LIST,
        default="",
        importance=Importance.HIGH,
        documentation="Topics that a sink reads, separated by commas.",
    )
    .define(
        "topics.regex",
        Type.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="Regular expression for the topics that a sink reads.",
    )
)
"""Definition of the settings that the runtime itself reads from a connector's configuration."""


@dataclass(frozen=True, slots=True)
class ConnectorConfig:
    """The runtime's share of a connector's configuration, parsed.

    Attributes:
        tasks_max_enforced: whether more tasks than `tasks_max` are an error.
        originals: the whole configuration, which the plugin is given.
    """

    name: str
    connector_class: str
    tasks_max: int
    tasks_max_enforced: bool
    key_converter: str | None
    value_converter: str | None
    header_converter: str | None
    topics: tuple[str, ...]
    originals: Mapping[str, str]

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> ConnectorConfig:
        """Read a connector's configuration.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        require_valid(CONNECTOR_CONFIG.validate(properties))
        values = CONNECTOR_CONFIG.parse(properties)
        return cls(
            name=values["name"],
            connector_class=values["connector.class"],
            tasks_max=values["tasks.max"],
            tasks_max_enforced=values["tasks.max.enforce"],
            key_converter=values["key.converter"],
            value_converter=values["value.converter"],
            header_converter=values["header.converter"],
            topics=_subscription(values["topics"], values["topics.regex"]),
            originals=dict(properties),
        )

    def require_topics(self) -> None:
        """Insist on topics, as a sink must have them.

        Raises:
            ConfigError: if there are none.
        """
        if not self.topics:
            raise ConfigError(
                "Must configure one of topics or topics.regex", facts={"key": "topics"}
            )


def _subscription(topics: list[str], regex: str) -> tuple[str, ...]:
    if topics and regex:
        raise ConfigError(
            "topics and topics.regex are mutually exclusive options, but both are set.",
            facts={"key": "topics"},
        )
    # The client takes a name that begins with a caret for a regular expression.
    return (regex if regex.startswith("^") else f"^{regex}$",) if regex else tuple(topics)
