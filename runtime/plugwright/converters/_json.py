"""Keys, values and headers as JSON documents, with or without schema."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigDef,
    ConfigType,
    Importance,
    Width,
    not_null,
)
from plugwright.converters._data_converter import DataConverter, converter_config
from plugwright.converters._json_reading import JsonReading, read_plain
from plugwright.converters._json_schema import read_schema, write_schema
from plugwright.converters._json_writing import JsonWriting
from plugwright.converters.json_engine import JsonEngine, PlainEngine, json_engine
from plugwright.converters.json_parsing import (
    ENVELOPE_BRACKETS,
    NotFastError,
    check_text,
    envelope_prefix,
    parse_exactly,
    parse_fast,
)
from plugwright.converters.misfit import MAX_DEPTH, MisfitError, too_deep
from plugwright.errors import ConfigError
from plugwright.schema import Schema, SchemaAndValue, StructColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugwright.converters._json_writing import WriteColumns

_NOTHING = SchemaAndValue(None, None)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_LAYOUTS = 16
_NO_ENVELOPE = (
    'JsonConverter with schemas.enable requires "schema" and "payload" fields and may not contain '
    "additional fields. If you are trying to deserialize plain JSON data, set schemas.enable=false "
    "in your converter configuration."
)


@dataclass(slots=True)
class _Layout:
    """Reads the payload of envelopes that have the same schema.

    Attributes:
        schema: the schema, ``None`` for schemaless data.
        read: converts the parsed payload to the value.
        exact: whether a payload had numbers that only the exact parser reads correctly.
    """

    schema: Schema | None
    read: Callable[[Any], Any]
    exact: bool = False


class JsonConverter(DataConverter):
    """Writes and reads JSON, by default as an envelope of schema and payload.

    Settings, as in Kafka: ``schemas.enable`` (true), ``schemas.cache.size`` (1000),
    ``schema.content`` (KIP-1054: the schema of all messages, which then have no envelope; for
    reading only), ``decimal.format`` (``BASE64`` or ``NUMERIC``), ``replace.null.with.default``
    (true). It writes the same bytes as Kafka's converter. ``json_parsing`` and ``_json_reading``
    describe where it reads more strictly.
    """

    def __init__(self, engine: JsonEngine | None = None) -> None:
        self._engine = engine or json_engine()
        self._apply(self.config().parse({"converter.type": "value"}))

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix."""
        return _config()

    def _apply(self, settings: dict[str, Any]) -> None:
        for key in ("schemas.cache.size", "schemas.enable", "replace.null.with.default"):
            not_null(settings, key)
        size = max(settings["schemas.cache.size"], 0)
        replace_null = settings["replace.null.with.default"]
        numeric = settings["decimal.format"].upper() == "NUMERIC"
        self._enveloped: bool = settings["schemas.enable"]
        self._writing = JsonWriting(self._engine, numeric, replace_null)
        self._reading = JsonReading(replace_null)
        self._writer_for = lru_cache(size)(self._compile_writer)
        self._columns_writer_for = lru_cache(size)(self._compile_columns_writer)
        # Most topics have one schema: comparing it by identity avoids computing its hash.
        self._last_schema: Schema | None = None
        self._last_writer: tuple[bytes, Callable[[Any], Any], bytes] | None = None
        self._layout_for = lru_cache(size)(self._compile_layout)
        self._layouts: dict[bytes, _Layout] = {}
        self._most_layouts = min(size, _MOST_LAYOUTS)
        self._content = self._content_layout(settings["schema.content"])
        self._read = self._read_enveloped if self._enveloped else self._read_plain
        if self._enveloped and self._content is not None:
            self._read = self._read_content

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The value as a JSON document; ``None`` without schema stays ``None``. Hot path.

        Raises:
            DataError: with the path of the value that does not fit.
        """
        if value is None and schema is None:
            return None
        try:
            if schema is not self._last_schema or self._last_writer is None:
                self._last_writer = self._writer_for(schema)
                self._last_schema = schema
            prefix, write, suffix = self._last_writer
            return cast("bytes", prefix + self._dumps(write(value)) + suffix)
        except MisfitError as error:
            raise error.as_data_error(topic) from error.__cause__
        except RecursionError as error:
            raise too_deep().as_data_error(topic) from error

    def write_column(
        self, topic: str, schema: Schema | None, values: Sequence[Any]
    ) -> list[bytes | None]:
        """Many values at once; raises what `from_connect_data` raises. Hot path."""
        if isinstance(values, StructColumn) and values.schema is schema and len(values):
            with suppress(MisfitError, ValueError):  # one by one they tell which it is, and where
                written: list[bytes | None] = self._columns_writer_for(schema)(values)
                return written
        return [self.from_connect_data(topic, schema, value) for value in values]

    def _dumps(self, value: Any) -> bytes:
        try:
            return self._engine.dumps(value)
        except ValueError as error:
            check_text(value)
            raise MisfitError(f"cannot be written as JSON: {error}") from error

    def _compile_writer(self, schema: Schema | None) -> tuple[bytes, Callable[[Any], Any], bytes]:
        write = self._writing.compile(schema)
        if not self._enveloped:
            return b"", write, b""
        text = self._dumps(write_schema(schema, self._writing))
        return b'{"schema":' + text + b',"payload":', write, b"}"

    def _compile_columns_writer(self, schema: Schema) -> WriteColumns:
        prefix, _, suffix = self._writer_for(schema)
        return self._writing.compile_columns(schema, prefix, suffix)

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The value of a document; ``None`` stays ``None``. Hot path.

        Raises:
            DataError: if the bytes are not a JSON document, or do not fit their schema.
        """
        if data is None:
            return _NOTHING
        try:
            return self._read(data)
        except MisfitError as error:
            raise error.as_data_error(topic) from error.__cause__
        except RecursionError as error:
            raise too_deep().as_data_error(topic) from error

    def read_column(
        self, data: Sequence[bytes | None]
    ) -> tuple[Schema | None, Sequence[None]] | None:
        """Null values if all data are null, as most keys are; otherwise ``None``."""
        if any(each is not None for each in data):
            return None
        return _NOTHING.schema, [None] * len(data)

    def _read_plain(self, data: bytes) -> SchemaAndValue:
        try:
            return SchemaAndValue(None, parse_fast(self._engine, data))
        except NotFastError:
            if not data.strip():
                return _NOTHING
            return SchemaAndValue(None, read_plain(_parse_document(data, MAX_DEPTH)))

    def _read_content(self, data: bytes) -> SchemaAndValue:
        assert self._content is not None, "chosen only where there is one"  # noqa: S101  # for types
        return self._read_payload(self._content, data)

    def _read_enveloped(self, data: bytes) -> SchemaAndValue:
        for prefix, layout in self._layouts.items():
            if data.startswith(prefix) and data.endswith(b"}"):
                return self._read_payload(layout, data[len(prefix) : -1])
        return self._read_envelope(data)

    def _read_payload(self, layout: _Layout, data: bytes) -> SchemaAndValue:
        if not layout.exact:
            try:
                node = parse_fast(self._engine, data)
            except NotFastError:
                return SchemaAndValue(
                    layout.schema, layout.read(parse_exactly(data, ENVELOPE_BRACKETS))
                )
            try:
                return SchemaAndValue(layout.schema, layout.read(node))
            except NotFastError:
                layout.exact = True
        return SchemaAndValue(layout.schema, layout.read(parse_exactly(data, ENVELOPE_BRACKETS)))

    def _read_envelope(self, data: bytes) -> SchemaAndValue:
        """Read a document with a new layout, and cache the layout."""
        node = _parse_document(data, ENVELOPE_BRACKETS)
        if not isinstance(node, dict) or node.keys() != {"schema", "payload"}:
            raise MisfitError(_NO_ENVELOPE, code="data.no-envelope")
        layout = self._layout_for(PlainEngine().dumps(node["schema"]))
        value = layout.read(node["payload"])
        prefix = envelope_prefix(data)
        if prefix is not None and self._most_layouts:
            if len(self._layouts) >= self._most_layouts:
                del self._layouts[next(iter(self._layouts))]
            self._layouts[prefix] = layout
        return SchemaAndValue(layout.schema, value)

    def _compile_layout(self, text: bytes) -> _Layout:
        schema = read_schema(parse_exactly(text, ENVELOPE_BRACKETS), self._reading)
        return _Layout(schema, self._reading.compile(schema))

    def _content_layout(self, content: str | None) -> _Layout | None:
        if not content or not content.strip():
            return None
        try:
            layout = self._compile_layout(content.encode())
        except (MisfitError, UnicodeEncodeError) as error:
            raise ConfigError(
                f"schema.content is not a schema: {error}",
                hint='set a schema as in an envelope, such as {"type": "string"}',
                facts={"key": "schema.content"},
            ) from error
        # The text "null" does not mean schemaless messages; it counts as not set.
        return layout if layout.schema is not None else None


