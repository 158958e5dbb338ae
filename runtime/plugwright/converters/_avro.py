"""Keys and values in Avro, with their schemas in a schema registry."""

from __future__ import annotations

import json
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

from plugwright.config import ConfigDef, ConfigType, Importance, Range, not_null
from plugwright.converters._avro_anything import (
    ANYTHING,
    ANYTHING_TEXT,
    read_anything,
    write_anything,
)
from plugwright.converters._avro_binding import bind
from plugwright.converters._avro_names import AvroNames, split_name, subject_strategy
from plugwright.converters._avro_parsing import ConnectSchemas, ParsedAvro, kind
from plugwright.converters._avro_schema import AvroSchemas
from plugwright.converters._base import Converter
from plugwright.converters._data_converter import converter_config, parsed_configs
from plugwright.converters.avro_registry import SchemaRegistry
from plugwright.converters.misfit import MisfitError
from plugwright.errors import SetupError
from plugwright.schema import Schema, SchemaAndValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.converters.avro_registry import RegisteredSchema

    Write = Callable[[Any], bytes]
    Read = Callable[[bytes], Any]

_NOTHING = SchemaAndValue(None, None)
_MAGIC = b"\x00"
_HEAD = 5
"""Bytes before the data: the magic byte and the id of the schema, big-endian."""


