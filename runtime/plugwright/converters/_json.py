"""Keys and values as JSON documents, without a schema envelope."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright.converters._base import Converter, HeaderConverter
from plugwright.errors import ConfigError, DataError
from plugwright.schema import Schema, SchemaAndValue

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["JsonConverter"]

_NOTHING = SchemaAndValue(None, None)


class JsonConverter(Converter, HeaderConverter):
    """Writes and reads plain JSON (``schemas.enable=false``).

    Numbers keep their full precision: whole numbers are read as int, others as float.
    """

    def configure(self, configs: Mapping[str, Any], *, is_key: bool = False) -> None:
        """Take the settings.

        Raises:
            ConfigError: unless ``schemas.enable`` is false; Kafka's default is true.
        """
        if str(configs.get("schemas.enable", "true")).strip().lower() != "false":
            side = "key" if is_key else "value"
            raise ConfigError(
                f"JsonConverter for the {side} needs schemas.enable=false",
                hint=f"set {side}.converter.schemas.enable=false",
                facts={"key": "schemas.enable"},
            )

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002
        """The value as a JSON document; ``None`` stays ``None``. Hot path."""
        if value is None:
            return None
        try:
            return json.dumps(
                value, separators=(",", ":"), ensure_ascii=False, allow_nan=False
            ).encode()
        except (TypeError, ValueError) as error:
            raise DataError(
                f"a value for topic {topic} cannot be written as JSON: {error}",
                code="data.not-json",
                facts={"topic": topic, "type": type(value).__name__},
            ) from error

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The document as schemaless data; no bytes and ``null`` are ``None``. Hot path."""
        if not data:
            return _NOTHING
        try:
            return SchemaAndValue(None, json.loads(data))
        except (ValueError, RecursionError) as error:
            raise DataError(
                f"a message of topic {topic} is not JSON: {error}",
                code="data.not-json",
                facts={"topic": topic},
            ) from error

    def from_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is JSON whatever its name
        schema: Schema | None,
        value: Any,
    ) -> bytes | None:
        """The header as a JSON document."""
        return self.from_connect_data(topic, schema, value)

    def to_connect_header(
        self,
        topic: str,
        name: str,  # noqa: ARG002  # a header is JSON whatever its name
        data: bytes | None,
    ) -> SchemaAndValue:
        """The header as schemaless data."""
        return self.to_connect_data(topic, data)
