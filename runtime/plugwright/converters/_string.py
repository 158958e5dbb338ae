"""Keys and values as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters._base import Converter, HeaderConverter
from plugwright.errors import ConfigError, DataError
from plugwright.schema import OPTIONAL_STRING_SCHEMA, Schema, SchemaAndValue

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["StringConverter"]

_NOTHING = SchemaAndValue(OPTIONAL_STRING_SCHEMA, None)


class StringConverter(Converter, HeaderConverter):
    """Writes the text form of any value, reads optional strings.

    Settings: ``converter.encoding`` (UTF-8).
    """

    def __init__(self) -> None:
        self._encoding = "utf-8"

    def configure(self, configs: Mapping[str, Any], *, is_key: bool = False) -> None:  # noqa: ARG002
        """Take the settings.

        Raises:
            ConfigError: if there is no such encoding.
        """
        self._encoding = str(configs.get("converter.encoding", "utf-8"))
        try:
            "".encode(self._encoding)
        except LookupError as error:
            raise ConfigError(
                f"converter.encoding: no encoding is called {self._encoding!r}",
                facts={"key": "converter.encoding", "value": self._encoding},
            ) from error

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002
        """The value's text, encoded; ``None`` stays ``None``. Hot path."""
        if value is None:
            return None
        try:
            return (value if type(value) is str else _text(value)).encode(self._encoding)
        except UnicodeEncodeError as error:
            raise DataError(
                f"a string for topic {topic} cannot be written as {self._encoding}: {error}",
                code="data.not-encodable",
                facts={"topic": topic, "encoding": self._encoding},
            ) from error

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The bytes as an optional string. Hot path."""
        if data is None:
            return _NOTHING
        try:
            return SchemaAndValue(OPTIONAL_STRING_SCHEMA, data.decode(self._encoding))
        except UnicodeDecodeError as error:
            raise DataError(
                f"a message of topic {topic} is not {self._encoding} text: {error}",
                code="data.not-decodable",
                facts={"topic": topic, "encoding": self._encoding},
            ) from error

    def from_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is text whatever its name
        schema: Schema | None,
        value: Any,
    ) -> bytes | None:
        """The header's text, encoded."""
        return self.from_connect_data(topic, schema, value)

    def to_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is text whatever its name
        data: bytes | None,
    ) -> SchemaAndValue:
        """The header as an optional string."""
        return self.to_connect_data(topic, data)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
