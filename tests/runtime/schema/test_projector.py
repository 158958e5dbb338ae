"""SchemaProjector: compatible schemas project, others are refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as D  # noqa: N817  # short in tables

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.errors import DataError, SchemaProjectorError
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT8_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    SchemaProjector,
    Struct,
    Timestamp,
    Type,
)

NUMBERS = (Type.INT8, Type.INT16, Type.INT32, Type.INT64, Type.FLOAT32, Type.FLOAT64)
UPWARDS = [(one, other) for i, one in enumerate(NUMBERS) for other in NUMBERS[i:]]
DOWNWARDS = [(one, other) for i, one in enumerate(NUMBERS) for other in NUMBERS[:i]]
DAY = dt.date(2019, 8, 23)
INSTANT = dt.datetime(2019, 8, 23, tzinfo=dt.UTC)


@pytest.mark.parametrize(("source", "target"), UPWARDS, ids=str)
def test_numbers_widen(source, target):
    """Along Kafka's order, into the Python type of the target."""
    value = 12.5 if source.name.startswith("FLOAT") else 12
    projected = SchemaProjector.project(Schema(source), value, Schema(target))
    assert projected == value
    assert Schema(target).accepts(projected)


@pytest.mark.parametrize(("source", "target"), DOWNWARDS, ids=str)
def test_numbers_do_not_narrow(source, target):
    """Not even where the value would fit."""
    with pytest.raises(SchemaProjectorError) as caught:
        SchemaProjector.project(Schema(source), 0, Schema(target))
    assert str(caught.value) == (
        f"Schema type mismatch. source type: {source} and target type: {target}"
    )


def test_widening_to_float32_rounds_to_float32():
    """2**24 + 1 has no 32-bit float."""
    assert SchemaProjector.project(INT32_SCHEMA, 16777217, Schema(Type.FLOAT32)) == 16777216.0


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (BOOLEAN_SCHEMA, False),
        (BYTES_SCHEMA, b"a"),
        (STRING_SCHEMA, "a"),
        (Date.SCHEMA, DAY),
        (Timestamp.SCHEMA, INSTANT),
        (Decimal.schema(1), D("1.5")),
    ],
    ids=str,
)
def test_other_values_pass_as_they_are(schema, value):
    """Same type, same value."""
    assert SchemaProjector.project(schema, value, schema) == value


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (BOOLEAN_SCHEMA, INT8_SCHEMA),
        (BYTES_SCHEMA, STRING_SCHEMA),
        (STRING_SCHEMA, BYTES_SCHEMA),
        (INT8_SCHEMA, SchemaBuilder.array(INT8_SCHEMA).build()),
    ],
    ids=str,
)
def test_other_types_do_not_mix(source, target):
    """Only numbers are promotable."""
    with pytest.raises(SchemaProjectorError, match=r"^Schema type mismatch"):
        SchemaProjector.project(source, None, target)


DEFAULTED = SchemaBuilder.int32().default(12).build()
NO_DEFAULT = "Writer schema is optional, however, target schema does not provide a default value."


@pytest.mark.parametrize(("value", "expected"), [(None, 12), (14, 14)], ids=repr)
def test_optional_source_takes_the_default_of_a_required_target(value, expected):
    """Only where the value is missing."""
    assert SchemaProjector.project(OPTIONAL_INT8_SCHEMA, value, DEFAULTED) == expected


@pytest.mark.parametrize("value", [None, 14], ids=repr)
def test_optional_source_needs_a_default_in_a_required_target(value):
    """Even where the value is there."""
    with pytest.raises(SchemaProjectorError) as caught:
        SchemaProjector.project(OPTIONAL_INT8_SCHEMA, value, INT32_SCHEMA)
    assert str(caught.value) == NO_DEFAULT


@pytest.mark.parametrize("value", [None, 14], ids=repr)
def test_optional_target_takes_what_is_there(value):
    """Its default is not for null."""
    target = SchemaBuilder.int32().optional().default(12).build()
    assert SchemaProjector.project(OPTIONAL_INT8_SCHEMA, value, target) == value


def test_falsy_default_counts():
    """Zero is a default."""
    target = SchemaBuilder.int32().default(0).build()
    assert SchemaProjector.project(OPTIONAL_INT8_SCHEMA, None, target) == 0


NAMED = SchemaBuilder.int32().name("b").build()


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (INT32_SCHEMA, NAMED, "Schema name mismatch. source name: null and target name: b"),
        (
            Date.SCHEMA,
            NAMED,
            (
                "Schema name mismatch. source name: org.apache.kafka.connect.data.Date "
                "and target name: b"
            ),
        ),
        (
            Decimal.schema(1),
            Decimal.schema(2),
            (
                "Schema parameters not equal. source parameters: {scale=1} "
                "and target parameters: {scale=2}"
            ),
        ),
        (
            INT32_SCHEMA,
            SchemaBuilder.int32().parameter("a", "1").build(),
            "Schema parameters not equal. source parameters: null and target parameters: {a=1}",
        ),
    ],
    ids=["unnamed", "named", "parameters", "no-parameters"],
)
def test_names_and_parameters_must_be_equal(source, target, message):
    """Kafka's words."""
    with pytest.raises(SchemaProjectorError) as caught:
        SchemaProjector.project(source, None, target)
    assert str(caught.value) == message


SOURCE = SchemaBuilder.struct().field("a", INT32_SCHEMA).field("b", INT32_SCHEMA).build()
RECORD = Struct(SOURCE).put("a", 1).put("b", 2)


