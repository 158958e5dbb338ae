"""Records as Arrow batches, and Arrow batches as records."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as Number

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.errors import ConfigError, DataError
from plugwright.headers import Headers
from plugwright.record import SourceRecord, TimestampType
from plugwright.schema import (
    INT8_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT32_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
)
from plugwright.spark.rows import (
    RecordRows,
    RowRecords,
    RowsMode,
    arrow_type,
    columns_of,
    connect_schema,
    row_schema,
    to_array,
    to_values,
)

NEW_YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
INNER = SchemaBuilder.struct().field("x", INT8_SCHEMA).optional().build()
ROW = (
    SchemaBuilder.struct()
    .field("id", INT64_SCHEMA)
    .field("price", Decimal.builder(2).optional())
    .field("at", Timestamp.SCHEMA)
    .field("day", Date.SCHEMA)
    .field("time", Time.SCHEMA)
    .field("inner", INNER)
    .field("list", SchemaBuilder.array(INNER))
    .field("tags", SchemaBuilder.map(INT8_SCHEMA, OPTIONAL_STRING_SCHEMA).optional())
    .build()
)


def struct(schema, **values):
    """A struct of these values."""
    made = Struct(schema)
    for name, value in values.items():
        made.put(name, value)
    return made


def full(number=1):
    """A struct with a value everywhere."""
    return struct(
        ROW,
        id=number,
        price=Number("1.25"),
        at=NEW_YEAR,
        day=dt.date(1969, 12, 31),
        time=dt.time(1, 2, 3, 4000),
        inner=struct(INNER, x=7),
        list=[struct(INNER, x=7 + number), None],
        tags={number: "a", 2 * number: None},
    )


def record(value, schema=ROW, **more):
    """A source record."""
    return SourceRecord({"file": "f"}, {"at": 3}, "shop", value, schema, **more)


def rows(records, mode=RowsMode.VALUES, columns=None, **more):
    """The records as a list of rows."""
    found = columns or row_schema(records[0], mode)
    batches = list(RecordRows(found, mode, **more).batches(records))
    for batch in batches:
        batch.validate(full=True)
    return [row for batch in batches for row in batch.to_pylist()]


def test_the_fields_of_a_struct_are_the_columns():
    """Every kind of value is what Spark shows for it."""
    empty = struct(ROW, id=2, at=NEW_YEAR, day=dt.date(2026, 1, 1), time=dt.time(0), list=[])

    assert rows([record(full()), record(empty)]) == [
        {
            "id": 1,
            "price": Number("1.25"),
            "at": NEW_YEAR,
            "day": dt.date(1969, 12, 31),
            "time": dt.time(1, 2, 3, 4000),
            "inner": {"x": 7},
            "list": [{"x": 8}, None],
            "tags": [(1, "a"), (2, None)],
        },
        {
            "id": 2,
            "price": None,
            "at": NEW_YEAR,
            "day": dt.date(2026, 1, 1),
            "time": dt.time(0),
            "inner": None,
            "list": [],
            "tags": None,
        },
    ]


def test_a_whole_record_is_a_row():
    """The envelope has topic, key, headers, time and place of the source."""
    headers = Headers().add("n", 5, INT32_SCHEMA)
    one = record(
        "v", STRING_SCHEMA, key=9, key_schema=INT32_SCHEMA, timestamp=1000, headers=headers
    )

    assert rows([one], RowsMode.RECORDS) == [
        {
            "topic": "shop",
            "partition": None,
            "key": 9,
            "value": "v",
            "headers": [{"key": "n", "value": b"5"}],
            "timestamp": dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC),
            "source_partition": '{"file":"f"}',
            "source_offset": '{"at":3}',
        }
    ]


@pytest.mark.parametrize("mode", RowsMode, ids=str)
def test_rows_are_records_again(mode):
    """Also those of a slice of a batch, which has other offsets inside."""
    columns = row_schema(record(full()), mode)
    (batch,) = RecordRows(columns, mode).batches([record(full(n)) for n in (1, 2, 3)])

    found = RowRecords(columns, mode, "shop").records(batch.slice(1), 4, 100)

    assert [dict(r.value) for r in found] == [dict(full(2)), dict(full(3))]
    assert [(r.topic, r.kafka_partition, r.kafka_offset) for r in found] == [
        ("shop", 4, 100),
        ("shop", 4, 101),
    ]


def test_the_headers_and_the_time_of_a_row_come_back():
    """Headers are read as Kafka Connect's SimpleHeaderConverter reads them."""
    one = record("v", STRING_SCHEMA, timestamp=1234, headers=Headers().add("n", 5, INT8_SCHEMA))
    columns = row_schema(one, RowsMode.RECORDS)
    (batch,) = RecordRows(columns, RowsMode.RECORDS).batches([one])

    (back,) = RowRecords(columns, RowsMode.RECORDS).records(batch, 0, 0)

    assert [(h.key, h.value, h.schema.type.name) for h in back.headers] == [("n", 5, "INT8")]
    assert (back.timestamp, back.timestamp_type) == (1234, TimestampType.CREATE_TIME)
    assert (back.key, back.value) == (None, "v")


