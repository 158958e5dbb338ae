"""Headers: an ordered multi-map with checked values."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal as D  # noqa: N817  # short in tables

import pytest

from plugwright.errors import DataError
from plugwright.headers import Header, Headers
from plugwright.schema import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_BYTES_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    SchemaAndValue,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
)

ARRAY = SchemaBuilder.array(STRING_SCHEMA).build()
MAP = SchemaBuilder.map(STRING_SCHEMA, INT8_SCHEMA).build()
STRUCT = SchemaBuilder.struct().field("a", INT8_SCHEMA).build()
VALUE = Struct(STRUCT).put("a", 1)
DAY = dt.date(2019, 8, 23)
TIME = dt.time(14, 34)
INSTANT = dt.datetime(2019, 8, 23, 14, 34, tzinfo=dt.UTC)
PLUS_TWO = dt.timezone(dt.timedelta(hours=2))


def _headers(*keys):
    """One header for each key, valued by its position."""
    return Headers(Header(key, index, INT32_SCHEMA) for index, key in enumerate(keys))


def _values(headers):
    return [(header.key, header.value) for header in headers]


@pytest.mark.parametrize(
    ("word", "value", "schema"),
    [
        ("string", "a", STRING_SCHEMA),
        ("string", None, OPTIONAL_STRING_SCHEMA),
        ("bytes", b"a", BYTES_SCHEMA),
        ("bytes", None, OPTIONAL_BYTES_SCHEMA),
        ("boolean", True, BOOLEAN_SCHEMA),
        ("byte", 127, INT8_SCHEMA),
        ("short", 32767, INT16_SCHEMA),
        ("int", 2147483647, INT32_SCHEMA),
        ("long", 9223372036854775807, INT64_SCHEMA),
        ("float", 1.5, FLOAT32_SCHEMA),
        ("double", 1e300, FLOAT64_SCHEMA),
        ("struct", VALUE, STRUCT),
        ("struct", None, None),
        ("decimal", D("1.50"), Decimal.schema(2)),
        ("decimal", None, None),
        ("date", DAY, Date.SCHEMA),
        ("date", None, None),
        ("time", TIME, Time.SCHEMA),
        ("time", None, None),
        ("timestamp", INSTANT, Timestamp.SCHEMA),
        ("timestamp", None, None),
    ],
)
def test_typed_adder_sets_the_schema(word, value, schema):
    """There is one for each type; it returns the headers."""
    headers = Headers()
    assert getattr(headers, f"add_{word}")("k", value) is headers
    assert list(headers) == [Header("k", value, schema)]


@pytest.mark.parametrize(
    ("word", "value", "schema"),
    [("list", ["a"], ARRAY), ("map", {"a": 1}, MAP)],
)
def test_container_adder_takes_its_schema(word, value, schema):
    """Null goes without one."""
    headers = getattr(Headers(), f"add_{word}")("k", value, schema)
    getattr(headers, f"add_{word}")("n", None, schema)
    assert list(headers) == [Header("k", value, schema), Header("n", None, None)]


@pytest.mark.parametrize(
    ("word", "value", "schema", "message"),
    [
        ("list", ["a"], MAP, "Expecting ARRAY but instead found MAP"),
        ("map", {"a": 1}, ARRAY, "Expecting MAP but instead found ARRAY"),
    ],
)
def test_container_adder_refuses_other_schemas(word, value, schema, message):
    """Kafka's words."""
    with pytest.raises(DataError) as caught:
        getattr(Headers(), f"add_{word}")("k", value, schema)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("string", 1),
        ("bytes", "a"),
        ("boolean", 1),
        ("byte", 128),
        ("short", 32768),
        ("int", 2147483648),
        ("long", 9223372036854775808),
        ("float", 1e39),
        ("double", 1),
        ("decimal", D("NaN")),
        ("date", INSTANT),
        ("time", TIME.replace(tzinfo=PLUS_TWO)),
        ("time", INSTANT),
        ("timestamp", INSTANT.replace(tzinfo=None)),
    ],
    ids=repr,
)
def test_typed_adder_refuses_other_values(word, value):
    """Where Java's compiler would."""
    headers = Headers()
    with pytest.raises(DataError):
        getattr(headers, f"add_{word}")("k", value)
    assert not headers


@pytest.mark.parametrize(
    "arguments",
    [
        (Header("k", 1, INT8_SCHEMA),),
        ("k", SchemaAndValue(INT8_SCHEMA, 1)),
        ("k", 1, INT8_SCHEMA),
    ],
    ids=["header", "schema-and-value", "value-and-schema"],
)
def test_header_is_added_in_three_forms(arguments):
    """All give the same header."""
    assert list(Headers().add(*arguments)) == [Header("k", 1, INT8_SCHEMA)]