class AvroConverter(Converter):
    """Writes and reads Avro in the registry's wire format, like Confluent's ``AvroConverter``.

    Settings: ``schema.registry.url`` (``mock://name`` for one in memory), ``auto.register.schemas``
    (true), ``use.latest.version`` (false), ``normalize.schemas`` (false),
    ``key.subject.name.strategy`` and ``value.subject.name.strategy`` (``TopicNameStrategy``,
    ``RecordNameStrategy``, ``TopicRecordNameStrategy``), ``connect.meta.data`` (true),
    ``enhanced.avro.schema.support`` (false), ``scrub.invalid.names`` (false),
    ``schemas.cache.size`` (1000), ``basic.auth.user.info``, and the client's own settings with the
    prefix ``schema.registry.`` (``schema.registry.ssl.ca.location``, …).

    Unlike Confluent's, it refuses recursive records, which no Connect schema can express.

    Args:
        registry: used instead of the one that the settings name.
    """

    def __init__(self, registry: SchemaRegistry | None = None) -> None:
        self._registry = registry

    def config(self) -> ConfigDef:
        """The settings that the converter takes, without their prefix."""
        return _config()

    def configure(self, configs: Mapping[str, Any], *, is_key: bool) -> None:
        """Read the settings; the registry is first called for the first record.

        Raises:
            ConfigError: for the first setting with a problem.
            SetupError: if the ``avro`` extra is not installed.
        """
        _require_fastavro()
        settings = parsed_configs(self.config(), configs, is_key=is_key)
        for setting, definition in self.config().keys.items():
            if definition.default_value is not None:
                not_null(settings, setting)
        self._is_key = is_key
        key = f"{'key' if is_key else 'value'}.subject.name.strategy"
        self._subject = subject_strategy(key, settings[key])
        self._auto_register: bool = settings["auto.register.schemas"]
        self._use_latest: bool = settings["use.latest.version"]
        self._normalize: bool = settings["normalize.schemas"]
        self._metadata: bool = settings["connect.meta.data"]
        self._enhanced: bool = settings["enhanced.avro.schema.support"]
        names = AvroNames(scrub=settings["scrub.invalid.names"])
        self._schemas = AvroSchemas(names, self._metadata, self._enhanced)
        size = settings["schemas.cache.size"]
        self._writer_for = lru_cache(size)(self._compile_writer)
        self._reader_for = lru_cache(size)(self._compile_reader)
        if self._registry is None:
            self._registry = SchemaRegistry.connect(_client_settings(configs, settings))

    def from_connect_data(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """The value as Avro after the id of its schema; ``None`` without schema stays ``None``.

        Hot path; the first record of a schema registers it.

        Raises:
            DataError: with the path of the value that does not fit, or with the registry's message.
            RetriableError: if the registry cannot be reached.
        """
        if value is None and schema is None:
            return None
        try:
            return cast("bytes", self._writer_for(topic, schema)(value))
        except MisfitError as error:
            raise error.as_data_error(topic) from error.__cause__

    def to_connect_data(self, topic: str, data: bytes | None) -> SchemaAndValue:
        """The value of Avro data with the schema whose id precedes it. Hot path.

        Raises:
            DataError: if the bytes are not in that format, or the registry does not know the id.
            RetriableError: if the registry cannot be reached.
        """
        if data is None:
            return _NOTHING
        try:
            if len(data) < _HEAD or data[:1] != _MAGIC:
                raise _no_avro()
            schema, read = self._reader_for(topic, int.from_bytes(data[1:_HEAD], "big"))
            return SchemaAndValue(schema, read(data))
        except MisfitError as error:
            raise error.as_data_error(topic) from error.__cause__

    def _compile_writer(self, topic: str, schema: Schema | None) -> Write:
        node = json.loads(ANYTHING_TEXT) if schema is None else self._schemas.translate(schema)
        text = json.dumps(node, separators=(",", ":"), ensure_ascii=False)
        id_, registered = self._registered(self._subject(topic, self._is_key, _record(text)), text)
        head = _MAGIC + id_.to_bytes(_HEAD - 1, "big")
        physical, convert = _write_side(text, schema)
        encode = _encoder(head, physical)
        if registered == text or json.loads(registered) == json.loads(text):
            return lambda value: encode(convert(value))
        return _resolving(encode, convert, head, text, registered)

    def _registered(self, subject: str, text: str) -> RegisteredSchema:
        assert self._registry is not None, "configured before any record"  # noqa: S101  # for types
        if self._auto_register and not self._use_latest:
            return self._registry.register(subject, text, normalize=self._normalize)
        if self._use_latest:
            return self._registry.latest(subject)
        return self._registry.find(subject, text, normalize=self._normalize)

    def _compile_reader(self, topic: str, id_: int) -> tuple[Schema | None, Read]:
        assert self._registry is not None, "configured before any record"  # noqa: S101  # for types
        text = self._registry.by_id(id_)
        avro = ParsedAvro.parse(text)
        if isinstance(avro.node, dict) and avro.node.get("name") == ANYTHING:
            return None, _decoder(avro.node, read_anything)
        subject = self._subject(topic, self._is_key, _record(text))
        version = self._registry.version(subject, text)
        schema = ConnectSchemas(avro, self._metadata, self._enhanced).translate(version)
        binding = bind(avro, schema)
        return schema, _decoder(binding.physical, binding.read)


def _write_side(text: str, schema: Schema | None) -> tuple[Any, Callable[[Any], Any]]:
    avro = ParsedAvro.parse(text)
    if schema is None:
        return avro.node, write_anything
    binding = bind(avro, schema)
    return binding.physical, binding.write


def _encoder(head: bytes, physical: Any) -> Write:
    from fastavro import parse_schema, schemaless_writer  # noqa: PLC0415  # an extra

    parsed = parse_schema(physical)

    def encode(datum: Any) -> bytes:
        out = BytesIO()
        out.write(head)
        try:
            schemaless_writer(out, parsed, datum)
        except (ValueError, TypeError, OverflowError, UnicodeError) as error:
            raise MisfitError(f"cannot be written as Avro: {error}") from error
        return out.getvalue()

    return encode


def _decoder(physical: Any, convert: Callable[[Any], Any]) -> Read:
    from fastavro import parse_schema, schemaless_reader  # noqa: PLC0415  # an extra

    parsed = parse_schema(physical)

    def decode(data: bytes) -> Any:
        source = BytesIO(data)
        source.seek(_HEAD)
        try:
            node = schemaless_reader(
                source, parsed, None, return_record_name=True, return_record_name_override=True
            )
        except Exception as error:
            raise MisfitError(
                f"the bytes do not follow their Avro schema: {type(error).__name__} {error}",
                code="data.not-avro",
            ) from error
        if source.tell() != len(data):
            raise MisfitError(
                f"{len(data) - source.tell()} bytes follow the Avro data", code="data.not-avro"
            )
        return convert(node)

    return decode


def _resolving(
    encode: Write, convert: Callable[[Any], Any], head: bytes, text: str, latest: str
) -> Write:
    """Writes with a schema other than the value's own, by Avro's rules of schema resolution."""
    from fastavro import schemaless_reader  # noqa: PLC0415  # an extra

    own, target = _physical(text), _physical(latest)
    write_target = _encoder(head, target)

    def write(value: Any) -> bytes:
        source = BytesIO(encode(convert(value)))
        source.seek(_HEAD)
        try:
            datum = schemaless_reader(source, own, target, return_record_name=True)
        except Exception as error:
            raise MisfitError(
                f"the value does not fit the newest schema of its subject: {error}",
                code="data.mismatching-schema",
                hint="register the schema of the value, or set use.latest.version=false",
            ) from error
        return write_target(datum)

    return write


def _physical(text: str) -> Any:
    """The schema without logical types, whose values the resolution would convert."""
    return ParsedAvro.parse(json.dumps(_without_logical_types(ParsedAvro.parse(text).node))).node


def _without_logical_types(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: _without_logical_types(value)
            if key in {"type", "items", "values", "fields"}
            else value
            for key, value in node.items()
            if key != "logicalType" and not key.startswith("__")
        }
    return [_without_logical_types(item) for item in node] if isinstance(node, list) else node


def _record(text: str) -> str | None:
    """The full name of a schema that is a record."""
    node = json.loads(text)
    if isinstance(node, dict) and "references" in node:
        node = node["schema"]
    if not isinstance(node, dict) or kind(node) != "record":
        return None
    space, name = split_name(node["name"])
    space = space or node.get("namespace")
    return f"{space}.{name}" if space else name


def _no_avro() -> MisfitError:
    return MisfitError(
        "Unknown magic byte: the bytes do not start with 0 and the id of a schema",
        code="data.not-avro",
        hint="the messages were not written through a schema registry",
    )


def _require_fastavro() -> None:
    try:
        import fastavro  # noqa: F401, PLC0415  # an extra
    except ImportError as error:
        raise SetupError(
            "AvroConverter needs the package fastavro",
            code="environment.package-missing",
            hint="install plugwright[avro]",
        ) from error


def _client_settings(configs: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings for the registry's client: passwords in clear text, without null values."""
    given = {key: value for key, value in configs.items() if value is not None}
    given["schema.registry.url"] = settings["schema.registry.url"]
    if settings["basic.auth.user.info"] is not None:
        given["basic.auth.user.info"] = settings["basic.auth.user.info"].value
    return given


def _flag(definition: ConfigDef, name: str, *, default: bool, text: str) -> None:
    definition.define(
        name, ConfigType.BOOLEAN, default=default, importance=Importance.MEDIUM, documentation=text
    )


def _config() -> ConfigDef:
    definition = converter_config().define(
        "schema.registry.url",
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation="Addresses of the schema registry, separated by commas.",
    )
    flags = (
        ("auto.register.schemas", True, "Register schemas that the subject does not have yet."),
        ("use.latest.version", False, "Write with the newest schema of the subject."),
        ("normalize.schemas", False, "Let the registry compare schemas in normal form."),
        ("connect.meta.data", True, "Keep Connect's own properties in Avro schemas."),
        ("enhanced.avro.schema.support", False, "Keep enums, and full names in unions."),
        ("scrub.invalid.names", False, "Replace characters that Avro does not accept in names."),
    )
    for name, default, text in flags:
        _flag(definition, name, default=default, text=text)
    for side in ("key", "value"):
        definition.define(
            f"{side}.subject.name.strategy",
            ConfigType.STRING,
            default="TopicNameStrategy",
            importance=Importance.MEDIUM,
            documentation=f"The name of the subject of {side} schemas: TopicNameStrategy, "
            "RecordNameStrategy or TopicRecordNameStrategy.",
        )
    return definition.define(
        "schemas.cache.size",
        ConfigType.INT,
        default=1000,
        validator=Range.at_least(0),
        importance=Importance.LOW,
        documentation="Maximum number of schemas that this converter caches.",
    ).define(
        "basic.auth.user.info",
        ConfigType.PASSWORD,
        default=None,
        importance=Importance.MEDIUM,
        documentation="User and password for the schema registry, as user:password.",
    )
