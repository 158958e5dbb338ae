"""Key and value forms, and what errors tell."""

from __future__ import annotations

import datetime as dt
import inspect
import pickle

import pytest

from plugwright.errors import DataError
from plugwright.headers import Headers
from plugwright.record import SinkRecord, SourceRecord
from plugwright.schema import INT8_SCHEMA, Date, SchemaBuilder, Struct, Time, Timestamp
from plugwright.transforms import (
    PREDICATES,
    TRANSFORMATIONS,
    Cast,
    ExtractField,
    HeaderFrom,
    HoistField,
    InsertField,
    MaskField,
    RegexRouter,
    ReplaceField,
    TimestampRouter,
)

POINT = SchemaBuilder.struct().field("x", INT8_SCHEMA).field("y", INT8_SCHEMA).build()

OTHER = SchemaBuilder.struct().field("q", INT8_SCHEMA).build()


def _made(cls, **settings):
    made = cls()
    made.configure({key.replace("_", "."): value for key, value in settings.items()})
    return made


def _point(x=1, y=2):
    return Struct(POINT).put("x", x).put("y", y)


def test_a_form_works_on_its_side_only():
    """The other side stays as it was."""
    record = SourceRecord(None, None, "t", {"a": 1}, key={"a": 1})
    key = _made(HoistField.Key, field="f").apply(record)
    value = _made(HoistField.Value, field="f").apply(record)

    assert (key.key, key.value) == ({"f": {"a": 1}}, {"a": 1})
    assert (value.key, value.value) == ({"a": 1}, {"f": {"a": 1}})


def test_the_class_around_the_forms_is_abstract():
    """It cannot be made, as in Kafka."""
    assert inspect.isabstract(Cast)
    with pytest.raises(TypeError, match="abstract"):
        Cast()


def test_a_form_has_the_name_that_a_configuration_gives_it():
    """And survives pickling by it."""
    assert Cast.Value.__qualname__ == "Cast.Value"
    assert pickle.loads(pickle.dumps(Cast.Key)) is Cast.Key  # noqa: S301  # our own bytes


def test_a_subclass_of_a_form_has_no_forms_of_its_own():
    """It is of one side already."""

    class Upper(ReplaceField.Value):
        """A value form with something of its own."""

    assert Upper.Value is ReplaceField.Value
    assert not inspect.isabstract(Upper)


def test_every_bundled_plugin_is_concrete_and_listed_once():
    """Sixteen transformations, ten of them in two forms; three predicates."""
    assert len({*TRANSFORMATIONS}) == len(TRANSFORMATIONS) == 26
    assert not [cls for cls in (*TRANSFORMATIONS, *PREDICATES) if inspect.isabstract(cls)]


@pytest.mark.parametrize("cls", [*TRANSFORMATIONS, *PREDICATES], ids=lambda cls: cls.__qualname__)
def test_every_bundled_plugin_documents_its_settings_and_version(cls):
    """For lists, forms and manuals."""
    made = cls()

    assert made.version() not in {"", "undefined"}
    assert all(key.documentation for key in made.config().keys.values())
    assert cls.__doc__


def test_the_record_given_is_left_alone():
    """It may be needed again, for a retry or a report."""
    record = SinkRecord("t", 0, None, None, POINT, _point(), 7, headers=Headers().add("h", 1))
    before = record.new_record()
    changed = _made(MaskField.Value, fields="x").apply(record)

    assert record == before
    assert changed.value.get("x") == 0
    assert changed.original_kafka_offset == 7


@pytest.mark.parametrize(
    ("made", "place"),
    [
        (_made(Cast.Value, spec="x:boolean,a:int8"), "(in Cast$Value, field a)"),
        (_made(MaskField.Value, fields="a", replacement="q"), "(in MaskField$Value, field a)"),
        (_made(ExtractField.Value, field="a"), None),
        (_made(InsertField.Value, offset_field="o"), "(in InsertField$Value)"),
    ],
    ids=["cast", "mask", "extract", "insert"],
)
def test_an_error_names_transformation_and_field(made, place):
    """In words and in facts."""
    record = SourceRecord(None, None, "t", {"x": 1, "a": [1]})
    if place is None:
        assert made.apply(record).value == [1]
        return
    with pytest.raises(DataError) as raised:
        made.apply(record)

    assert str(raised.value).endswith(place)
    assert raised.value.facts["transformation"] in place


def test_a_struct_of_another_schema_than_the_record_says_is_refused():
    """By position its fields would be mixed up silently."""
    turned = SchemaBuilder.struct().field("y", INT8_SCHEMA).field("x", INT8_SCHEMA).build()
    record = SourceRecord(None, None, "t", Struct(turned).put("x", 1).put("y", 2), POINT)

    with pytest.raises(DataError, match=r"Struct schemas do not match"):
        _made(ReplaceField.Value, exclude="y").apply(record)


