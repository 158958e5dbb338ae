"""Struct: putting, getting, checking, comparing."""

from __future__ import annotations

import datetime as dt
import decimal
import pickle

import pytest

from plugwright.errors import DataError
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT8_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
)

INNER = SchemaBuilder.struct().field("x", INT8_SCHEMA).build()
FLAT = (
    SchemaBuilder.struct()
    .field("int8", INT8_SCHEMA)
    .field("int16", INT16_SCHEMA)
    .field("int32", INT32_SCHEMA)
    .field("int64", INT64_SCHEMA)
    .field("float32", FLOAT32_SCHEMA)
    .field("float64", FLOAT64_SCHEMA)
    .field("boolean", BOOLEAN_SCHEMA)
    .field("string", STRING_SCHEMA)
    .field("bytes", BYTES_SCHEMA)
    .field("array", SchemaBuilder.array(INT8_SCHEMA))
    .field("map", SchemaBuilder.map(INT8_SCHEMA, STRING_SCHEMA))
    .field("struct", INNER)
    .build()
)
VALUES = {
    "int8": 12,
    "int16": 12,
    "int32": 12,
    "int64": 12,
    "float32": 12.5,
    "float64": 12.5,
    "boolean": True,
    "string": "foobar",
    "bytes": b"foobar",
    "array": [1, 2],
    "map": {1: "a"},
    "struct": Struct(INNER).put("x", 3),
}
DEFAULTED = (
    SchemaBuilder.struct()
    .field("a", SchemaBuilder.int8().default(7))
    .field("b", OPTIONAL_INT8_SCHEMA)
    .build()
)


def _flat():
    struct = Struct(FLAT)
    for name, value in VALUES.items():
        struct.put(name, value)
    return struct


@pytest.mark.parametrize("name", VALUES)
def test_typed_getter_gives_what_was_put(name):
    """There is a getter for each type."""
    assert getattr(_flat(), f"get_{name}")(name) == VALUES[name]


@pytest.mark.parametrize("name", VALUES)
def test_typed_getter_refuses_fields_of_another_type(name):
    """The message names field and type."""
    other = "int16" if name == "int8" else "int8"
    with pytest.raises(DataError) as caught:
        getattr(_flat(), f"get_{name}")(other)
    assert str(caught.value) == f"Field '{other}' is not of type {name.upper()}"


@pytest.mark.parametrize("buffer", [bytearray(b"ab"), memoryview(b"ab")], ids=["array", "view"])
def test_bytes_come_as_bytes(buffer):
    """Whatever buffer was put."""
    schema = SchemaBuilder.struct().field("b", BYTES_SCHEMA).build()
    assert type(Struct(schema).put("b", buffer).get_bytes("b")) is bytes


LOGICAL = {
    "get_int32": {Date: dt.date(1970, 1, 2), Time: dt.time(0, 0, 1)},
    "get_int64": {Timestamp: dt.datetime(1970, 1, 1, tzinfo=dt.UTC)},
}
CASTS = [(getter, kind, kinds[kind]) for getter, kinds in LOGICAL.items() for kind in kinds]


@pytest.mark.parametrize(("getter", "kind", "value"), CASTS)
def test_a_typed_getter_refuses_a_logical_value(getter, kind, value):
    """Java casts a Date to an Integer here, which is a ClassCastException; null passes there."""
    schema = SchemaBuilder.struct().field("f", kind.SCHEMA).build()

    assert getattr(Struct(schema), getter)("f") is None
    with pytest.raises(DataError, match=f"has the logical type {kind.LOGICAL_NAME}") as caught:
        getattr(Struct(schema).put("f", value), getter)("f")
    assert caught.value.code == "schema.wrong-type"


def test_a_decimal_does_not_come_as_bytes():
    """Nor in Java, for the same reason."""
    schema = SchemaBuilder.struct().field("f", Decimal.schema(2)).build()

    with pytest.raises(DataError, match="Field 'f' holds a Decimal"):
        Struct(schema).put("f", decimal.Decimal("1.50")).get_bytes("f")


