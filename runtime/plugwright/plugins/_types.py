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
        scanned: whether modes that scan look for it; what serves the worker itself is found by
            manifests in every mode, as in Kafka.
    """

    name: str
    base: str
    suffix: str
    scanned: bool = True

    @property
    def group(self) -> str:
        """The entry-point group of manifests."""
        return f"plugwright.{self.base}"


SOURCE = PluginType("source", "SourceConnector", "Connector")
SINK = PluginType("sink", "SinkConnector", "Connector")
CONVERTER = PluginType("converter", "Converter", "Converter")
HEADER_CONVERTER = PluginType("header_converter", "HeaderConverter", "HeaderConverter")

TRANSFORMATION = PluginType("transformation", "Transformation", "Transformation")
PREDICATE = PluginType("predicate", "Predicate", "Predicate")
CONFIG_PROVIDER = PluginType("configprovider", "ConfigProvider", "ConfigProvider", scanned=False)
REST_EXTENSION = PluginType("rest_extension", "RestExtension", "RestExtension", scanned=False)
OVERRIDE_POLICY = PluginType(
    "connector_client_config_override_policy",
    "ClientConfigOverridePolicy",
    "ConnectorClientConfigOverridePolicy",
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
