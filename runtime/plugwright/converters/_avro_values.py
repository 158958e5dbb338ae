"""Functions that convert Connect's values to the Avro library's values, and back.

They run once for each value in a record and check their arguments; an error has the value's path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.converters._struct_values import values_of
from plugwright.converters.misfit import MisfitError, absent, found, wrong_type
from plugwright.schema import Schema, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    Convert = Callable[[Any], Any]

BRANCH_FIELD = "v"
"""The field of the records that wrap the branches of unions."""


def tagged(name: str, write: Convert) -> Convert:
    """Pass the name of the branch to the library, which would otherwise try all branches."""
    return lambda value: (name, write(value))


def into_branch(write: Convert) -> Convert:
    """Wraps a value in the record of its branch."""
    return lambda value: {BRANCH_FIELD: write(value)}


def out_of_branch(read: Convert) -> Convert:
    """Unwraps a value from the record of its branch."""
    return lambda node: read(node[BRANCH_FIELD])


def absent_or(schema: Schema, write: Convert) -> Convert:
    """Writes the default, or null, if there is no value."""

    def write_or_default(value: Any) -> Any:
        return write(value) if value is not None else absent(schema, write)

    return write_or_default


def null_or(schema: Schema, read: Convert) -> Convert:
    """Reads null if the schema allows it."""

    def read_or_null(node: Any) -> Any:
        if node is not None:
            return read(node)
        if schema.optional:
            return None
        raise MisfitError("Found null value for non-optional schema", code="data.missing-value")

    return read_or_null


def symbol(symbols: list[str]) -> Convert:
    """Writes one of the symbols of an enum."""
    known = frozenset(symbols)

    def write(value: Any) -> Any:
        if value in known:
            return value
        raise MisfitError(f"expected one of {', '.join(symbols)}, found another {found(value)}")

    return write


def write_struct(schema: Schema, fields: list[tuple[str, str, Convert]]) -> Convert:
    """Writes a struct; ``fields`` are Avro name, Connect name and function."""
    names = [avro for avro, _, _ in fields]

    def write(value: Any) -> dict[str, Any]:
        if not isinstance(value, Struct):
            raise wrong_type(schema.type, value)
        own = value.schema
        if own is not schema and own != schema and value is not schema.default:
            raise MisfitError(
                f"expected a struct of {schema}, found one of {own}",
                code="data.mismatching-schema",
                hint="create the struct with the schema of its record or field",
            )
        values: list[Any] = []
        try:
            for (_, _, write_field), item in zip(fields, values_of(value), strict=True):
                values.append(write_field(item))
        except MisfitError as error:
            error.in_field(fields[len(values)][1])
            raise
        return dict(zip(names, values, strict=True))

    return write


def read_struct(schema: Schema, fields: list[tuple[str, str, Convert]]) -> Convert:
    """Reads a struct; ``fields`` are Avro name, Connect name and function."""
    from_trusted = Struct.from_trusted

    def read(node: Any) -> Struct:
        values: list[Any] = []
        try:
            for avro, _, read_field in fields:
                values.append(read_field(node[avro]))  # its length shows which field failed
        except MisfitError as error:
            error.in_field(fields[len(values)][1])
            raise
        return from_trusted(schema, values)

    return read


def each_item(schema: Schema, convert: Convert) -> Convert:
    """Converts every item of a list."""

    def converted(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise wrong_type(schema.type, value)
        result: list[Any] = []
        try:
            for item in value:
                result.append(convert(item))  # noqa: PERF401  # its length locates a failure
        except MisfitError as error:
            error.in_item(len(result))
            raise
        return result

    return converted


def text_key(key: Any) -> Any:
    """A key that must be text."""
    if isinstance(key, str):
        return key
    raise wrong_type("string as key", key)


def each_entry(schema: Schema, convert_key: Convert, convert: Convert) -> Convert:
    """Converts every key and value of a map."""

    def converted(value: Any) -> dict[Any, Any]:
        if not isinstance(value, dict):
            raise wrong_type(schema.type, value)
        result = {}
        key = None
        try:
            for key, item in value.items():
                result[convert_key(key)] = convert(item)
        except MisfitError as error:
            error.in_item(key)
            raise
        return result

    return converted


def write_entries(schema: Schema, write_key: Convert, write_item: Convert) -> Convert:
    """Writes a map as a list of entries."""

    def write(value: Any) -> list[dict[str, Any]]:
        if not isinstance(value, dict):
            raise wrong_type(schema.type, value)
        result = []
        key = None
        try:
            for key, item in value.items():
                result.append({"key": write_key(key), "value": write_item(item)})
        except MisfitError as error:
            error.in_item(key)
            raise
        return result

    return write


def read_entries(read_key: Convert, read_item: Convert) -> Convert:
    """Reads a list of entries as a map."""

    def read(node: Any) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for index, entry in enumerate(node):
            try:
                result[_new_key(result, read_key(entry["key"]))] = read_item(entry["value"])
            except MisfitError as error:
                error.in_item(index)
                raise
        return result

    return read


def _new_key(result: dict[Any, Any], key: Any) -> Any:
    try:
        known = key in result
    except TypeError as error:
        raise MisfitError(f"{found(key)} cannot be the key of a map") from error
    if known:
        raise MisfitError("a key occurs twice in one map")
    return key


def write_union(schema: Schema, names: list[str], writes: list[Convert]) -> Convert:
    """Writes the one field of a union struct that has a value, as that branch."""

    def write(value: Any) -> Any:
        if not isinstance(value, Struct) or value.schema != schema:
            raise wrong_type(f"struct of {schema}", value)
        for index, item in enumerate(values_of(value)):
            if item is not None:
                return names[index], {BRANCH_FIELD: writes[index](item)}
        if schema.optional:
            return None
        raise MisfitError("no branch of the union has a value", code="data.missing-value")

    return write


def read_union(schema: Schema, names: list[str], reads: list[Convert]) -> Convert:
    """Reads a branch as a union struct with that field."""
    at = {name: index for index, name in enumerate(names)}

    def read(node: Any) -> Struct:
        # For a union with one record the library returns the record without its name.
        name, record = node if isinstance(node, tuple) else (names[0], node)
        values: list[Any] = [None] * len(names)
        values[at[name]] = reads[at[name]](record[BRANCH_FIELD])
        return Struct.from_trusted(schema, values)

    return read
