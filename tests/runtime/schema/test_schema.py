"""Schemas: properties, equality, text, immutability."""

from __future__ import annotations

import copy
import pickle

import pytest

from plugwright import schema as package
from plugwright.errors import DataError
from plugwright.schema import (
    INT8_SCHEMA,
    INT32_SCHEMA,
    OPTIONAL_INT8_SCHEMA,
    STRING_SCHEMA,
    Field,
    Schema,
    SchemaBuilder,
    Struct,
    Type,
)

ARRAY = SchemaBuilder.array(INT8_SCHEMA).build()
MAP = SchemaBuilder.map(STRING_SCHEMA, INT8_SCHEMA).build()
STRUCT = SchemaBuilder.struct().field("a", INT8_SCHEMA).field("b", STRING_SCHEMA).build()
PRIMITIVES = ("INT8", "INT16", "INT32", "INT64", "FLOAT32", "FLOAT64", "BOOLEAN", "STRING", "BYTES")


def test_types_are_the_twelve_of_kafka():
    """Names in lower case, in Kafka's order."""
    assert [type_.value for type_ in Type] == [
        *(name.lower() for name in PRIMITIVES),
        "array",
        "map",
        "struct",
    ]


@pytest.mark.parametrize("type_", list(Type), ids=str)
def test_only_containers_are_not_primitive(type_):
    """The first nine types are primitive."""
    assert type_.is_primitive == (type_.name in PRIMITIVES)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_required_constant_is_a_plain_schema_of_its_type(name):
    """Nothing but the type is set."""
    assert getattr(package, f"{name}_SCHEMA") == Schema(Type[name])


@pytest.mark.parametrize("name", PRIMITIVES)
def test_optional_constant_is_an_optional_schema_of_its_type(name):
    """Nothing but the type and the optionality is set."""
    assert getattr(package, f"OPTIONAL_{name}_SCHEMA") == Schema(Type[name], optional=True)


def test_the_package_exports_all_its_public_names():
    """Nothing public is missing from ``__all__``."""
    public = {name for name in vars(package) if not name.startswith("_") and name != "annotations"}
    assert set(package.__all__) == public


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (INT8_SCHEMA, "Schema{INT8}"),
        (SchemaBuilder.string().name("a.b").build(), "Schema{a.b:STRING}"),
        (SchemaBuilder.string().name("").build(), "Schema{:STRING}"),
        (STRUCT, "Schema{STRUCT}"),
    ],
    ids=["plain", "named", "empty-name", "struct"],
)
def test_text_is_kafkas(schema, text):
    """Name and type in upper case."""
    assert str(schema) == text


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: INT8_SCHEMA.fields, "Cannot list fields on non-struct type"),
        (lambda: MAP.field("a"), "Cannot look up fields on non-struct type"),
        (lambda: ARRAY.key_schema, "Cannot look up key schema on non-map type"),
        (
            lambda: STRUCT.value_schema,
            "Cannot look up value schema on non-array and non-map type",
        ),
    ],
    ids=["fields", "field", "key_schema", "value_schema"],
)
def test_property_of_another_type_is_refused(read, message):
    """Accessors that make no sense for the type raise Kafka's message."""
    with pytest.raises(DataError) as caught:
        read()
    assert (str(caught.value), caught.value.code) == (message, "schema.wrong-type")


def test_fields_have_their_position():
    """Fields come in order and know their index."""
    assert STRUCT.fields == (Field("a", 0, INT8_SCHEMA), Field("b", 1, STRING_SCHEMA))


def test_field_is_found_by_name():
    """An unknown name gives nothing."""
    assert (STRUCT.field("b"), STRUCT.field("c")) == (STRUCT.fields[1], None)


def test_inner_schemas_are_those_given():
    """Arrays and maps show what they hold."""
    assert (ARRAY.value_schema, MAP.key_schema, MAP.value_schema) == (
        INT8_SCHEMA,
        STRING_SCHEMA,
        INT8_SCHEMA,
    )


FULL = {
    "type": Type.INT8,
    "optional": True,
    "default": 3,
    "name": "n",
    "version": 2,
    "doc": "d",
    "parameters": {"k": "v"},
}