def test_a_struct_may_hold_the_default_of_its_field():
    """Unlike in Java, where a default never has the schema that carries it.

    There ``defaultValue`` takes only a struct that was made of the unfinished builder, and ``put``
    then answers "Struct schemas do not match."; a projection that takes such a default fails.
    """
    plain = SchemaBuilder.struct().field("x", INT8_SCHEMA)
    default = Struct(plain.build()).put("x", 1)
    schema = SchemaBuilder.struct().field("f", plain.default(default)).build()

    assert Struct(schema).put("f", default)["f"] is default
    with pytest.raises(DataError, match=r"^Struct schemas do not match\.$"):
        Struct(schema).put("f", Struct(default.schema).put("x", 1))


def test_complete_struct_is_valid():
    """Nothing is missing."""
    _flat().validate()


def test_struct_needs_a_struct_schema():
    """The message names the schema."""
    with pytest.raises(DataError, match=r"^Not a struct schema: Schema\{INT8\}$"):
        Struct(INT8_SCHEMA)


def test_unset_field_reads_as_its_default():
    """The typed getter and the raw one do not apply it."""
    struct = Struct(DEFAULTED)
    assert struct.get("a") == 7
    assert (struct.get_without_default("a"), struct.get_int8("a"), struct.get("b")) == (
        None,
        None,
        None,
    )


def test_falsy_value_is_not_replaced_by_the_default():
    """Zero was put on purpose."""
    assert Struct(DEFAULTED).put("a", 0).get("a") == 0


def test_unset_fields_with_default_or_optional_are_valid():
    """Only required fields without default must be put."""
    Struct(DEFAULTED).validate()


def test_missing_required_field_is_named():
    """Kafka's words."""
    with pytest.raises(DataError) as caught:
        Struct(INNER).validate()
    assert (
        str(caught.value) == 'Invalid value: null used for required field: "x", schema type: INT8'
    )


def test_put_checks_at_once():
    """A wrong value never gets in."""
    struct = Struct(INNER).put("x", 1)
    with pytest.raises(DataError, match=r'class str for field: "x"$'):
        struct.put("x", "1")
    assert struct.get("x") == 1


def test_put_checks_inside_containers():
    """The path leads into the array."""
    with pytest.raises(DataError, match=r'class str for element of array field: "array"$'):
        Struct(FLAT).put("array", [1, "2"])


def test_put_checks_nested_structs():
    """An incomplete struct does not fit."""
    with pytest.raises(DataError, match='null used for required field: "x"'):
        Struct(FLAT).put("struct", Struct(INNER))


def test_put_refuses_structs_of_another_schema():
    """Even if its fields would do."""
    other = SchemaBuilder.struct().name("n").field("x", INT8_SCHEMA).build()
    with pytest.raises(DataError, match=r"^Struct schemas do not match\.$"):
        Struct(FLAT).put("struct", Struct(other).put("x", 1))


def test_validation_sees_later_changes_of_containers():
    """A list can be changed after it was put."""
    numbers = [1]
    struct = _flat().put("array", numbers)
    numbers.append("2")
    with pytest.raises(DataError, match="element of array"):
        struct.validate()


@pytest.mark.parametrize("call", ["get", "get_without_default", "get_int8", "__getitem__"])
def test_unknown_name_is_refused(call):
    """With near matches as a hint."""
    with pytest.raises(DataError) as caught:
        getattr(Struct(FLAT), call)("int9")
    assert str(caught.value) == "int9 is not a valid field name"
    assert "int8" in caught.value.hint


def test_unknown_name_cannot_be_put():
    """Only fields of the schema can be set."""
    with pytest.raises(DataError, match=r"^nope is not a valid field name$"):
        Struct(INNER).put("nope", 1)


def test_field_objects_work_like_names():
    """A Field of the schema may stand for its name."""
    field = INNER.fields[0]
    assert Struct(INNER).put(field, 5).get(field) == 5


def test_brackets_read_and_write():
    """Mapping sugar, defaults included."""
    struct = Struct(DEFAULTED)
    struct["b"] = 2
    assert dict(struct) == {"a": 7, "b": 2}
    assert ("a" in struct, "z" in struct, list(struct)) == (True, False, ["a", "b"])


