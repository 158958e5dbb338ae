"""Decimal, Date, Time and Timestamp: schemas, encoding, refusals."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as D  # noqa: N817  # short in tables
from decimal import localcontext

import pytest

from plugwright.errors import DataError
from plugwright.schema import (
    INT32_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    Time,
    Timestamp,
    Type,
)

PLUS_TWO = dt.timezone(dt.timedelta(hours=2))
LOGICAL = {"Date": Date, "Time": Time, "Timestamp": Timestamp}


@pytest.mark.parametrize(
    ("schema", "name", "type_"),
    [
        (Date.SCHEMA, "org.apache.kafka.connect.data.Date", Type.INT32),
        (Time.SCHEMA, "org.apache.kafka.connect.data.Time", Type.INT32),
        (Timestamp.SCHEMA, "org.apache.kafka.connect.data.Timestamp", Type.INT64),
    ],
    ids=["date", "time", "timestamp"],
)
def test_schema_is_kafkas(schema, name, type_):
    """Name, base type and version 1."""
    assert schema == Schema(type_, name=name, version=1)


@pytest.mark.parametrize("word", LOGICAL)
def test_builder_starts_from_the_schema(word):
    """To make it optional or give a default."""
    assert LOGICAL[word].builder().build() == LOGICAL[word].SCHEMA


def test_decimal_schema_carries_the_scale():
    """As text in its parameters."""
    assert Decimal.schema(-2) == Schema(
        Type.BYTES,
        name="org.apache.kafka.connect.data.Decimal",
        version=1,
        parameters={"scale": "-2"},
    )


@pytest.mark.parametrize(
    ("value", "scale", "encoded"),
    [
        (D("1.56"), 2, b"\x00\x9c"),
        (D("-1.56"), 2, b"\xff\x64"),
        (D("0.00"), 2, b"\x00"),
        (D("-1.28"), 2, b"\x80"),
        (D("1.27"), 2, b"\x7f"),
        (D("-1.29"), 2, b"\xff\x7f"),
        (D("1E+3"), -3, b"\x01"),
        (D(2**64), 0, b"\x01" + bytes(8)),
    ],
    ids=str,
)
def test_decimal_is_the_unscaled_number_in_twos_complement(value, scale, encoded):
    """As few bytes as it takes, big-endian."""
    assert Decimal.from_logical(Decimal.schema(scale), value) == encoded
    assert Decimal.to_logical(Decimal.schema(scale), encoded).as_tuple() == value.as_tuple()


def test_decimal_keeps_every_digit_whatever_the_context():
    """The context of the thread does not round."""
    value = D("1" * 6000 + ".5")
    with localcontext(prec=3):
        encoded = Decimal.from_logical(Decimal.schema(1), value)
        assert Decimal.to_logical(Decimal.schema(1), memoryview(encoded)) == value


def test_decimal_of_another_scale_is_refused():
    """Nothing is rounded; Kafka's words."""
    with pytest.raises(DataError) as caught:
        Decimal.from_logical(Decimal.schema(2), D("1.5"))
    assert str(caught.value) == (
        "Decimal value has mismatching scale for given Decimal schema. "
        "Schema has scale 2, value has scale 1."
    )


@pytest.mark.parametrize("value", [D("NaN"), D("Infinity"), 1.5, 1, "1"], ids=repr)
def test_other_numbers_are_no_decimals(value):
    """Only finite decimal.Decimal is encoded."""
    with pytest.raises(DataError, match=r"a finite decimal\.Decimal was expected"):
        Decimal.from_logical(Decimal.schema(0), value)


@pytest.mark.parametrize("value", [b"", "a", 1], ids=repr)
def test_other_values_are_no_encoded_decimals(value):
    """At least one byte is needed."""
    with pytest.raises(DataError, match="at least one byte expected"):
        Decimal.to_logical(Decimal.schema(0), value)


@pytest.mark.parametrize(
    "scale", ["", "a", "1_0", " 1", "2147483648", "9" * 5000], ids=lambda s: s[:9]
)
def test_scale_that_is_no_int32_is_refused(scale):
    """Kafka's words."""
    schema = SchemaBuilder.bytes().name(Decimal.LOGICAL_NAME).parameter("scale", scale).build()
    with pytest.raises(DataError, match=r"^Invalid scale parameter found in Decimal schema: "):
        Decimal.to_logical(schema, b"\x01")


def test_missing_scale_is_refused():
    """Kafka's words."""
    schema = SchemaBuilder.bytes().name(Decimal.LOGICAL_NAME).build()
    with pytest.raises(DataError, match=r"^Invalid Decimal schema: scale parameter not found.$"):
        Decimal.from_logical(schema, D(1))


