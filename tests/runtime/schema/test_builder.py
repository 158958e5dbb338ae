"""SchemaBuilder: what it builds and what it refuses."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.converters import JsonConverter
from plugwright.errors import DataError, SchemaBuilderError
from plugwright.schema import (
    INT8_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Field,
    Schema,
    SchemaBuilder,
    Struct,
    Type,
)

PRIMITIVES = {
    "int8": Type.INT8,
    "int16": Type.INT16,
    "int32": Type.INT32,
    "int64": Type.INT64,
    "float32": Type.FLOAT32,
    "float64": Type.FLOAT64,
    "bool": Type.BOOLEAN,
    "string": Type.STRING,
    "bytes": Type.BYTES,
    "struct": Type.STRUCT,
}


@pytest.mark.parametrize(("method", "type_"), PRIMITIVES.items())
def test_factory_builds_its_type(method, type_):
    """Each factory is named after its type."""
    assert getattr(SchemaBuilder, method)().build() == Schema(type_)


@pytest.mark.parametrize("type_", list(Type), ids=str)
def test_type_builds_any_type(type_):
    """The general form is for schemas made from data."""
    assert SchemaBuilder.type(type_).build() == Schema(type_)


def test_everything_set_is_in_the_schema():
    """All properties reach the schema."""
    built = (
        SchemaBuilder.int8()
        .optional()
        .default(12)
        .name("n")
        .version(2)
        .doc("d")
        .parameter("a", "1")
        .parameters({"b": "2"})
        .build()
    )
    assert built == Schema(
        Type.INT8,
        optional=True,
        default=12,
        name="n",
        version=2,
        doc="d",
        parameters={"a": "1", "b": "2"},
    )


def test_required_is_the_default():
    """Saying it aloud changes nothing."""
    assert SchemaBuilder.int8().required().build() == INT8_SCHEMA


def test_parameters_add_up_and_the_last_wins():
    """A second mapping keeps what it does not name."""
    built = SchemaBuilder.int8().parameters({"a": "1", "b": "1"}).parameters({"b": "2"}).build()
    assert dict(built.parameters) == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("word", "call"),
    [
        ("optional", lambda b: b.optional().required()),
        ("optional", lambda b: b.required().optional()),
        ("default", lambda b: b.default(1).default(2)),
        ("default", lambda b: b.default(0).default(1)),
        ("default", lambda b: b.default(1).default(None)),
        ("name", lambda b: b.name("a").name("b")),
        ("version", lambda b: b.version(1).version(2)),
        ("doc", lambda b: b.doc("a").doc("b")),
    ],
    ids=["or", "ro", "default", "falsy-default", "to-none", "name", "version", "doc"],
)
def test_property_can_be_set_once(word, call):
    """Setting one to something else raises Kafka's message."""
    with pytest.raises(SchemaBuilderError) as caught:
        call(SchemaBuilder.int8())
    assert str(caught.value) == f"Invalid SchemaBuilder call: {word} has already been set."


def test_a_property_may_be_set_again_to_the_same():
    """A builder that other code began can be finished without asking what is set."""
    built = SchemaBuilder.int8().optional().default(0).name("n").version(1).doc("d")

    again = built.optional().default(0).name("n").version(1).doc("d").build()

    assert again == Schema(Type.INT8, optional=True, default=0, name="n", version=1, doc="d")


@pytest.mark.parametrize(
    ("builder", "default"),
    [
        (SchemaBuilder.int8(), "a"),
        (SchemaBuilder.int8(), 128),
        (SchemaBuilder.int8(), True),
        (SchemaBuilder.int8(), None),
        (SchemaBuilder.bool(), 1),
        (SchemaBuilder.string(), b"a"),
        (SchemaBuilder.bytes(), "a"),
        (SchemaBuilder.float32(), 1e39),
        (SchemaBuilder.float64(), 1),
        (SchemaBuilder.array(INT8_SCHEMA), ["a"]),
        (SchemaBuilder.map(INT8_SCHEMA, INT8_SCHEMA), {1: "a"}),
        (Date.builder(), 3),
    ],
    ids=repr,
)
def test_default_must_fit_the_type(builder, default):
    """The reason is kept as the cause."""
    with pytest.raises(SchemaBuilderError, match=r"^Invalid default value$") as caught:
        builder.default(default)
    assert isinstance(caught.value.__cause__, DataError)


def test_optional_schema_may_default_to_nothing():
    """None is a value there."""
    assert SchemaBuilder.int8().optional().default(None).build().has_default is False


def test_struct_can_be_a_default():
    """A struct of the schema built so far fits."""
    plain = SchemaBuilder.struct().field("a", INT8_SCHEMA)
    value = Struct(plain.build()).put("a", 1)
    outer = SchemaBuilder.struct().field("s", plain.default(value)).build()
    assert Struct(outer).get("s") is value


