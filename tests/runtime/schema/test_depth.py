"""Data nested as deep as Java's stack lets it be, and deeper.

Asked with its default stack, Kafka Connect 4.3.1 does all of this with 1,000 levels, most of it
with 2,000 to 5,000, and ends in a ``StackOverflowError`` with 20,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from plugwright import transforms
from plugwright.errors import DataError, SchemaProjectorError
from plugwright.record import SourceRecord
from plugwright.schema import (
    INT32_SCHEMA,
    INT64_SCHEMA,
    STRING_SCHEMA,
    Schema,
    SchemaBuilder,
    SchemaProjector,
    Struct,
    validate_value,
)

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS = 5_000


def _structs(levels: int, leaf: Schema = INT32_SCHEMA, value: Any = 1) -> Struct:
    schema = leaf
    for _ in range(levels):
        schema = SchemaBuilder.struct().field("f", schema).build()
        value = Struct.from_trusted(schema, [value])
    made: Struct = value
    return made


def _depth(value: Any) -> tuple[int, Any]:
    levels = 0
    while isinstance(value, Struct):
        levels, value = levels + 1, value["f"]
    return levels, value


def _applied(name: str, settings: Mapping[str, str], schema: Schema | None, value: Any) -> Any:
    transformation = getattr(transforms, name).Value()
    transformation.configure(settings)
    record = SourceRecord({}, {}, "t", value_schema=schema, value=value)
    return transformation.apply(record).value


def test_deep_structs_compare() -> None:
    """Equal, hash alike, and differ where only the innermost value does."""
    one, other, different = _structs(LEVELS), _structs(LEVELS), _structs(LEVELS, value=2)

    assert one.schema == other.schema
    assert one == other
    assert hash(one) == hash(other)
    assert one != different
    assert one != _structs(LEVELS, leaf=INT64_SCHEMA)


def test_deep_structs_print() -> None:
    """As Kafka prints them."""
    assert str(_structs(LEVELS)) == "Struct{f=" * LEVELS + "1" + "}" * LEVELS


def test_containers_in_structs_print_as_python_prints_them() -> None:
    """Text in containers is quoted, absent fields are left out."""
    inner = SchemaBuilder.struct().field("s", STRING_SCHEMA).build()
    schema = (
        SchemaBuilder.struct()
        .field("l", SchemaBuilder.array(inner))
        .field("m", SchemaBuilder.map(STRING_SCHEMA, INT32_SCHEMA))
        .field("o", SchemaBuilder.string().optional())
        .build()
    )
    value = Struct(schema).put("l", [Struct(inner).put("s", "x")]).put("m", {"a": 1, "b": 2})

    assert str(value) == "Struct{l=[Struct{s=x}],m={'a': 1, 'b': 2}}"
    assert str(Struct(SchemaBuilder.struct().build())) == "Struct{}"


def test_deep_structs_are_checked() -> None:
    """The innermost value is found."""
    good, bad = _structs(LEVELS), _structs(LEVELS, value="no number")

    good.validate()
    with pytest.raises(DataError, match="Invalid Python object for schema with type INT32"):
        bad.validate()
    with pytest.raises(DataError, match="Invalid Python object for schema with type INT32"):
        validate_value(bad.schema, bad)


def test_deep_arrays_are_checked() -> None:
    """In arrays and in the values of maps."""
    array, value = INT32_SCHEMA, 1
    for _ in range(LEVELS // 4):
        array = SchemaBuilder.map(STRING_SCHEMA, SchemaBuilder.array(array)).build()
        value = {"a": [value]}  # type: ignore[assignment]
    schema = SchemaBuilder.struct().field("a", array).build()

    assert Struct(schema).put("a", value)["a"] is value


def test_deep_structs_are_projected() -> None:
    """Every level of them; a misfit inside is reported from the outside in."""
    one, wide = _structs(1_000), _structs(1_000, leaf=INT64_SCHEMA)

    assert _depth(SchemaProjector.project(one.schema, one, wide.schema)) == (1_000, 1)
    with pytest.raises(SchemaProjectorError, match="Error projecting f"):
        SchemaProjector.project(wide.schema, wide, one.schema)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("HoistField", {"field": "g"}),
        ("Cast", {"spec": "g:int8"}),
        ("MaskField", {"fields": "g"}),
        ("InsertField", {"static.field": "z", "static.value": "1"}),
        ("ReplaceField", {"exclude": "g"}),
    ],
)
def test_deep_structs_are_transformed(name: str, settings: Mapping[str, str]) -> None:
    """Also if the schema of the record is only equal to that of the struct."""
    value = _structs(LEVELS)

    assert isinstance(_applied(name, settings, _structs(LEVELS).schema, value), Struct)


def test_deep_structs_are_flattened() -> None:
    """With a schema."""
    value = _structs(2_000)

    flat = _applied("Flatten", {}, value.schema, value)

    assert dict(flat) == {".".join("f" * 2_000): 1}


def test_deep_maps_are_flattened() -> None:
    """Without a schema."""
    value: Any = 1
    for _ in range(2_000):
        value = {"f": value}

    assert _applied("Flatten", {}, None, value) == {".".join("f" * 2_000): 1}


def test_data_without_end_is_refused() -> None:
    """By an error with a code, where Java's stack is full."""
    schema = SchemaBuilder.struct().field("l", SchemaBuilder.array(INT32_SCHEMA)).build()
    endless: list[Any] = []
    endless.append(endless)
    struct = Struct.from_trusted(schema, [endless])

    for ask in (str, hash):
        with pytest.raises(DataError) as caught:
            ask(struct)  # type: ignore[operator]
        assert caught.value.code == "data.too-deep"


def test_what_many_values_share_is_compared_once() -> None:
    """Schemas whose fields share one have two to the sixty ways inside."""

    def made() -> Schema:
        schema = INT32_SCHEMA
        for _ in range(60):
            schema = SchemaBuilder.struct().field("a", schema).field("b", schema).build()
        return schema

    assert made() == made()