def _parse_document(data: bytes, brackets: int) -> Any:
    return parse_exactly(data.removeprefix(_BYTE_ORDER_MARK), brackets)


def _config() -> ConfigDef:
    return _writing_settings(_schema_settings(converter_config()))


def _schema_settings(definition: ConfigDef) -> ConfigDef:
    return (
        definition.define(
            "schemas.enable",
            ConfigType.BOOLEAN,
            default=True,
            importance=Importance.HIGH,
            documentation="Include schemas within each of the serialized values and keys.",
            group="Schemas",
            order_in_group=0,
            width=Width.MEDIUM,
            display_name="Enable Schemas",
        )
        .define(
            "schemas.cache.size",
            ConfigType.INT,
            default=1000,
            importance=Importance.HIGH,
            documentation="Maximum number of schemas that this converter caches.",
            group="Schemas",
            order_in_group=1,
            width=Width.MEDIUM,
            display_name="Schema Cache Size",
        )
        .define(
            "schema.content",
            ConfigType.STRING,
            default=None,
            importance=Importance.HIGH,
            documentation="The schema of all messages, which then contain no schema. "
            "Used only with schemas.enable, and only for reading messages (KIP-1054).",
            group="Schemas",
            order_in_group=2,
            width=Width.MEDIUM,
            display_name="Schema Content",
        )
    )


def _writing_settings(definition: ConfigDef) -> ConfigDef:
    return definition.define(
        "decimal.format",
        ConfigType.STRING,
        default="BASE64",
        validator=CaseInsensitiveValidString.in_("NUMERIC", "BASE64"),
        importance=Importance.LOW,
        documentation="How decimals are written: BASE64 or NUMERIC, in any case.",
        group="Serialization",
        order_in_group=0,
        width=Width.MEDIUM,
        display_name="Decimal Format",
    ).define(
        "replace.null.with.default",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether to replace null in a field that has a default with the default.",
        group="Serialization",
        order_in_group=1,
        width=Width.MEDIUM,
        display_name="Replace null with default",
    )