def test_a_struct_of_an_equal_schema_is_taken():
    """Readers make schemas anew."""
    other = SchemaBuilder.struct().field("x", INT8_SCHEMA).field("y", INT8_SCHEMA).build()
    record = SourceRecord(None, None, "t", Struct(other).put("x", 1).put("y", 2), POINT)

    assert dict(_made(ReplaceField.Value, exclude="y").apply(record).value) == {"x": 1}


def test_a_required_field_left_empty_is_refused():
    """As when it is put there."""
    record = SourceRecord(None, None, "t", Struct(POINT).put("x", 1), POINT)

    with pytest.raises(DataError, match='null used for required field: "y"') as raised:
        _made(ReplaceField.Value, renames="x:z").apply(record)

    assert raised.value.facts["field"] == "y"


def test_hoisting_checks_that_the_value_is_what_the_schema_says():
    """A record that lies about its schema goes no further."""
    record = SourceRecord(None, None, "t", "text", INT8_SCHEMA)

    with pytest.raises(DataError, match='class str for field: "f"'):
        _made(HoistField.Value, field="f").apply(record)


def test_a_header_that_cannot_be_made_names_the_transformation():
    """A required field without value has no header to become."""
    made = _made(HeaderFrom.Value, fields="y", headers="h", operation="copy")
    record = SourceRecord(None, None, "t", Struct(POINT).put("x", 1), POINT)

    with pytest.raises(DataError, match=r"requires an optional schema .* \(in HeaderFrom\$Value\)"):
        made.apply(record)


def test_hoisting_checks_the_schema_of_a_struct():
    """One of another schema would be written under the wrong names."""
    record = SourceRecord(None, None, "t", Struct(OTHER).put("q", 1), POINT)

    with pytest.raises(DataError, match=r"Struct schemas do not match"):
        _made(HoistField.Value, field="f").apply(record)


@pytest.mark.parametrize(
    ("value", "neutral"),
    [
        (dt.datetime(2020, 1, 2, 3, tzinfo=dt.UTC), dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        (dt.date(2020, 1, 2), dt.date(1970, 1, 1)),
        (dt.time(3, 4), dt.time(0, 0)),
        (True, False),
    ],
    ids=["timestamp", "date", "time", "truth"],
)
def test_a_masked_value_keeps_its_class(value, neutral):
    """A timestamp is a date to Python, and a truth value a number; their masks are not."""
    masked = _made(MaskField.Value, fields="a").apply(SourceRecord(None, None, "t", {"a": value}))

    assert (type(masked.value["a"]), masked.value["a"]) == (type(neutral), neutral)


@pytest.mark.parametrize(
    ("value", "schema", "text"),
    [
        (dt.datetime(2020, 1, 2, tzinfo=dt.UTC), Timestamp.SCHEMA, "2020-01-02"),
        (dt.datetime(1970, 1, 1, tzinfo=dt.UTC), Timestamp.SCHEMA, "1970-01-01T00:00:00.000Z"),
        (dt.datetime(1969, 1, 1, tzinfo=dt.UTC), Timestamp.SCHEMA, "1969-01-01T00:00:00.000Z"),
        (dt.date(1970, 1, 1), Date.SCHEMA, "1970-01-01"),
        (dt.time(0, 0), Time.SCHEMA, "00:00:00.000Z"),
    ],
    ids=["midnight", "epoch", "before", "date", "time"],
)
def test_moments_become_text_that_loses_no_date(value, schema, text):
    """Kafka prints everything before 1970-01-02 as a time of day, whatever the date."""
    changed = _made(Cast.Value, spec="string").apply(SourceRecord(None, None, "t", value, schema))

    assert changed.value == text


def test_a_router_replaces_the_first_match_only():
    """A topic that matches as a whole may hold several shorter matches."""
    made = _made(RegexRouter, regex="o|r|or", replacement="x")

    assert made.apply(SourceRecord(None, None, "or", None)).topic == "xr"


@pytest.mark.parametrize("cls", [RegexRouter, TimestampRouter], ids=["regex", "timestamp"])
def test_a_record_without_topic_is_refused_by_routers(cls):
    """Kafka fails with a NullPointerException."""
    made = _made(cls, **({"regex": "a", "replacement": "b"} if cls is RegexRouter else {}))

    with pytest.raises(DataError, match=cls.__name__):
        made.apply(SourceRecord(None, None, None, None, timestamp=1))


def test_other_settings_forget_old_plans():
    """Configured anew, nothing of before is left."""
    record = SourceRecord(None, None, "t", _point(), POINT)
    made = _made(ReplaceField.Value, exclude="x")
    first = dict(made.apply(record).value)
    made.configure({"exclude": "y"})

    assert (first, dict(made.apply(record).value)) == ({"y": 2}, {"x": 1})