def _target(*fields):
    builder = SchemaBuilder.struct()
    for name, schema in fields:
        builder.field(name, schema)
    return builder.build()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([("a", INT32_SCHEMA)], {"a": 1}),
        ([("b", INT64_SCHEMA), ("a", INT32_SCHEMA)], {"b": 2, "a": 1}),
        ([("a", INT32_SCHEMA), ("c", DEFAULTED)], {"a": 1, "c": 12}),
        ([("a", INT32_SCHEMA), ("c", OPTIONAL_STRING_SCHEMA)], {"a": 1, "c": None}),
    ],
    ids=["dropped", "reordered", "defaulted", "unset"],
)
def test_struct_takes_the_fields_of_the_target(fields, expected):
    """Extra fields are dropped, missing ones filled where possible."""
    projected = SchemaProjector.project(SOURCE, RECORD, _target(*fields))
    assert (projected.schema, dict(projected)) == (_target(*fields), expected)


def test_missing_optional_field_stays_unset_and_reads_as_its_default():
    """As in Kafka, where only required fields are filled."""
    target = _target(("c", SchemaBuilder.int32().optional().default(12).build()))
    projected = SchemaProjector.project(SOURCE, RECORD, target)

    assert projected.get_without_default("c") is None
    assert projected.get("c") == 12


def test_missing_required_field_is_named():
    """Kafka's words."""
    with pytest.raises(SchemaProjectorError) as caught:
        SchemaProjector.project(SOURCE, RECORD, _target(("c", INT32_SCHEMA)))
    assert str(caught.value) == ("Required field `c` is missing from source schema: Schema{STRUCT}")


def test_failure_in_a_field_is_named_and_keeps_its_cause():
    """Kafka's words."""
    with pytest.raises(SchemaProjectorError, match=r"^Error projecting a$") as caught:
        SchemaProjector.project(SOURCE, RECORD, _target(("a", STRING_SCHEMA)))
    assert str(caught.value.__cause__).startswith("Schema type mismatch")


def test_source_default_stands_for_an_unset_field():
    """The struct is read with its defaults."""
    source = _target(("a", DEFAULTED))
    projected = SchemaProjector.project(source, Struct(source), _target(("a", INT64_SCHEMA)))
    assert dict(projected) == {"a": 12}


def test_struct_in_a_struct_is_projected():
    """All the way down."""
    outer = _target(("in", SOURCE))
    target = _target(("in", _target(("b", INT64_SCHEMA))))
    projected = SchemaProjector.project(outer, Struct(outer).put("in", RECORD), target)
    assert dict(projected["in"]) == {"b": 2}


def test_array_elements_are_projected():
    """Each by itself."""
    source = SchemaBuilder.array(OPTIONAL_INT8_SCHEMA).build()
    target = SchemaBuilder.array(SchemaBuilder.int64().default(0)).build()
    assert SchemaProjector.project(source, [1, None], target) == [1, 0]


def test_map_keys_and_values_are_projected():
    """Each by itself."""
    source = SchemaBuilder.map(INT8_SCHEMA, OPTIONAL_INT8_SCHEMA).build()
    target = SchemaBuilder.map(INT16_SCHEMA, SchemaBuilder.int64().default(0)).build()
    assert SchemaProjector.project(source, {1: 2, 3: None}, target) == {1: 2, 3: 0}


@pytest.mark.parametrize(
    "containers",
    [
        (SchemaBuilder.array(INT8_SCHEMA), SchemaBuilder.array(STRING_SCHEMA), [1]),
        (
            SchemaBuilder.map(INT8_SCHEMA, INT8_SCHEMA),
            SchemaBuilder.map(STRING_SCHEMA, INT8_SCHEMA),
            {1: 1},
        ),
        (
            SchemaBuilder.map(INT8_SCHEMA, INT8_SCHEMA),
            SchemaBuilder.map(INT8_SCHEMA, STRING_SCHEMA),
            {1: 1},
        ),
    ],
    ids=["element", "key", "value"],
)
def test_incompatible_contents_are_refused(containers):
    """Containers project only if what is inside does."""
    source, target, value = containers
    with pytest.raises(SchemaProjectorError, match=r"^Schema type mismatch"):
        SchemaProjector.project(source.build(), value, target.build())


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (SOURCE, {"a": 1}),
        (SchemaBuilder.array(INT8_SCHEMA).build(), (1,)),
        (Schema(Type.ARRAY), [1]),
    ],
    ids=["dict", "tuple", "no-inner-schema"],
)
def test_value_that_is_not_of_its_schema_is_refused(schema, value):
    """As an error of the projector, not of Python."""
    with pytest.raises(SchemaProjectorError):
        SchemaProjector.project(schema, value, schema)


@pytest.mark.slow
@given(st.lists(st.one_of(st.none(), st.integers(-128, 127))), st.text())
@settings(max_examples=50)
def test_projection_onto_the_same_schema_changes_nothing(numbers, text):
    """The identity, as another object."""
    schema = _target(("n", SchemaBuilder.array(OPTIONAL_INT8_SCHEMA).build()), ("t", STRING_SCHEMA))
    record = Struct(schema).put("n", numbers).put("t", text)
    projected = SchemaProjector.project(schema, record, schema)
    assert projected == record
    assert projected is not record


@pytest.mark.slow
@given(
    st.sampled_from([SOURCE, INT8_SCHEMA, DEFAULTED, SchemaBuilder.array(INT8_SCHEMA).build()]),
    st.sampled_from([SOURCE, STRING_SCHEMA, SchemaBuilder.array(INT64_SCHEMA).build()]),
    st.one_of(st.none(), st.integers(), st.text(), st.lists(st.integers()), st.just(RECORD)),
)
@settings(max_examples=100)
def test_projection_raises_nothing_but_data_errors(source, target, value):
    """Whatever is projected."""
    try:
        SchemaProjector.project(source, value, target)
    except DataError as error:
        assert str(error)  # noqa: PT017  # a value that projects is as good
