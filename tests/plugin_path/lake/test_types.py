"""Values in files, read by readers that know nothing of Connect."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
from decimal import Decimal as Number

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    DataError,
    Date,
    Decimal,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
)
from plugwright_lake.avro import avro
from plugwright_lake.avro_reading import AvroTypes
from plugwright_lake.json_lines import json_lines
from plugwright_lake.parquet import parquet

INNER = SchemaBuilder.struct().field("x", INT32_SCHEMA).build()
FIELDS = {
    "truth": (BOOLEAN_SCHEMA, True),
    "tiny": (INT8_SCHEMA, -128),
    "small": (INT16_SCHEMA, 32767),
    "medium": (INT32_SCHEMA, -(2**31)),
    "large": (INT64_SCHEMA, 2**63 - 1),
    "ratio": (FLOAT32_SCHEMA, 1.5),
    "double": (FLOAT64_SCHEMA, 0.1),
    "text": (STRING_SCHEMA, "ä\n\x00"),
    "raw": (BYTES_SCHEMA, b"\x00\xff"),
    "amount": (Decimal.schema(2), Number("-12.30")),
    "day": (Date.SCHEMA, dt.date(1969, 12, 31)),
    "hour": (Time.SCHEMA, dt.time(23, 59, 59, 999000)),
    "at": (Timestamp.SCHEMA, dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)),
    "note": (OPTIONAL_STRING_SCHEMA, None),
    "many": (SchemaBuilder.array(OPTIONAL_STRING_SCHEMA).build(), ["a", None]),
    "named": (SchemaBuilder.map(STRING_SCHEMA, INT64_SCHEMA).build(), {"k": 1}),
    "numbered": (SchemaBuilder.map(INT32_SCHEMA, STRING_SCHEMA).build(), {7: "v"}),
    "inner": (INNER, Struct(INNER).put("x", 1)),
}
_BUILDER = SchemaBuilder.struct().name("com.example.All")
for _name, (_schema, _) in FIELDS.items():
    _BUILDER.field(_name, _schema)
ALL = _BUILDER.build()


def _all():
    value = Struct(ALL)
    for name, (_, each) in FIELDS.items():
        value.put(name, each)
    return value


def _file(form, schema, *values):
    rows = form.rows(schema)
    kept = rows.collection()
    for value in values:
        kept.append(rows.row(schema, value))
    return rows.file(kept, "t+0+0")


NATIVE = {name: value for name, (_, value) in FIELDS.items()} | {"inner": {"x": 1}}


def test_parquet_has_every_type():
    """Read by pyarrow; a map is pairs there."""
    table = pq.read_table(io.BytesIO(_file(parquet("snappy"), ALL, _all())))
    assert table.to_pylist() == [NATIVE | {"named": [("k", 1)], "numbered": [(7, "v")]}]
    assert {each.name: str(each.type) for each in table.schema} == {
        "truth": "bool",
        "tiny": "int8",
        "small": "int16",
        "medium": "int32",
        "large": "int64",
        "ratio": "float",
        "double": "double",
        "text": "string",
        "raw": "binary",
        "amount": "decimal128(38, 2)",
        "day": "date32[day]",
        "hour": "time32[ms]",
        "at": "timestamp[ms, tz=UTC]",
        "note": "string",
        "many": "list<element: string>",
        "named": "map<string, int64 ('named')>",
        "numbered": "map<int32, string ('numbered')>",
        "inner": "struct<x: int32 not null>",
    }
    assert [each.name for each in table.schema if each.nullable] == ["note"]


def test_avro_has_every_type():
    """Read by fastavro."""
    found = fastavro.reader(io.BytesIO(_file(avro("deflate"), ALL, _all())))
    assert list(found) == [NATIVE | {"numbered": [{"key": 7, "value": "v"}]}]
    assert found.metadata["avro.codec"] == "deflate"
    assert found.writer_schema["name"] == "com.example.All"


def test_json_has_every_type_as_kafkas_converter_writes_it():
    """Numbers of days and milliseconds, Base64, pairs for a map whose keys are no text."""
    (line,) = _file(json_lines(numeric=False, compressed=False), ALL, _all()).splitlines()
    assert json.loads(line) == NATIVE | {
        "raw": "AP8=",
        "amount": "+zI=",
        "day": -1,
        "hour": 86399999,
        "at": 1709208000000,
        "numbered": [[7, "v"]],
    }


def test_json_may_have_decimals_as_numbers_and_be_compressed():
    """With every digit; the bytes are the same every time."""
    form = json_lines(numeric=True, compressed=True)
    data = _file(form, Decimal.schema(2), Number("12345678901234567890.10"))
    assert gzip.decompress(data) == b"12345678901234567890.10\n"
    assert data == _file(form, Decimal.schema(2), Number("12345678901234567890.10"))
    assert form.extension == ".jsonl.gz"


def test_json_holds_values_without_schema():
    """Typed by their Python types."""
    values = [
        {"a": [1, None, {"b": True}]},
        [2.5],
        "text",
        Number("1.5"),
        b"\x00",
        dt.date(1970, 1, 2),
    ]
    data = _file(json_lines(numeric=True, compressed=False), None, *values)
    assert data.splitlines() == [
        b'{"a":[1,null,{"b":true}]}',
        b"[2.5]",
        b'"text"',
        b"1.5",
        b'"AA=="',
        b"1",
    ]


DEEP = [[]]
for _ in range(200):
    DEEP = [DEEP]
REFUSED = {
    "not a number in JSON": (
        json_lines(numeric=False, compressed=False),
        FLOAT64_SCHEMA,
        float("inf"),
    ),
    "depth in JSON": (json_lines(numeric=False, compressed=False), None, DEEP),
    "an object in JSON": (json_lines(numeric=False, compressed=False), None, object()),
    "half a character": (parquet("none"), STRING_SCHEMA, "\ud800"),
    "39 digits in Parquet": (parquet("none"), Decimal.schema(0), Number(10**38)),
    "a scale of 39 in Parquet": (parquet("none"), Decimal.schema(39), Number("1e-39")),
    "65 digits in Avro": (avro("null"), Decimal.schema(0), Number(10**64)),
    "another type": (parquet("none"), INT32_SCHEMA, "1"),
    "a number that is too large": (avro("null"), INT8_SCHEMA, 128),
    "null where it must not be": (avro("null"), INT8_SCHEMA, None),
    "null as a row": (parquet("none"), OPTIONAL_STRING_SCHEMA, None),
    "a struct as a key": (
        parquet("none"),
        SchemaBuilder.map(INNER, INT32_SCHEMA).build(),
        {},
    ),
    "a name in Avro": (
        avro("null"),
        SchemaBuilder.struct().field("it's", INT8_SCHEMA).build(),
        None,
    ),
    "a struct without fields": (parquet("none"), SchemaBuilder.struct().build(), None),
}


@pytest.mark.parametrize(("form", "schema", "value"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_place_is_refused(form, schema, value):
    """With what to do."""
    with pytest.raises(DataError) as caught:
        _file(form, schema, value)
    assert caught.value.code == "lake.no-place"


@pytest.mark.parametrize("form", [parquet("none"), avro("null")], ids=["parquet", "avro"])
def test_a_default_stands_for_what_is_unset(form):
    """As in Kafka's own converters."""
    schema = SchemaBuilder.struct().field("n", SchemaBuilder.int8().default(7)).build()
    data = io.BytesIO(_file(form, schema, Struct(schema)))
    found = (
        list(fastavro.reader(data))
        if form.extension == ".avro"
        else pq.read_table(data).to_pylist()
    )
    assert found == [{"n": 7}]


