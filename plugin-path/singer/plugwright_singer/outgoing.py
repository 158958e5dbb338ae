"""Sink records as the messages of a target: SCHEMA, RECORD and STATE."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright import DataError, SchemaType, TopicPartition
from plugwright_singer.connect_schema import Writing, inferred, writing_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright import Schema, SinkRecord

__all__ = ["Outgoing", "Shape", "confirmed", "state_line"]

_COORDINATES = ("__topic", "__partition", "__offset")
_VALUE, _KEY = "value", "key"


@dataclass(frozen=True, slots=True)
class Shape:
    """The conversion of records to messages.

    Attributes:
        only: name of the one stream, or ``None``.
        named: streams of single topics.
        keys: ``none``, ``record``, ``fields`` or ``coordinates``.
        key_fields: for ``fields``.
        finite: whether ``NaN`` and infinity are refused.
    """

    only: str | None
    named: Mapping[str, str]
    keys: str
    key_fields: Sequence[str]
    finite: bool

    def stream(self, topic: str) -> str:
        """The stream of a topic."""
        return self.named.get(topic) or self.only or topic


class Outgoing:
    """Writes the messages for one target, which must receive each schema once before its records.

    Args:
        shape: how records become messages.
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._announced: dict[str, str] = {}
        self._writings: dict[tuple[Schema, str], Writing] = {}

    def forget(self) -> None:
        """Start with a new target, which has received nothing."""
        self._announced.clear()

    def lines(self, record: SinkRecord) -> str:
        """The lines of a record, with the schema before it if it is new to the target.

        Raises:
            DataError: if the record has no place in a stream; names topic, partition and offset.
        """
        try:
            return self._lines(record)
        except DataError as error:
            place = (
                f"{record.original_topic}-{record.original_kafka_partition}"
                f"@{record.original_kafka_offset}"
            )
            raise DataError(
                f"the record at {place} cannot be written: {error}",
                code=error.code,
                hint=error.hint,
                facts={**error.facts, "place": place},
            ) from error

    def _lines(self, record: SinkRecord) -> str:
        if record.value is None:
            raise DataError(
                "its value is null, and Singer has no message for that",
                code="singer.tombstone",
                hint="drop tombstones with a transformation and the predicate RecordIsTombstone",
            )
        stream = self._shape.stream(record.topic)
        parts = list(self._parts(record))
        texts = [part for _, text in parts if (part := text[1:-1])]
        properties = {
            name: described
            for schema, _ in parts
            for name, described in schema.get("properties", {}).items()
        }
        schema = {
            "type": "object",
            "properties": properties,
            "required": [name for part, _ in parts for name in part.get("required", ())],
        }
        keys = self._keys(record, properties)
        announcement = json.dumps(
            {"type": "SCHEMA", "stream": stream, "schema": schema, "key_properties": keys}
        )
        message = (
            f'{{"type":"RECORD","stream":{json.dumps(stream)},"record":{{{",".join(texts)}}}}}\n'
        )
        if self._announced.get(stream) == announcement:
            return message
        self._announced[stream] = announcement
        return f"{announcement}\n{message}"

    def _parts(self, record: SinkRecord) -> Iterator[tuple[Mapping[str, Any], str]]:
        """Objects whose fields together are the record, each with its schema."""
        yield self._object(record.value_schema, record.value, _VALUE)
        if self._shape.keys == "record" and record.key is not None:
            yield self._object(record.key_schema, record.key, _KEY)
        if self._shape.keys == "coordinates":
            place = (
                record.original_topic,
                record.original_kafka_partition,
                record.original_kafka_offset,
            )
            kinds = ("string", "integer", "integer")
            types = {name: {"type": kind} for name, kind in zip(_COORDINATES, kinds, strict=True)}
            text = json.dumps(dict(zip(_COORDINATES, place, strict=True)))
            yield {"properties": types, "required": list(_COORDINATES)}, text

    def _object(
        self, schema: Schema | None, value: Any, name: str
    ) -> tuple[Mapping[str, Any], str]:
        """A struct or a map as it is, anything else as an object with one field."""
        if schema is None:
            whole = value if isinstance(value, dict) else {name: value}
            writing = inferred(whole, finite=self._shape.finite)
            return writing.schema, writing.text(whole)
        writing = self._writing(schema, name)
        text = writing.text(value)
        if schema.type is SchemaType.STRUCT:
            return writing.schema, text
        described = {"properties": {name: writing.schema}, "required": [name]}
        return described, f"{{{json.dumps(name)}:{text}}}"

    def _writing(self, schema: Schema, name: str) -> Writing:
        found = self._writings.get((schema, name))
        if found is None:
            found = self._writings[schema, name] = writing_of(schema, finite=self._shape.finite)
        return found

    def _keys(self, record: SinkRecord, properties: Mapping[str, Any]) -> list[str]:
        match self._shape.keys:
            case "coordinates":
                return list(_COORDINATES)
            case "fields":
                keys = list(self._shape.key_fields)
            case "record":
                keys = _key_names(record)
            case _:
                return []
        missing = [name for name in keys if name not in properties]
        if missing or not keys:
            raise DataError(
                f"it has no {', '.join(missing) or 'key'}, which is to be its key",
                code="singer.no-key",
                hint="correct singer.keys or singer.key.fields",
            )
        return keys


def state_line(written: Mapping[TopicPartition, int], shape: Shape) -> str:
    """The STATE of what was written: the next offset of each partition, by stream."""
    bookmarks: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(written.items()):
        bookmarks.setdefault(shape.stream(topic), {})[f"{topic}:{partition}"] = offset
    return json.dumps({"type": "STATE", "value": {"bookmarks": bookmarks}}) + "\n"


def confirmed(state: Any) -> dict[TopicPartition, int]:
    """The offsets in a state that a target has repeated; none if it is something else."""
    bookmarks = state.get("bookmarks") if isinstance(state, dict) else None
    streams = bookmarks.values() if isinstance(bookmarks, dict) else ()
    found = {}
    for places in streams:
        for place, offset in places.items() if isinstance(places, dict) else ():
            topic, _, partition = place.rpartition(":")
            if partition.isdecimal() and isinstance(offset, int):
                found[TopicPartition(topic, int(partition))] = offset
    return found


def _key_names(record: SinkRecord) -> list[str]:
    if record.key is None:
        return []
    if record.key_schema is not None and record.key_schema.type is SchemaType.STRUCT:
        return [field.name for field in record.key_schema.fields]
    return list(record.key) if isinstance(record.key, dict) else [_KEY]
