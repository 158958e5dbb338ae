"""The settings that every connector has, whatever its plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    NonEmptyString,
    NonEmptyStringWithoutControlChars,
    Range,
    require_valid,
)
from plugwright.errors import ConfigError
from plugwright.herder._plugin_versions import ValidVersion, version_documentation
from plugwright.herder._worker_definition import WORKER_CONFIG

if TYPE_CHECKING:
    from collections.abc import Mapping

CONNECTOR_CONFIG = (
    ConfigDef()
    .define(
        "name",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Name of the connector, unique in the worker.",
    )
    .define(
        "connector.class",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Class name or alias of the plugin.",
    )
    .define(
        "connector.plugin.version",
        ConfigType.STRING,
        default=None,
        importance=Importance.MEDIUM,
        validator=ValidVersion(),
        documentation=version_documentation("the connector"),
    )
    .define(
        "tasks.max",
        ConfigType.INT,
        default=1,
        validator=Range.at_least(1),
        importance=Importance.HIGH,
        documentation="Maximum number of tasks of the connector.",
    )
    .define(
        "tasks.max.enforce",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether a connector that generates more tasks than that fails (KIP-1004).",
    )
    .define(
        "key.converter",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record keys instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["key.converter.plugin.version"])
    .define(
        "value.converter",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record values instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["value.converter.plugin.version"])
    .define(
        "header.converter",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Converter of record headers instead of the worker's.",
    )
    .add(WORKER_CONFIG.keys["header.converter.plugin.version"])
    .define(
        "topics",
        ConfigType.LIST,
        default="",
        importance=Importance.HIGH,
        documentation="Topics that a sink reads, separated by commas.",
    )
    .define(
        "topics.regex",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="Regular expression for the topics that a sink reads.",
    )
)
"""Definition of the settings that the runtime itself reads from a connector's configuration."""


@dataclass(frozen=True, slots=True)
class ConnectorConfig:
    """The parsed settings that the runtime itself reads from a connector's configuration.

    Attributes:
        tasks_max_enforced: whether generating more tasks than `tasks_max` is an error.
        topics: the topics that a sink reads.
        topics_regex: Java regular expression for the topics, if none are named.
        originals: the whole configuration, which is passed to the plugin.
    """

    name: str
    connector_class: str
    tasks_max: int
    tasks_max_enforced: bool
    key_converter: str | None
    value_converter: str | None
    header_converter: str | None
    topics: tuple[str, ...]
    topics_regex: str
    originals: Mapping[str, str]

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> ConnectorConfig:
        """Read a connector's configuration.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
        """
        require_valid(CONNECTOR_CONFIG.validate(properties))
        values = CONNECTOR_CONFIG.parse(properties)
        _require_one(values["topics"], values["topics.regex"])
        return cls(
            name=values["name"],
            connector_class=values["connector.class"],
            tasks_max=values["tasks.max"],
            tasks_max_enforced=values["tasks.max.enforce"],
            key_converter=values["key.converter"],
            value_converter=values["value.converter"],
            header_converter=values["header.converter"],
            topics=tuple(values["topics"]),
            topics_regex=values["topics.regex"],
            originals=dict(properties),
        )

    def require_topics(self) -> None:
        """Check that topics are configured, as a sink requires.

        Raises:
            ConfigError: if none are, or their pattern is invalid.
        """
        if not self.topics and not self.topics_regex:
            raise ConfigError(
                "Must configure one of topics or topics.regex", facts={"key": "topics"}
            )


def _require_one(topics: list[str], regex: str) -> None:
    if topics and regex:
        raise ConfigError(
            "topics and topics.regex are mutually exclusive options, but both are set.",
            facts={"key": "topics"},
        )
