"""The base of converters that treat keys, values and headers alike, as most of Kafka's do."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, ValidString
from plugwright.converters._base import Converter, HeaderConverter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema, SchemaAndValue

_USES: Mapping[bool | None, str] = MappingProxyType({True: "key", False: "value", None: "header"})


def converter_config() -> ConfigDef:
    """The setting that every converter has (Kafka's ``ConverterConfig``)."""
    return ConfigDef().define(
        "converter.type",
        ConfigType.STRING,
        importance=Importance.LOW,
        documentation="What this converter is used for: key, value or header.",
        validator=ValidString.in_("key", "value", "header"),
    )


def parsed_configs(
    definition: ConfigDef, configs: Mapping[str, Any], *, is_key: bool | None
) -> dict[str, Any]:
    """Typed settings; the caller determines ``converter.type``, a configured one is ignored.

    Raises:
        ConfigError: about the first setting with a problem.
    """
    return definition.parse({**configs, "converter.type": _USES[is_key]})


class DataConverter(Converter, HeaderConverter):
    """Writes and reads headers like values, whatever their name."""

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix."""
        return converter_config()

    def configure(self, configs: Mapping[str, Any], *, is_key: bool | None = None) -> None:
        """Take the settings (without their prefix), once, before any conversion.

        Args:
            configs: the settings; a ``converter.type`` among them is ignored, as in Kafka.
            is_key: whether it is for keys or for values; ``None`` for headers.

        Raises:
            ConfigError: about the first setting with a problem.
        """
        self._apply(parsed_configs(self.config(), configs, is_key=is_key))

    def _apply(self, settings: dict[str, Any]) -> None:
        """Apply the typed settings."""

    def from_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is written alike whatever its name
        schema: Schema | None,
        value: Any,
    ) -> bytes | None:
        """The bytes to write for a header, as for a value.

        Raises:
            DataError: if the value does not fit its schema or this converter.
        """
        return self.from_connect_data(topic, schema, value)

    def to_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is read alike whatever its name
        data: bytes | None,
    ) -> SchemaAndValue:
        """The value of the bytes of a header, as for a value.

        Raises:
            DataError: if the bytes are not in this converter's format.
        """
        return self.to_connect_data(topic, data)
