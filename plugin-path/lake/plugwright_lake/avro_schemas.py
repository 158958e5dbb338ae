"""Avro schemas of Connect schemas."""

from __future__ import annotations

import re
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import Date, Decimal, Schema, SchemaType, Time, Timestamp
from plugwright_lake.values import MAX_DEPTH, inner, plain_key, refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["DIGITS", "AvroSchemas", "keys_are_text"]

DIGITS = 64
"""The precision of decimals, as Confluent's converter writes it."""

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PLAIN: Mapping[SchemaType, Any] = MappingProxyType(
    {
        SchemaType.BOOLEAN: "boolean",
        SchemaType.INT8: MappingProxyType({"type": "int", "connect.type": "int8"}),
        SchemaType.INT16: MappingProxyType({"type": "int", "connect.type": "int16"}),
        SchemaType.INT32: "int",
        SchemaType.INT64: "long",
        SchemaType.FLOAT32: "float",
        SchemaType.FLOAT64: "double",
        SchemaType.STRING: "string",
        SchemaType.BYTES: "bytes",
    }
)
_LOGICAL: Mapping[str | None, Mapping[str, Any]] = MappingProxyType(
    {
        Date.LOGICAL_NAME: {"type": "int", "logicalType": "date"},
        Time.LOGICAL_NAME: {"type": "int", "logicalType": "time-millis"},
        Timestamp.LOGICAL_NAME: {"type": "long", "logicalType": "timestamp-millis"},
    }
)


def keys_are_text(schema: Schema) -> bool:
    """Whether a map is one of Avro's; others are arrays of pairs."""
    return plain_key(schema).type is SchemaType.STRING


class AvroSchemas:
    """Translates the schemas of one file; each name of a record is given out once.

    A name without a full stop is one of the namespace around it: Avro reads it so, too.
    """

    def __init__(self) -> None:
        self._known: dict[str, Schema] = {}
        self._namespace = ""

    def translate(self, schema: Schema, depth: int = 0) -> Any:
        """The Avro schema as JSON.

        Raises:
            DataError: if Avro cannot express it.
        """
        if depth > MAX_DEPTH:
            raise refused(f"a schema is nested more than {MAX_DEPTH} times", "flatten it before")
        found = self._required(schema, depth)
        return ["null", found] if schema.optional else found

    def _required(self, schema: Schema, depth: int) -> Any:
        if schema.name == Decimal.LOGICAL_NAME:
            return _decimal(schema)
        if schema.name in _LOGICAL:
            return dict(_LOGICAL[schema.name])
        if schema.type is SchemaType.STRUCT:
            return self._record(schema, depth)
        if schema.type is SchemaType.ARRAY:
            return {"type": "array", "items": self.translate(inner(schema.value_schema), depth + 1)}
        if schema.type is SchemaType.MAP:
            return self._map(schema, depth)
        plain = _PLAIN[schema.type]
        return plain if isinstance(plain, str) else dict(plain)

    def _record(self, schema: Schema, depth: int) -> Any:
        name, known = self._name(schema.name or "ConnectDefault", schema)
        if known:
            return name
        with self._inside(name):
            fields = [
                {"name": _checked(each.name), "type": self.translate(each.schema, depth + 1)}
                for each in schema.fields
            ]
        return {"type": "record", "name": name, "fields": fields}

    @contextmanager
    def _inside(self, name: str) -> Iterator[None]:
        """Let names within be of the namespace of a record."""
        before, self._namespace = self._namespace, name.rpartition(".")[0]
        yield
        self._namespace = before

    def _map(self, schema: Schema, depth: int) -> Any:
        value = self.translate(inner(schema.value_schema), depth + 1)
        if keys_are_text(schema):
            return {"type": "map", "values": value}
        name, known = self._name("MapEntry", schema)
        if known:
            return {"type": "array", "items": name}
        key = self.translate(plain_key(schema), depth + 1)
        fields = [{"name": "key", "type": key}, {"name": "value", "type": value}]
        return {"type": "array", "items": {"type": "record", "name": name, "fields": fields}}

    def _name(self, wanted: str, schema: Schema) -> tuple[str, bool]:
        """The name of a record, numbered where another one has it; whether it was written."""
        for part in wanted.split("."):
            _checked(part)
        if self._namespace and "." not in wanted:
            wanted = f"{self._namespace}.{wanted}"
        bare = _bare(schema)
        name, number = wanted, 1
        while name in self._known and self._known[name] != bare:
            number += 1
            name = f"{wanted}{number}"
        known = name in self._known
        self._known[name] = bare
        return name, known


def _bare(schema: Schema) -> Schema:
    """A schema without what Avro writes beside it: two uses of one record are one record."""
    if schema.type is not SchemaType.STRUCT:
        return Schema(schema.type, key_schema=schema.key_schema, value_schema=schema.value_schema)
    return Schema(schema.type, name=schema.name, fields=schema.fields)


def _decimal(schema: Schema) -> Any:
    text = schema.parameters.get(Decimal.SCALE_FIELD, "")
    if not text.isdecimal() or int(text) > DIGITS:
        raise refused(
            f"Avro has no decimals of scale {text or 'unknown'} and {DIGITS} digits",
            f"use a scale from 0 to {DIGITS}, or jsonl",
        )
    return {"type": "bytes", "logicalType": "decimal", "precision": DIGITS, "scale": int(text)}


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise refused(
            f"Avro has no name {name!r}: letters, digits and underscores only",
            "rename it by a transformation, or use another format",
        )
    return name