def test_two_records_of_one_name_and_one_of_two_uses_in_avro():
    """A name is given out once; the same struct is referred to."""
    other = SchemaBuilder.struct().field("y", STRING_SCHEMA).build()
    outer = SchemaBuilder.struct().field("a", INNER).field("b", other).field("c", INNER).build()
    value = Struct(outer).put("a", Struct(INNER).put("x", 1)).put("b", Struct(other).put("y", "z"))
    value.put("c", Struct(INNER).put("x", 2))
    (found,) = fastavro.reader(io.BytesIO(_file(avro("null"), outer, value)))
    assert found == {"a": {"x": 1}, "b": {"y": "z"}, "c": {"x": 2}}


def test_a_struct_without_namespace_has_a_place_in_several_of_them_in_avro():
    """Avro takes such a name for one of the namespace around it."""
    numbered = FIELDS["numbered"][0]
    named = SchemaBuilder.struct().name("N").field("x", INT32_SCHEMA).build()

    def record(name, *more):
        builder = SchemaBuilder.struct().name(name).field("i", INNER).field("n", named)
        builder.field("m", numbered)
        for letter, each in zip("ab", more, strict=False):
            builder.field(letter, each)
        return builder.build()

    def value(schema, number):
        inner, other = Struct(INNER).put("x", number), Struct(named).put("x", number)
        return Struct(schema).put("i", inner).put("n", other).put("m", {number: "v"})

    first, second = record("a.A"), record("b.B")
    outer = record("All", first, second)
    row = value(outer, 0).put("a", value(first, 1)).put("b", value(second, 2))
    found = fastavro.reader(io.BytesIO(_file(avro("null"), outer, row)))
    zero, one, two = (
        {"i": {"x": n}, "n": {"x": n}, "m": [{"key": n, "value": "v"}]} for n in range(3)
    )
    assert list(found) == [zero | {"a": one, "b": two}]
    back = AvroTypes().schema(found.writer_schema).field("a").schema
    assert [back.name, back.field("i").schema.name, back.field("n").schema.name] == [
        "a.A",
        None,
        "a.N",
    ]


