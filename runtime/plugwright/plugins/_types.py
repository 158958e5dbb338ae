"""The plugin types, and the entry-point group of each.

A group is the public name of the base class, so that manifests are self-explanatory.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PluginType:
    """A plugin type.

    Attributes:
        name: its name in lists and the REST API.
        base: the class in `plugwright` that plugins of this type extend.
        suffix: the suffix that the short alias omits.
        setting: the setting that names such a plugin in a configuration.
        scanned: whether scanning modes look for it; plugins of the worker itself are found by
            manifests in every mode, as in Kafka.
    """

    name: str
    base: str
    suffix: str
    setting: str
    scanned: bool = True

    @property
    def group(self) -> str:
        """The entry-point group of manifests."""
        return f"plugwright.{self.base}"


SOURCE = PluginType("source", "SourceConnector", "Connector", "connector.class")
SINK = PluginType("sink", "SinkConnector", "Connector", "connector.class")
CONVERTER = PluginType("converter", "Converter", "Converter", "value.converter")
HEADER_CONVERTER = PluginType(
    "header_converter", "HeaderConverter", "HeaderConverter", "header.converter"
)
TRANSFORMATION = PluginType(
    "transformation", "Transformation", "Transformation", "transforms.<name>.type"
)
PREDICATE = PluginType("predicate", "Predicate", "Predicate", "predicates.<name>.type")
CONFIG_PROVIDER = PluginType(
    "configprovider",
    "ConfigProvider",
    "ConfigProvider",
    "config.providers.<name>.class",
    scanned=False,
)
REST_EXTENSION = PluginType(
    "rest_extension", "RestExtension", "RestExtension", "rest.extension.classes", scanned=False
)
OVERRIDE_POLICY = PluginType(
    "connector_client_config_override_policy",
    "ClientConfigOverridePolicy",
    "ConnectorClientConfigOverridePolicy",
    "connector.client.config.override.policy",
    scanned=False,
)

PLUGIN_TYPES = (
    SOURCE,
    SINK,
    CONVERTER,
    HEADER_CONVERTER,
    TRANSFORMATION,
    PREDICATE,
    CONFIG_PROVIDER,
    REST_EXTENSION,
    OVERRIDE_POLICY,
)
"""Every type, in the order of Kafka's ``PluginType``."""

NAMED_BY_CONNECTORS = (SINK, SOURCE, TRANSFORMATION, PREDICATE, CONVERTER, HEADER_CONVERTER)
"""The types that a connector's configuration can name, in Kafka's order."""
