"""Binds an Avro schema to its Connect schema: functions that convert values both ways.

The Avro library gets a *physical* schema with the same encoding. It has no logical types, so
Connect's own rules apply to dates and decimals, and it wraps each branch of a union in a
record of one field, so that the library reports which branch it read and knows which to write.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright.converters._avro_parsing import ParsedAvro, branches, is_map_entry, kind
from plugwright.converters._avro_schema import is_union
from plugwright.converters._avro_values import (
    BRANCH_FIELD,
    absent_or,
    each_entry,
    each_item,
    into_branch,
    null_or,
    out_of_branch,
    read_entries,
    read_struct,
    read_union,
    symbol,
    tagged,
    text_key,
    write_entries,
    write_struct,
    write_union,
)
from plugwright.converters.misfit import MisfitError, wrong_type
from plugwright.errors import DataError
from plugwright.schema import Date, Decimal, Schema, Time, Timestamp, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Convert = Callable[[Any], Any]

_CONTAINERS = frozenset({"array", "map"})


class Binding(NamedTuple):
    """A physical schema with functions that are called once per value.

    Attributes:
        physical: the schema for the Avro library.
        write: converts Connect's value to the library's.
        read: converts the library's value to Connect's.
    """

    physical: Any
    write: Convert
    read: Convert


_LOGICAL: Mapping[str, tuple[Callable[[Schema, Any], Any], Callable[[Schema, Any], Any]]] = (
    MappingProxyType(
        {
            Decimal.LOGICAL_NAME: (Decimal.from_logical, Decimal.to_logical),
            Date.LOGICAL_NAME: (Date.from_logical, Date.to_logical),
            Time.LOGICAL_NAME: (Time.from_logical, Time.to_logical),
            Timestamp.LOGICAL_NAME: (Timestamp.from_logical, Timestamp.to_logical),
        }
    )
)


def bind(avro: ParsedAvro, schema: Schema) -> Binding:
    """Bind an Avro schema to the Connect schema that was translated from it, or into it.

    Raises:
        MisfitError: if the schemas do not match.
    """
    return _Binder(avro).bind(avro.node, schema)


@dataclass(slots=True)
class _Binder:
    avro: ParsedAvro
    emitted: set[str] = field(default_factory=set)
    unions: dict[int, int] = field(default_factory=dict)

    def bind(self, node: Any, schema: Schema) -> Binding:
        node = self.avro.resolve(node)
        if isinstance(node, dict) and isinstance(node["type"], (dict, list)):
            node = node["type"]
        if is_union(schema) and isinstance(node, list):
            return self._union(node, schema)
        if not isinstance(node, list):
            return self._required(node, schema)
        options = branches(node)
        if len(options) != 1:
            raise _mismatch(node, schema)
        return self._optional(node, options[0], schema)

    def _optional(self, node: list[Any], option: Any, schema: Schema) -> Binding:
        inner = self._present(option, schema)
        physical: Any = inner.physical
        write, read = inner.write, inner.read
        resolved = self.avro.resolve(option)
        if kind(resolved) == "record":
            write = tagged(resolved["name"], write)
        elif kind(resolved) in _CONTAINERS:
            name = self._branch(node, 0)
            physical = _wrapped(name, physical)
            write, read = tagged(name, into_branch(write)), out_of_branch(read)
        order = [physical if branch is option else "null" for branch in node]
        return Binding(order, absent_or(schema, write), null_or(schema, read))

    def _required(self, node: Any, schema: Schema) -> Binding:
        inner = self._present(node, schema)
        return Binding(inner.physical, absent_or(schema, inner.write), null_or(schema, inner.read))

    def _present(self, node: Any, schema: Schema) -> Binding:
        """The binding of values that are not null."""
        node = self.avro.resolve(node)
        match kind(node), schema.type:
            case "record", Type.STRUCT:
                return self._record(node, schema)
            case "array", Type.ARRAY:
                return self._array(node, schema)
            case "array", Type.MAP:
                return self._entries(node, schema)
            case "map", Type.MAP:
                return self._map(node, schema)
            case (("enum" | "fixed"), (Type.STRING | Type.BYTES)):
                return self._named(node, schema)
            case name, type_ if type_.is_primitive and name not in {"record", "array", "map"}:
                return _leaf(name, schema)
        raise _mismatch(node, schema)

    def _record(self, node: dict[str, Any], schema: Schema) -> Binding:
        if len(node["fields"]) != len(schema.fields):
            raise _mismatch(node, schema)
        first = node["name"] not in self.emitted
        self.emitted.add(node["name"])
        bound = []
        for part, inner in zip(node["fields"], schema.fields, strict=True):
            bound.append((part["name"], inner.name, self.bind(part["type"], inner.schema)))
        parts = [{"name": name, "type": each.physical} for name, _, each in bound]
        physical = {"type": "record", "name": node["name"], "fields": parts}
        return Binding(
            physical if first else node["name"],
            write_struct(schema, [(avro, name, each.write) for avro, name, each in bound]),
            read_struct(schema, [(avro, name, each.read) for avro, name, each in bound]),
        )

    def _array(self, node: dict[str, Any], schema: Schema) -> Binding:
        inner = self.bind(node["items"], _known(schema.value_schema, node))
        physical = {"type": "array", "items": inner.physical}
        return Binding(physical, each_item(schema, inner.write), each_item(schema, inner.read))

    def _map(self, node: dict[str, Any], schema: Schema) -> Binding:
        inner = self.bind(node["values"], _known(schema.value_schema, node))
        physical = {"type": "map", "values": inner.physical}
        return Binding(
            physical,
            each_entry(schema, text_key, inner.write),
            each_entry(schema, text_key, inner.read),
        )

    def _entries(self, node: dict[str, Any], schema: Schema) -> Binding:
        entry = self.avro.resolve(node["items"])
        if not is_map_entry(entry):
            raise _mismatch(node, schema)
        first = entry["name"] not in self.emitted
        self.emitted.add(entry["name"])
        types = {part["name"]: part["type"] for part in entry["fields"]}
        key = self.bind(types["key"], _known(schema.key_schema, node))
        item = self.bind(types["value"], _known(schema.value_schema, node))
        bound = {"key": key.physical, "value": item.physical}
        parts = [{"name": part["name"], "type": bound[part["name"]]} for part in entry["fields"]]
        record = {"type": "record", "name": entry["name"], "fields": parts}
        return Binding(
            {"type": "array", "items": record if first else entry["name"]},
            write_entries(schema, key.write, item.write),
            read_entries(key.read, item.read),
        )

    def _named(self, node: dict[str, Any], schema: Schema) -> Binding:
        first = node["name"] not in self.emitted
        self.emitted.add(node["name"])
        kept = ("type", "name", "symbols", "size")
        physical = {key: node[key] for key in kept if key in node}
        leaf = _leaf(kind(node), schema)
        write = leaf.write if kind(node) == "fixed" else symbol(node["symbols"])
        return Binding(physical if first else node["name"], write, leaf.read)

    def _union(self, node: list[Any], schema: Schema) -> Binding:
        options = branches(node)
        if len(options) != len(schema.fields):
            raise _mismatch(node, schema)
        names = [self._branch(node, index) for index in range(len(options))]
        bound = [
            self._present(option, inner.schema)
            for option, inner in zip(options, schema.fields, strict=True)
        ]
        wrapped = iter(
            [_wrapped(name, each.physical) for name, each in zip(names, bound, strict=True)]
        )
        physical = ["null" if kind(option) == "null" else next(wrapped) for option in node]
        write = write_union(schema, names, [each.write for each in bound])
        read = read_union(schema, names, [each.read for each in bound])
        return Binding(physical, absent_or(schema, write), null_or(schema, read))

    def _branch(self, node: list[Any], index: int) -> str:
        """The name of the record around a branch, the same for every occurrence of the union."""
        number = self.unions.setdefault(id(node), len(self.unions))
        return f"plugwright.Branch_{number}_{index}"


def _mismatch(node: Any, schema: Schema) -> MisfitError:
    return MisfitError(
        f"the Avro {kind(node)} does not match {schema}", code="data.mismatching-schema"
    )


def _known(schema: Schema | None, node: Any) -> Schema:
    if schema is None:
        raise MisfitError(f"the content of the Avro {kind(node)} has no schema")
    return schema


def _wrapped(name: str, physical: Any) -> dict[str, Any]:
    fields = [{"name": BRANCH_FIELD, "type": physical}]
    return {"type": "record", "name": name, "fields": fields}


def _leaf(name: str, schema: Schema) -> Binding:
    accepts = schema.accepts

    def check(value: Any) -> Any:
        if accepts(value):
            return value
        raise wrong_type(schema.type, value)

    if schema.name is not None and schema.name in _LOGICAL:
        from_logical, to_logical = _LOGICAL[schema.name]
        return Binding(name, _logical(schema, from_logical), _logical(schema, to_logical))
    if schema.type is Type.BYTES:
        return Binding(name, lambda value: bytes(check(value)), check)
    return Binding(name, check, check)


def _logical(schema: Schema, convert: Callable[[Schema, Any], Any]) -> Convert:
    def converted(value: Any) -> Any:
        try:
            return convert(schema, value)
        except DataError as error:
            raise MisfitError(str(error), code=error.code, hint=error.hint) from error

    return converted
