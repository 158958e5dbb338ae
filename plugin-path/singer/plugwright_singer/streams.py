"""The streams of a run: their schemas, and the source records of their messages."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import DataError, Schema, SchemaBuilder, Struct
from plugwright_singer.json_schema import Translator
from plugwright_singer.values import parsed_moment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_singer.json_schema import Reading
    from plugwright_singer.messages import RecordMessage, SchemaMessage

__all__ = ["Draft", "Streams", "Topics"]

_LOG = logging.getLogger("plugwright_singer")
_NOT_IN_TOPICS = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class Topics:
    """The topic for the records of a stream.

    Attributes:
        only: the one for all, or ``None``.
        prefix: before the stream's name.
        named: topics of single streams.
    """

    only: str | None
    prefix: str
    named: Mapping[str, str]

    def of(self, stream: str) -> str:
        """The topic; what no topic's name can have becomes an underscore."""
        if stream in self.named:
            return self.named[stream]
        return self.only or _NOT_IN_TOPICS.sub("_", f"{self.prefix}{stream}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A record without its source offset."""

    topic: str
    key_schema: Schema | None
    key: Any
    value_schema: Schema | None
    value: Any
    timestamp: int


@dataclass(frozen=True, slots=True)
class _Stream:
    reading: Reading
    key_schema: Schema | None
    keys: tuple[str, ...]
    fields: frozenset[str]


class Streams:
    """Knows the schema of each stream, and makes records with it.

    Args:
        topics: where they go.
        decimals: whether numbers with ``multipleOf`` are exact decimals.
    """

    def __init__(self, topics: Topics, *, decimals: bool) -> None:
        self._topics = topics
        self._decimals = decimals
        self._known: dict[str, _Stream] = {}
        self._seen: dict[str, SchemaMessage] = {}
        self._warned: set[tuple[str, str]] = set()

    def announce(self, message: SchemaMessage) -> None:
        """Take a schema, which counts for the records that follow.

        Raises:
            DataError: if a key is not a property of it.
        """
        if self._seen.get(message.stream) == message:
            return
        keys = tuple(message.key_properties)
        reading = self._reading(message)
        by_name = reading.schema.fields_by_name
        missing = [key for key in keys if key not in by_name]
        if missing:
            raise DataError(
                f"the schema of stream {message.stream} has no property {', '.join(missing)}, "
                "which is in its key_properties",
                code="singer.no-key",
                hint="select the field, or correct the catalog",
            )
        self._seen[message.stream] = message
        self._known[message.stream] = _Stream(
            reading, _key_schema(reading.schema, keys), keys, frozenset(by_name)
        )

    def _reading(self, message: SchemaMessage) -> Reading:
        translator = Translator(message.schema, decimals=self._decimals)
        try:
            return translator.record(message.stream, frozenset(message.key_properties))
        except (AttributeError, TypeError, ValueError) as error:
            raise DataError(
                f"the schema of stream {message.stream} is not a valid JSON schema: {error}",
                code="singer.not-a-message",
                hint="correct the tap, or the schema in its catalog",
            ) from error

    def draft(self, message: RecordMessage) -> Draft:
        """The record of a message; without a schema if none was announced.

        Raises:
            DataError: if the record does not fit its schema; names stream and field.
        """
        topic, timestamp = self._topics.of(message.stream), _timestamp(message)
        stream = self._known.get(message.stream)
        if stream is None:
            return Draft(topic, None, None, None, _schemaless(message.record), timestamp)
        self._warn_of_others(message, stream)
        try:
            value: Struct = stream.reading.convert(message.record)
        except DataError as error:
            raise DataError(
                f"a record of stream {message.stream} does not fit its schema: {error}",
                code=error.code,
                hint=error.hint,
                facts={"stream": message.stream},
            ) from error
        key = None
        if stream.key_schema is not None:
            parts = [value.get_without_default(name) for name in stream.keys]
            key = Struct.from_trusted(stream.key_schema, parts)
        return Draft(topic, stream.key_schema, key, stream.reading.schema, value, timestamp)

    def warn_once(self, stream: str, what: str) -> None:
        """Log something about a stream, the first time."""
        if (stream, what) not in self._warned:
            self._warned.add((stream, what))
            _LOG.warning("stream %s: %s", stream, what)

    def _warn_of_others(self, message: RecordMessage, stream: _Stream) -> None:
        if not message.record.keys() <= stream.fields:
            for name in message.record.keys() - stream.fields:
                self.warn_once(message.stream, f"{name} is not in its schema and is left out")


def _key_schema(schema: Schema, keys: tuple[str, ...]) -> Schema | None:
    if not keys:
        return None
    builder = SchemaBuilder.struct().name(f"{schema.name}.key")
    for name in keys:
        builder.field(name, schema.fields_by_name[name].schema)
    return builder.build()


def _timestamp(message: RecordMessage) -> int:
    moment = parsed_moment(message.time_extracted) if message.time_extracted else None
    return int((time.time() if moment is None else moment.timestamp()) * 1000)


def _schemaless(value: Any) -> Any:
    """Values as converters take them: numbers with a point are floating point numbers."""
    if isinstance(value, dict):
        return {name: _schemaless(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_schemaless(item) for item in value]
    return float(value) if hasattr(value, "as_tuple") else value
