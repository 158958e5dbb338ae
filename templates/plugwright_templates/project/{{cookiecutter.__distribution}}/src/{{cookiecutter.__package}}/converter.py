"""The converter: between text in Connect's data model and bytes in Kafka."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    Converter,
    DataError,
    Importance,
    LambdaValidator,
    SchemaAndValue,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Schema

__all__ = ["CONFIG", "{{ cookiecutter.__prefix }}Converter"]


def _known_encoding(name: str, value: object) -> None:
    """Reject an unknown text encoding."""
    try:
        "".encode(codecs.lookup(str(value)).name)
    except LookupError as error:
        raise ConfigError(f"{name}: no text encoding is called {value!r}") from error


CONFIG = ConfigDef().define(
    "encoding",
    ConfigType.STRING,
    default="utf-8",
    importance=Importance.MEDIUM,
    validator=LambdaValidator.with_(_known_encoding, lambda: "a text encoding of Python"),
    documentation="Encoding of the text in Kafka.",
)
"""Every setting of the converter. The table in the README is made from it."""


class {{ cookiecutter.__prefix }}Converter(Converter):
    """The part to replace: how a value becomes bytes, and how bytes become a value."""

    def __init__(self) -> None:
        self._encoding = "utf-8"

    def config(self) -> ConfigDef:
        """Every setting, without the prefix that it has in a connector's configuration."""
        return CONFIG

    def configure(self, configs: Mapping[str, Any], *, is_key: bool) -> None:  # noqa: ARG002
        """Take the settings; keys and values are treated alike.

        Raises:
            ConfigError: if a setting is wrong.
        """
        self._encoding = CONFIG.parse(configs)["encoding"]

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002
        """The bytes of a text; a tombstone has none.

        Raises:
            DataError: if the value is not text, or the encoding lacks one of its characters.
        """
        if value is None:
            return None
        if not isinstance(value, str):
            raise DataError(
                f"this converter takes text, found {type(value).__name__} for topic {topic}",
                code="{{ cookiecutter.__distribution }}.not-text",
            )
        try:
            return value.encode(self._encoding)
        except UnicodeError as error:
            raise DataError(
                f"a value for topic {topic} cannot be written as {self._encoding}: {error}",
                code="{{ cookiecutter.__distribution }}.not-encodable",
            ) from error

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The text that bytes stand for.

        Raises:
            DataError: if they are not text in the encoding.
        """
        if data is None:
            return SchemaAndValue(OPTIONAL_STRING_SCHEMA, None)
        try:
            return SchemaAndValue(OPTIONAL_STRING_SCHEMA, data.decode(self._encoding))
        except UnicodeError as error:
            raise DataError(
                f"a value of topic {topic} is not {self._encoding}: {error}",
                code="{{ cookiecutter.__distribution }}.not-decodable",
            ) from error
