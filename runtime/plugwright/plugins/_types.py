"""The kinds of plugin, and the entry-point group of each.

A group is the public name of the base class, so that a manifest reads like what it promises.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PluginType:
    """One kind of plugin.

    Attributes:
        name: how lists and the REST API call it.
        base: name of the class in `plugwright` that plugins of this kind extend.
        suffix: the word that the short alias leaves out.
        setting: that names such a plugin in a configuration.
        scanned: whether modes that scan look for it; what serves the worker itself is found by
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
"""Every kind, in the order of Kafka's ``PluginType``."""

NAMED_BY_CONNECTORS = (SINK, SOURCE, TRANSFORMATION, PREDICATE, CONVERTER, HEADER_CONVERTER)
"""The kinds that a connector's configuration may name, in the order in which Kafka lists them."""