def test_text_lists_fields_that_are_set():
    """Kafka's form."""
    struct = Struct(DEFAULTED)
    assert (str(struct), str(struct.put("b", 2)), str(struct.put("a", 1))) == (
        "Struct{}",
        "Struct{b=2}",
        "Struct{a=1,b=2}",
    )


def test_structs_with_equal_schemas_and_values_are_equal():
    """And hash equally, containers included."""
    assert _flat() == _flat()
    assert hash(_flat()) == hash(_flat())


@pytest.mark.parametrize(
    "other",
    [
        Struct(DEFAULTED).put("a", 2),
        Struct(DEFAULTED),
        Struct(SchemaBuilder.struct().field("a", INT8_SCHEMA).build()).put("a", 7),
        "Struct{a=7}",
    ],
    ids=["value", "unset", "schema", "text"],
)
def test_other_structs_are_not_equal(other):
    """Neither other values, nor unset for default, nor another schema."""
    assert Struct(DEFAULTED).put("a", 7) != other


def test_struct_survives_pickling():
    """Structs travel to Spark's workers."""
    assert pickle.loads(pickle.dumps(_flat())) == _flat()  # noqa: S301  # its own bytes


def test_trusted_values_are_taken_in_order():
    """For converters that have checked already."""
    assert Struct.from_trusted(DEFAULTED, (1, 2)) == Struct(DEFAULTED).put("a", 1).put("b", 2)


def test_trusted_values_must_be_as_many_as_fields():
    """Their number is all that is checked."""
    with pytest.raises(DataError, match=r"^Struct of 2 fields made from 1 values$"):
        Struct.from_trusted(DEFAULTED, [1])


ODD = (None, True, 5, "", "nope", b"int8", [], ["int8"], {}, ..., FLAT, INNER.fields[0])
METHODS = [
    "get",
    "get_without_default",
    "put",
    *(name for name in dir(Struct) if name.startswith("get_") and name != "get_without_default"),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_names_no_field_is_a_data_error(method, odd):
    """Neither a TypeError for what has no hash, nor a KeyError."""
    with pytest.raises(DataError, match="is not a valid field name"):
        getattr(Struct(FLAT), method)(odd, *([1] if method == "put" else []))


@pytest.mark.parametrize("odd", [*ODD[:-2], SchemaBuilder.struct(), INT8_SCHEMA], ids=repr)
def test_what_is_no_struct_schema_is_a_data_error(odd):
    """A builder has to be built first."""
    with pytest.raises(DataError, match="Not a struct schema"):
        Struct(odd)


def test_not_a_number_is_equal_to_itself_wherever_it_is():
    """Java compares the boxed numbers: structs, defaults, and the hashes that go with them."""
    one, other = (
        Struct(FLAT).put("float64", float("nan")).put("float32", float("nan")) for _ in range(2)
    )
    schemas = [
        SchemaBuilder.array(FLOAT64_SCHEMA).default([float("nan")]).build() for _ in range(2)
    ]

    assert (one, hash(one)) == (other, hash(other))
    assert schemas[0] == schemas[1]
    assert SchemaBuilder.array(FLOAT64_SCHEMA).default([1.0]).build() != schemas[0]


@pytest.mark.parametrize("default", ["map", "struct", "map of arrays"])
def test_defaults_with_not_a_number_inside_are_equal(default):
    """However deep in a container."""
    inner = SchemaBuilder.struct().field("x", FLOAT64_SCHEMA).build()

    def made():
        nan = float("nan")
        if default == "struct":
            builder = SchemaBuilder.struct().field("x", FLOAT64_SCHEMA)
            return builder.default(Struct(inner).put("x", nan)).build()
        if default == "map":
            return SchemaBuilder.map(STRING_SCHEMA, FLOAT64_SCHEMA).default({"k": nan}).build()
        arrays = SchemaBuilder.array(FLOAT64_SCHEMA)
        return SchemaBuilder.map(STRING_SCHEMA, arrays).default({"k": [nan]}).build()

    assert made() == made()