def test_fields_are_numbered_in_order():
    """A builder may stand for a field's schema."""
    built = (
        SchemaBuilder.struct().field("a", SchemaBuilder.int8()).field("b", STRING_SCHEMA).build()
    )
    assert built.fields == (Field("a", 0, INT8_SCHEMA), Field("b", 1, STRING_SCHEMA))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SchemaBuilder.int8().field("a", INT8_SCHEMA), "Cannot create fields on type INT8"),
        (lambda: SchemaBuilder.struct().field(None, INT8_SCHEMA), "fieldName cannot be null."),
        (lambda: SchemaBuilder.struct().field("", INT8_SCHEMA), "fieldName cannot be null."),
        (
            lambda: SchemaBuilder.struct().field("a", None),
            "fieldSchema for field a cannot be null.",
        ),
        (
            lambda: SchemaBuilder.struct().field("a", INT8_SCHEMA).field("a", STRING_SCHEMA),
            "Cannot create field because of field name duplication a",
        ),
        (lambda: SchemaBuilder.array(None), "valueSchema cannot be null."),
        (lambda: SchemaBuilder.map(None, INT8_SCHEMA), "keySchema cannot be null."),
        (lambda: SchemaBuilder.map(INT8_SCHEMA, None), "valueSchema cannot be null."),
        (lambda: SchemaBuilder.type(None), "type cannot be null."),
    ],
    ids=[
        "no-struct",
        "no-name",
        "empty-name",
        "no-schema",
        "duplicate",
        "no-element",
        "no-key",
        "no-value",
        "no-type",
    ],
)
def test_wrong_call_is_refused(call, message):
    """Kafka's messages, as SchemaBuilderError."""
    with pytest.raises(SchemaBuilderError) as caught:
        call()
    assert (str(caught.value), caught.value.code) == (message, "schema.builder")


def test_builder_goes_on_after_building():
    """What was built before does not change."""
    builder = SchemaBuilder.struct().field("a", INT8_SCHEMA)
    first = builder.build()
    second = builder.field("b", INT8_SCHEMA).build()
    assert (len(first.fields), len(second.fields)) == (1, 2)


def test_schema_is_another_word_for_build():
    """Kafka has both."""
    assert SchemaBuilder.int8().schema() == INT8_SCHEMA


@pytest.mark.parametrize(
    "schema",
    [
        SchemaBuilder.string().name("n").version(1).doc("d").parameter("a", "b").build(),
        SchemaBuilder.array(INT8_SCHEMA).name("n").build(),
        SchemaBuilder.map(STRING_SCHEMA, INT8_SCHEMA).doc("d").build(),
    ],
    ids=str,
)
def test_like_takes_over_all_that_stays(schema):
    """Without fields, default and optionality the copy is equal."""
    assert SchemaBuilder.like(schema).build() == schema


def test_like_leaves_fields_default_and_optionality():
    """They are what a transformation is about to change."""
    source = SchemaBuilder.struct().optional().name("n").field("a", INT8_SCHEMA).build()
    assert SchemaBuilder.like(source).build() == SchemaBuilder.struct().name("n").build()


SCHEMAS = st.recursive(
    st.sampled_from([INT8_SCHEMA, OPTIONAL_STRING_SCHEMA, Date.SCHEMA]),
    lambda inner: st.one_of(
        inner.map(lambda schema: SchemaBuilder.array(schema).build()),
        st.tuples(inner, inner).map(lambda pair: SchemaBuilder.map(*pair).build()),
        st.lists(inner, max_size=3).map(
            lambda schemas: _struct_of(schemas, SchemaBuilder.struct()).build()
        ),
    ),
    max_leaves=5,
)


def _struct_of(schemas, builder):
    for index, schema in enumerate(schemas):
        builder.field(f"f{index}", schema)
    return builder


@pytest.mark.slow
@given(SCHEMAS)
@settings(max_examples=50)
def test_schema_rebuilt_from_its_parts_is_equal(schema):
    """Equality looks at properties only, however deep."""
    rebuilt = Schema(**schema.__reduce__()[1][0])
    assert rebuilt == schema
    assert hash(rebuilt) == hash(schema)


ODD = (None, True, 5, -1, 2**40, "", "x", b"x", [], ["x"], {}, {"x": 1}, ..., Type.INT8, float)
_ARGUMENTS = {
    "like": 1,
    "array": 1,
    "map": 2,
    "type": 1,
    "default": 1,
    "name": 1,
    "version": 1,
    "doc": 1,
    "parameter": 2,
    "parameters": 1,
    "field": 2,
    "optional": 0,
    "required": 0,
}
_NO_MISUSE = {*PRIMITIVES, "build", "schema"}


def test_every_method_is_misused():
    """A new method of the builder has to be added to the test of misuse."""
    methods = {name for name in dir(SchemaBuilder) if not name.startswith("_")}

    assert methods == _ARGUMENTS.keys() | _NO_MISUSE


@pytest.mark.parametrize("method", _ARGUMENTS)
@pytest.mark.parametrize("start", ["int8", "struct", "string"])
def test_misuse_is_an_error_of_the_api_or_a_schema_that_works(method, start):
    """Whatever stands for an argument: no AttributeError, TypeError or KeyError from inside."""
    good = (STRING_SCHEMA, SchemaBuilder.int8())
    for arguments in product((*ODD, *good), repeat=_ARGUMENTS[method]):
        try:
            builder = getattr(getattr(SchemaBuilder, start)(), method)(*arguments)
            built = builder.build()
        except SchemaBuilderError:
            continue
        assert built == builder.build()
        assert hash(built) == hash(builder.build())
        assert JsonConverter().from_connect_data("t", built_field(built), None) is not None


def built_field(schema):
    """The schema made optional, so that a null stands under it."""
    return SchemaBuilder.struct().field("f", schema).optional().build()


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_schema_of_no_type_is_refused(odd):
    """The constructor of schemas is for those who have a type."""
    if not isinstance(odd, Type):
        with pytest.raises(DataError, match="Not a type"):
            Schema(odd)


def test_a_builder_says_which_argument_is_of_a_wrong_class():
    """The message names argument, wanted and found."""
    with pytest.raises(SchemaBuilderError, match="version must be int or NoneType, found str"):
        SchemaBuilder.int8().version("1")
    with pytest.raises(SchemaBuilderError, match="version must be int or NoneType, found bool"):
        SchemaBuilder.int8().version(True)