@pytest.mark.parametrize(
    ("logical", "value", "encoded"),
    [
        (Date, dt.date(1970, 1, 1), 0),
        (Date, dt.date(1969, 12, 31), -1),
        (Date, dt.date(1997, 5, 24), 10005),
        (Date, dt.date(1, 1, 1), -719162),
        (Date, dt.date(9999, 12, 31), 2932896),
        (Time, dt.time(0), 0),
        (Time, dt.time(14, 34, 54, 346000), 52494346),
        (Time, dt.time(23, 59, 59, 999000), 86399999),
        (Timestamp, dt.datetime(1970, 1, 1, tzinfo=dt.UTC), 0),
        (Timestamp, dt.datetime(2019, 8, 23, 14, 34, 54, 346000, dt.UTC), 1566570894346),
        (Timestamp, dt.datetime(1969, 12, 31, 23, 59, 59, 999000, dt.UTC), -1),
        (Timestamp, dt.datetime(1, 1, 1, tzinfo=dt.UTC), -62135596800000),
        (Timestamp, dt.datetime(9999, 12, 31, 23, 59, 59, 999000, dt.UTC), 253402300799999),
    ],
    ids=str,
)
def test_moment_is_days_or_milliseconds_since_1970(logical, value, encoded):
    """In both directions, to the ends of Python's calendar."""
    assert logical.from_logical(logical.SCHEMA, value) == encoded
    assert logical.to_logical(logical.SCHEMA, encoded) == value


def test_decoded_timestamp_is_aware():
    """It comes back at UTC."""
    assert Timestamp.to_logical(Timestamp.SCHEMA, 0).tzinfo is dt.UTC


@pytest.mark.parametrize(
    ("logical", "value", "encoded"),
    [
        (Time, dt.time(0, 0, 0, 1999), 1),
        (Time, dt.time(1, tzinfo=dt.UTC), 3600000),
        (Timestamp, dt.datetime(1970, 1, 1, 0, 0, 0, 1999, dt.UTC), 1),
        (Timestamp, dt.datetime(1969, 12, 31, 23, 59, 59, 999999, dt.UTC), -1),
        (Timestamp, dt.datetime(1970, 1, 1, 2, tzinfo=PLUS_TWO), 0),
        (Timestamp, dt.datetime(1, 1, 1, tzinfo=PLUS_TWO), -62135604000000),
    ],
    ids=str,
)
def test_finer_parts_are_cut_off_and_zones_applied(logical, value, encoded):
    """Towards the past, also before 1970."""
    assert logical.from_logical(logical.SCHEMA, value) == encoded


DATE_MESSAGE = "Kafka Connect Date type should not have any time fields set to non-zero values."
TIME_MESSAGE = "Kafka Connect Time type should not have any date fields set to non-zero values."


@pytest.mark.parametrize(
    ("logical", "value", "message"),
    [
        (Date, dt.datetime(1970, 1, 1, 1, tzinfo=dt.UTC), DATE_MESSAGE),
        (Date, 3, "Invalid value of class int: a datetime.date was expected"),
        (Time, dt.datetime(1970, 1, 2, tzinfo=dt.UTC), TIME_MESSAGE),
        (Time, dt.date(1970, 1, 2), TIME_MESSAGE),
        (
            Time,
            dt.time(1, tzinfo=PLUS_TWO),
            "Invalid value of class time: a datetime.time at UTC was expected",
        ),
        (
            Timestamp,
            dt.datetime(1970, 1, 1),  # noqa: DTZ001  # naive on purpose
            "Invalid value of class datetime: a datetime.datetime with a time zone was expected",
        ),
        (
            Timestamp,
            dt.date(1970, 1, 1),
            "Invalid value of class date: a datetime.datetime with a time zone was expected",
        ),
    ],
    ids=["datetime", "days", "instant", "date", "zone", "naive", "day"],
)
def test_value_of_another_kind_is_not_encoded(logical, value, message):
    """Kafka's words where it has some."""
    with pytest.raises(DataError) as caught:
        logical.from_logical(logical.SCHEMA, value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("logical", "value"),
    [
        (Date, 2932897),
        (Date, -719163),
        (Date, 2**31),
        (Date, True),
        (Time, -1),
        (Time, 86400000),
        (Time, "1"),
        (Timestamp, 253402300800000),
        (Timestamp, -62135596800001),
        (Timestamp, 2**63 - 1),
        (Timestamp, 2**64),
        (Timestamp, 1.0),
    ],
    ids=str,
)
def test_encoded_value_out_of_range_is_refused(logical, value):
    """Nothing wraps, nothing is clamped."""
    with pytest.raises(DataError):
        logical.to_logical(logical.SCHEMA, value)


def test_time_out_of_range_has_kafkas_message():
    """Word for word."""
    with pytest.raises(DataError) as caught:
        Time.to_logical(Time.SCHEMA, -1)
    assert str(caught.value) == (
        "Time values must use number of milliseconds greater than 0 and less than 86400000"
    )


@pytest.mark.parametrize("call", ["from_logical", "to_logical"])
@pytest.mark.parametrize("word", LOGICAL)
def test_schema_of_another_name_is_refused(word, call):
    """Kafka's words."""
    with pytest.raises(DataError) as caught:
        getattr(LOGICAL[word], call)(INT32_SCHEMA, 0)
    assert (
        str(caught.value) == f"Requested conversion of {word} object but the schema does not match."
    )


@pytest.mark.parametrize("call", ["from_logical", "to_logical"])
@pytest.mark.parametrize("word", [*LOGICAL, "Decimal"])
def test_null_needs_an_optional_schema(word, call):
    """Under one it stays null, else Kafka's words."""
    logical = LOGICAL.get(word, Decimal)
    arguments = () if word in LOGICAL else (2,)
    with pytest.raises(DataError) as caught:
        getattr(logical, call)(logical.builder(*arguments).build(), None)
    assert str(caught.value) == (
        f"Requested conversion of {word} object but the schema is not nullable and a null was "
        "supplied."
    )
    assert getattr(logical, call)(logical.builder(*arguments).optional().build(), None) is None