def test_schemaless_values_are_json():
    """In one column, whatever they are."""
    assert rows([record({"a": [1, None]}, None), record("t", None), record(None, None)]) == [
        {"value": '{"a":[1,null]}'},
        {"value": '"t"'},
        {"value": None},
    ]


def test_absent_values_become_the_default():
    """As converters of Kafka Connect write them."""
    schema = SchemaBuilder.struct().field("n", SchemaBuilder.int8().optional().default(7)).build()

    assert rows([record(Struct(schema), schema)]) == [{"n": 7}]


WIDER = SchemaBuilder.struct().field("n", INT64_SCHEMA).build()
NARROW = SchemaBuilder.struct().field("n", INT32_SCHEMA).build()
MORE = SchemaBuilder.struct().field("n", INT64_SCHEMA).field("extra", STRING_SCHEMA).build()
TEXT = SchemaBuilder.struct().field("n", STRING_SCHEMA).build()
NONE = SchemaBuilder.struct().field("n", OPTIONAL_INT32_SCHEMA).build()


def test_a_schema_may_change_to_what_the_columns_hold():
    """Records of a narrower schema are a batch of their own."""
    first, second = struct(WIDER, n=1), struct(NARROW, n=2)

    assert rows([record(first, WIDER), record(second, NARROW)]) == [{"n": 1}, {"n": 2}]


DRIFT = {
    "rows.unexpected-field": (struct(MORE, n=1, extra="x"), ("column value: a record has the field "
                              "extra, for which the rows have no column")),
    "rows.schema-changed": (struct(TEXT, n="1"), ("column value.n: a record has string, but the "
                            "column is int64")),
    "rows.null-value": (struct(NONE), ("column value.n: a record has no value, but the "
                        "column is not nullable")),
}  # fmt: skip


@pytest.mark.parametrize(("code", "value", "text"), [(c, *d) for c, d in DRIFT.items()], ids=DRIFT)
def test_a_record_that_does_not_fit_names_the_column(code, value, text):
    """Nothing is left out or bent in silence."""
    columns = row_schema(record(struct(WIDER, n=1), WIDER), RowsMode.VALUES)

    with pytest.raises(DataError) as caught:
        rows([record(value, value.schema)], columns=columns)

    assert (caught.value.code, str(caught.value)) == (code, text)


def test_columns_that_the_user_names_are_taken_and_no_others():
    """A column that a record lacks is null."""
    columns = pa.schema([pa.field("extra", pa.string()), pa.field("later", pa.int8())])

    found = rows([record(struct(MORE, n=1, extra="x"), MORE)], columns=columns, strict=False)

    assert found == [{"extra": "x", "later": None}]