def test_header_needs_neither_value_nor_schema():
    """Schemaless data is allowed."""
    headers = Headers().add("a").add("b", object)
    assert list(headers) == [Header("a", None, None), Header("b", object, None)]


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (b"\x01", Decimal.schema(2)),
        (D("1.5"), Decimal.schema(2)),
        (3, Date.SCHEMA),
        (DAY, Date.SCHEMA),
        (3, Time.SCHEMA),
        (3, Timestamp.SCHEMA),
        ([1], ARRAY),
        ({1: 2}, MAP),
        (VALUE, SchemaBuilder.struct().build()),
        (None, OPTIONAL_STRING_SCHEMA),
    ],
    ids=repr,
)
def test_value_is_checked_by_its_class_only(value, schema):
    """Encoded forms of logical types pass, and containers unseen, as in Kafka."""
    assert len(Headers().add("k", value, schema)) == 1


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        ("a", INT8_SCHEMA, "The value a is not compatible with the schema Schema{INT8}"),
        ([1], MAP, "The value [1] is not compatible with the schema Schema{MAP}"),
        (None, INT8_SCHEMA, "A null value requires an optional schema but was Schema{INT8}"),
        (
            3,
            Decimal.schema(2),
            (
                "The value 3 is not compatible with the schema "
                "Schema{org.apache.kafka.connect.data.Decimal:BYTES}"
            ),
        ),
    ],
    ids=["class", "container", "null", "logical"],
)
def test_value_that_does_not_go_with_its_schema_is_refused(value, schema, message):
    """Kafka's words."""
    with pytest.raises(DataError) as caught:
        Headers().add("k", value, schema)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "call",
    [
        lambda headers: headers.add(None, 1),
        lambda headers: headers.add(Header(None, 1, None)),
        lambda headers: headers.remove(None),
        lambda headers: headers.last_with_name(None),
        lambda headers: headers.add_string(None, "a"),
    ],
    ids=["add", "add-header", "remove", "last", "typed"],
)
def test_null_key_is_refused(call):
    """Kafka's words."""
    with pytest.raises(DataError, match=r"^Header key cannot be null$"):
        call(Headers())


def test_key_that_is_no_text_is_refused():
    """Its class is named."""
    with pytest.raises(DataError, match=r"^Header key must be text but is of class int$"):
        Headers().add(1, 1)


def test_duplicates_keep_their_order():
    """A key may occur more than once."""
    headers = _headers("a", "b", "a")
    assert [header.value for header in headers.all_with_name("a")] == [0, 2]
    assert (headers.last_with_name("a").value, headers.last_with_name("c")) == (2, None)
    assert headers.all_with_name("c") == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda h: h.remove("a"), [("b", 1)]),
        (lambda h: h.remove("c"), [("a", 0), ("b", 1), ("a", 2), ("a", 3)]),
        (lambda h: h.retain_latest("a"), [("b", 1), ("a", 3)]),
        (lambda h: h.retain_latest("b"), [("a", 0), ("b", 1), ("a", 2), ("a", 3)]),
        (lambda h: h.retain_latest(), [("b", 1), ("a", 3)]),
        (lambda h: h.clear(), []),
        (
            lambda h: h.apply(lambda header: header._replace(value=-header.value)),
            [("a", 0), ("b", -1), ("a", -2), ("a", -3)],
        ),
        (
            lambda h: h.apply(lambda header: header._replace(key="z"), "a"),
            [("z", 0), ("b", 1), ("z", 2), ("z", 3)],
        ),
        (
            lambda h: h.apply(lambda header: header if header.value else None),
            [("b", 1), ("a", 2), ("a", 3)],
        ),
        (lambda h: h.apply(lambda _header: None, "a"), [("b", 1)]),
    ],
    ids=[
        "remove",
        "remove-unknown",
        "retain-one",
        "retain-single",
        "retain-all",
        "clear",
        "apply-all",
        "apply-one",
        "apply-drops",
        "apply-drops-one",
    ],
)
def test_mutator_changes_and_returns_the_headers(change, expected):
    """In place, so that calls can be chained."""
    headers = _headers("a", "b", "a", "a")
    assert change(headers) is headers
    assert _values(headers) == expected


@pytest.mark.parametrize("word", ["remove", "retain_latest", "clear"])
def test_mutator_of_empty_headers_does_nothing(word):
    """There is nothing to trip over."""
    arguments = ["a"] if word == "remove" else []
    assert getattr(Headers(), word)(*arguments) == Headers()


def test_failing_transform_leaves_the_headers_as_they_were():
    """Half-changed headers would be worse than none."""
    headers = _headers("a", "b")
    with pytest.raises(ZeroDivisionError):
        headers.apply(lambda header: header._replace(value=1 // header.value))
    assert headers == _headers("a", "b")


def test_duplicate_is_independent():
    """Neither sees changes of the other."""
    headers = _headers("a")
    copy = headers.duplicate()
    headers.add("b")
    copy.clear()
    assert ([header.key for header in headers], len(copy)) == (["a", "b"], 0)


def test_headers_can_change_during_iteration():
    """Iteration goes on over what was there."""
    headers = _headers("a", "b")
    for header in headers:
        headers.remove(header.key).add("c")
    assert [header.key for header in headers] == ["c", "c"]


def test_headers_added_during_iteration_are_not_visited():
    """The loop ends."""
    headers = _headers("a", "b")
    for header in headers:
        headers.add(header.key)
    assert [header.key for header in headers] == ["a", "b", "a", "b"]


def test_truth_and_length_are_by_size():
    """No headers are false."""
    assert (bool(Headers()), bool(_headers("a")), len(_headers("a", "a"))) == (False, True, 2)


@pytest.mark.parametrize(
    "other",
    [Headers(), _headers("b"), _headers("a", "a"), Headers().add("a", 0), [("a", 0)]],
    ids=["empty", "key", "longer", "schema", "list"],
)
def test_other_headers_are_not_equal(other):
    """Keys, values, schemas and order count."""
    assert _headers("a") == _headers("a")
    assert _headers("a") != other


def test_headers_are_not_hashable():
    """They change."""
    with pytest.raises(TypeError):
        hash(Headers())


def test_headers_survive_pickling():
    """They travel with their records."""
    headers = _headers("a", "b")
    assert pickle.loads(pickle.dumps(headers)) == headers  # noqa: S301  # its own bytes


def test_headers_show_their_content():
    """For people who debug."""
    assert repr(_headers("a")) == "Headers([Header(key='a', value=0, schema=Schema{INT32})])"
