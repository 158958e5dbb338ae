"""Connect schemas of Avro schemas, as fastavro reads them from a file."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import Date, Decimal, Schema, SchemaBuilder, Time, Timestamp
from plugwright_lake.values import refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["AvroTypes"]

_PLAIN: Mapping[str, Callable[[], SchemaBuilder]] = MappingProxyType(
    {
        "boolean": SchemaBuilder.bool,
        "int": SchemaBuilder.int32,
        "long": SchemaBuilder.int64,
        "float": SchemaBuilder.float32,
        "double": SchemaBuilder.float64,
        "string": SchemaBuilder.string,
        "bytes": SchemaBuilder.bytes,
        "fixed": SchemaBuilder.bytes,
        "enum": SchemaBuilder.string,
    }
)
_LOGICAL: Mapping[str, Callable[[], SchemaBuilder]] = MappingProxyType(
    {"date": Date.builder, "time-millis": Time.builder, "timestamp-millis": Timestamp.builder}
)
_WIDTHS: Mapping[str, Callable[[], SchemaBuilder]] = MappingProxyType(
    {"int8": SchemaBuilder.int8, "int16": SchemaBuilder.int16}
)


class AvroTypes:
    """Translates the schema of one file, whose records refer to each other by name."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def schema(self, avro: Any) -> Schema:
        """The Connect schema.

        Raises:
            DataError: if Connect has no such type.
        """
        if isinstance(avro, list):
            others = [each for each in avro if each != "null"]
            if len(others) != 1 or len(others) == len(avro):
                raise refused("a union of several types has no Connect schema", "use records")
            return self._builder(others[0]).optional().build()
        return self._builder(avro).build()

    def _builder(self, avro: Any) -> SchemaBuilder:
        node = {"type": avro} if isinstance(avro, str) else avro
        kind = node["type"]
        node = self._known.get(kind, node) if isinstance(kind, str) else kind
        kind = node["type"]
        if kind in {"record", "enum", "fixed"}:
            self._known[node["name"]] = node
        if kind == "record":
            return self._record(node)
        if kind == "array":
            return SchemaBuilder.array(self.schema(node["items"]))
        if kind == "map":
            return SchemaBuilder.map(SchemaBuilder.string(), self.schema(node["values"]))
        return _single(node)

    def _record(self, node: Mapping[str, Any]) -> SchemaBuilder:
        builder = SchemaBuilder.struct()
        if not node["name"].rpartition(".")[2].startswith("ConnectDefault"):
            builder.name(node["name"])
        for each in node["fields"]:
            builder.field(each["name"], self.schema(each["type"]))
        return builder


def _single(node: Mapping[str, Any]) -> SchemaBuilder:
    kind, logical = node["type"], node.get("logicalType", "")
    if logical == "decimal":
        return Decimal.builder(node.get("scale", 0))
    found = _LOGICAL.get(logical) or _WIDTHS.get(node.get("connect.type", "")) or _PLAIN.get(kind)
    if found is None or (logical and logical not in _LOGICAL):
        raise refused(f"Connect has no type for Avro's {logical or kind}", "write another type")
    return found()