UTC = st.just(dt.UTC)
MOMENTS = st.datetimes(timezones=UTC).map(
    lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)
)
VALUES = {
    "boolean": (BOOLEAN_SCHEMA, st.booleans()),
    "int8": (INT8_SCHEMA, st.integers(-128, 127)),
    "int64": (INT64_SCHEMA, st.integers(-(2**63), 2**63 - 1)),
    "float32": (FLOAT32_SCHEMA, st.floats(width=32, allow_nan=False)),
    "float64": (FLOAT64_SCHEMA, st.floats(allow_nan=False)),
    "string": (STRING_SCHEMA, st.text(st.characters(codec="utf-8"))),
    "bytes": (BYTES_SCHEMA, st.binary()),
    "decimal": (
        Decimal.schema(3),
        st.integers(-(10**35), 10**35).map(lambda n: Number(f"{n}e-3")),
    ),
    "date": (Date.SCHEMA, st.dates()),
    "timestamp": (Timestamp.SCHEMA, MOMENTS),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", VALUES)
def test_any_value_is_read_back_by_pyarrow_and_fastavro(kind):
    """Inside a struct, a list and a map, and where it may be missing."""
    schema, values = VALUES[kind]
    row = (
        SchemaBuilder.struct()
        .field("one", schema)
        .field("many", SchemaBuilder.array(schema).build())
        .field("named", SchemaBuilder.map(STRING_SCHEMA, schema).build())
        .build()
    )
    names = st.text(st.characters(codec="utf-8"), max_size=3)

    @settings(max_examples=60, deadline=None)
    @given(values, st.lists(values, max_size=3), st.dictionaries(names, values, max_size=3))
    def check(one, many, named):
        value = Struct(row).put("one", one).put("many", many).put("named", named)
        expected = {"one": one, "many": many, "named": named}
        (found,) = pq.read_table(io.BytesIO(_file(parquet("zstd"), row, value))).to_pylist()
        assert found | {"named": dict(found["named"])} == expected
        (found,) = fastavro.reader(io.BytesIO(_file(avro("null"), row, value)))
        assert found == expected

    check()


def test_arrow_has_no_surprises_in_its_columns():
    """A single value is the column ``value``."""
    table = pq.read_table(io.BytesIO(_file(parquet("none"), INT16_SCHEMA, 1, 2)))
    assert table.schema == pa.schema([pa.field("value", pa.int16(), nullable=False)])
    assert table["value"].to_pylist() == [1, 2]
