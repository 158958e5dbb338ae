"""A converter that treats keys, values and headers alike, as most of Kafka's do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, Importance, Type, ValidString
from plugwright.converters._base import Converter, HeaderConverter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema, SchemaAndValue

__all__ = ["DataConverter", "converter_config", "parsed_configs"]


def converter_config() -> ConfigDef:
    """The setting of every converter (Kafka's ``ConverterConfig``)."""
    return ConfigDef().define(
        "converter.type",
        Type.STRING,
        importance=Importance.LOW,
        documentation="What this converter is used for: key, value or header.",
        validator=ValidString.in_("key", "value", "header"),
    )


def parsed_configs(
    definition: ConfigDef, configs: Mapping[str, Any], *, is_key: bool
) -> dict[str, Any]:
    """Typed settings; ``converter.type`` follows from the caller where it is not given.

    Raises:
        ConfigError: about the first setting with a problem.
    """
    return definition.parse({"converter.type": "key" if is_key else "value", **configs})


class DataConverter(Converter, HeaderConverter):
    """A header is written and read as a value would be, whatever its name."""

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix."""
        return converter_config()

    def configure(self, configs: Mapping[str, Any], *, is_key: bool = False) -> None:
        """Take the settings (without their prefix), once, before any conversion.

        Raises:
            ConfigError: about the first setting with a problem.
        """
        self._apply(parsed_configs(self.config(), configs, is_key=is_key))

    def _apply(self, settings: dict[str, Any]) -> None:
        """Take the typed settings."""

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
        """The value that the bytes of a header stand for, as for a value.

        Raises:
            DataError: if the bytes are not in this converter's format.
        """
        return self.to_connect_data(topic, data)