@pytest.mark.parametrize(
    "change",
    [
        {"type": Type.INT16},
        {"optional": False},
        {"default": None},
        {"default": 4},
        {"name": "m"},
        {"name": None},
        {"version": 1},
        {"doc": "e"},
        {"parameters": {"k": "w"}},
        {"parameters": {}},
    ],
    ids=repr,
)
def test_every_property_counts_in_equality(change):
    """Schemas that differ in one property are not equal."""
    assert Schema(**FULL) != Schema(**{**FULL, **change})


def test_equal_schemas_hash_equally():
    """Two schemas made alike are one key."""
    assert Schema(**FULL) == Schema(**FULL)
    assert hash(Schema(**FULL)) == hash(Schema(**FULL))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ARRAY, SchemaBuilder.array(STRING_SCHEMA).build()),
        (MAP, SchemaBuilder.map(INT8_SCHEMA, INT8_SCHEMA).build()),
        (MAP, SchemaBuilder.map(STRING_SCHEMA, STRING_SCHEMA).build()),
        (STRUCT, SchemaBuilder.struct().field("a", INT8_SCHEMA).build()),
        (
            STRUCT,
            SchemaBuilder.struct().field("b", STRING_SCHEMA).field("a", INT8_SCHEMA).build(),
        ),
        (INT8_SCHEMA, OPTIONAL_INT8_SCHEMA),
        (INT8_SCHEMA, "INT8"),
    ],
    ids=["element", "key", "value", "fields", "order", "optional", "other-class"],
)
def test_inner_schemas_and_fields_count_in_equality(one, other):
    """What is inside belongs to the schema."""
    assert one != other


def test_defaults_that_are_not_numbers_are_equal():
    """NaN as a default equals itself, as in Java."""
    nans = [SchemaBuilder.float64().default(float(text)).build() for text in ("nan", "nan")]
    assert nans[0] == nans[1]


def test_unhashable_default_does_not_hinder_hashing():
    """A list as a default leaves the schema hashable."""
    schema = SchemaBuilder.array(INT8_SCHEMA).default([1]).build()
    assert {schema: 1}[schema] == 1


@pytest.mark.parametrize("default", [0, False, ""], ids=repr)
def test_falsy_default_is_a_default(default):
    """Only None means that there is none."""
    type_ = {int: Type.INT8, bool: Type.BOOLEAN, str: Type.STRING}[type(default)]
    assert (Schema(type_, default=default).has_default, Schema(type_).has_default) == (True, False)


@pytest.mark.parametrize("name", ["name", "optional", "anything"])
def test_schema_cannot_be_changed(name):
    """Setting or deleting an attribute raises."""
    with pytest.raises(AttributeError, match="immutable"):
        setattr(INT8_SCHEMA, name, "x")
    with pytest.raises(AttributeError, match="immutable"):
        delattr(INT8_SCHEMA, name)


def test_parameters_cannot_be_changed():
    """Neither through the schema nor through what it was made from."""
    given = {"k": "v"}
    schema = Schema(Type.INT8, parameters=given)
    given["k"] = "w"
    with pytest.raises(TypeError):
        schema.parameters["k"] = "x"
    assert dict(schema.parameters) == {"k": "v"}


@pytest.mark.parametrize("schema", [Schema(**FULL), STRUCT, MAP, ARRAY], ids=str)
def test_schema_survives_pickling(schema):
    """Schemas travel to Spark's workers."""
    again = pickle.loads(pickle.dumps(schema))  # noqa: S301  # its own bytes
    assert (again, hash(again), again.accepts(None)) == (schema, hash(schema), False)


def test_copies_are_the_schema_itself():
    """Immutable values need no copies."""
    assert copy.copy(STRUCT) is STRUCT
    assert copy.deepcopy(STRUCT) is STRUCT


def test_nested_struct_schema_keeps_its_fields():
    """A struct in a struct is reachable by name."""
    outer = SchemaBuilder.struct().field("in", STRUCT).build()
    assert outer.field("in").schema.field("a").schema is INT8_SCHEMA
    assert Struct(outer).schema != INT32_SCHEMA