def test_a_tombstone_needs_columns_that_take_nulls():
    """Where the value is optional, it is a row of nulls; otherwise the error names a column."""
    columns = row_schema(record(struct(WIDER, n=1), WIDER), RowsMode.VALUES)

    with pytest.raises(DataError, match="column n: a record has no value"):
        rows([record(None, WIDER)], columns=columns)
    assert rows(
        [record(None, INNER)], columns=row_schema(record(None, INNER), RowsMode.VALUES)
    ) == [{"x": None}]


def test_a_column_that_no_record_has_is_refused_beforehand():
    """With rows=records the columns are known."""
    columns = pa.schema([pa.field("vallue", pa.string())])

    with pytest.raises(
        ConfigError, match="column vallue: with rows=records it is not one of key, va"
    ):
        columns_of(columns, RowsMode.RECORDS)


def test_a_column_named_value_is_the_value_itself():
    """A DataFrame of one column of text feeds a sink that writes text."""
    batch = pa.record_batch({"value": ["a", None]})

    found = RowRecords(batch.schema, RowsMode.VALUES, "t").records(batch, 0, 7)

    assert [(r.value_schema, r.value, r.kafka_offset) for r in found] == [
        (OPTIONAL_STRING_SCHEMA, "a", 7),
        (None, None, 8),
    ]


def test_rows_of_records_need_their_columns():
    """All that is wrong with them is reported at once."""
    columns = pa.schema([pa.field("word", pa.string()), pa.field("partition", pa.string())])

    with pytest.raises(ConfigError) as caught:
        RowRecords(columns, RowsMode.RECORDS, "t")

    assert str(caught.value) == (
        "column value: missing, but with rows=records it becomes the record's value · column word: "
        "with rows=records there are only key, value, topic, partition, headers, timestamp, "
        "source_partition, source_offset, offset · column partition: expected int32, found string"
    )


def test_records_of_a_sink_need_a_topic():
    """From the option or a column."""
    with pytest.raises(ConfigError, match="topics: no topic is set"):
        RowRecords(pa.schema([pa.field("value", pa.string())]), RowsMode.VALUES)


LEAVES = st.sampled_from([
    (INT8_SCHEMA, st.integers(-128, 127)),
    (SchemaBuilder.float64().build(), st.floats(allow_nan=False)),
    (SchemaBuilder.bool().build(), st.booleans()),
    (STRING_SCHEMA, st.text(max_size=5)),
    (SchemaBuilder.bytes().build(), st.binary(max_size=5)),
    (Date.SCHEMA, st.dates()),
    (Timestamp.SCHEMA, st.datetimes(timezones=st.just(dt.UTC))),
])  # fmt: skip


def _nested(inner):
    return inner.flatmap(
        lambda pair: st.sampled_from([
            (SchemaBuilder.array(pair[0]).build(), st.lists(pair[1], max_size=3)),
            (
                SchemaBuilder.map(STRING_SCHEMA, pair[0]).optional().build(),
                st.none() | st.dictionaries(st.text(max_size=2), pair[1], max_size=3),
            ),
            _in_a_struct(*pair),
        ])
    )  # fmt: skip


def _in_a_struct(schema, values):
    made = SchemaBuilder.struct().field("f", schema).build()
    return made, values.map(lambda value: struct(made, f=value))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.recursive(LEAVES, _nested, max_leaves=4), st.data())
def test_every_value_comes_back_from_arrow(pair, data):
    """Of any schema, nested in any way, sliced anywhere."""
    schema, values = pair
    drawn = data.draw(st.lists(values, max_size=6))
    start = data.draw(st.integers(0, len(drawn)))
    target = arrow_type(schema)

    array = to_array(schema, drawn, target, "value").slice(start)

    again = connect_schema(target, "value", optional=schema.optional)
    assert again == schema
    assert to_values(array, again) == drawn[start:]
