"""Records that are taken by column go where those that are looked at one by one go."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import shutil
from decimal import Decimal as Number

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plugwright import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    DataError,
    Date,
    Decimal,
    SchemaBuilder,
    SinkColumns,
    SinkRecord,
    Struct,
)
from plugwright_lake.partition_files import PartitionFiles

INNER = SchemaBuilder.struct().field("x", INT64_SCHEMA).build()
OTHER = SchemaBuilder.struct().field("y", INT64_SCHEMA).build()
BETTER = SchemaBuilder.string().default("unset").build()
FIELDS = {
    "truth": (BOOLEAN_SCHEMA, [True, False], [None, 1]),
    "maybe": (OPTIONAL_INT64_SCHEMA, [None, 5], [True]),
    "small": (INT8_SCHEMA, [-128, 127], [128, True]),
    "large": (INT64_SCHEMA, [-(2**63), 2**63 - 1], [2**63, True, None]),
    "short": (FLOAT32_SCHEMA, [0.5, 0.1], [1e39, 3]),
    "number": (FLOAT64_SCHEMA, [0.5, float("inf")], [7]),
    "text": (STRING_SCHEMA, ["", "a", "\u00e9"], ["\ud800", b"a"]),
    "data": (BYTES_SCHEMA, [b"", b"b", bytearray(b"c")], ["d"]),
    "exact": (Decimal.schema(1), [Number("0.1")], [Number("0.25")]),
    "day": (Date.SCHEMA, [dt.date(1, 1, 1)], [7]),
    "inner": (INNER, [Struct(INNER).put("x", 1)], [Struct(OTHER).put("y", 1)]),
    "better": (BETTER, [None, "set"], [7]),
}
"""The schema of a field, values, and others of which most formats have no place for any."""

NAMES = st.lists(st.sampled_from(list(FIELDS)), min_size=1, max_size=3, unique=True)


def schema_of(*names):
    """A struct of some fields."""
    builder = SchemaBuilder.struct()
    for name in names:
        builder.field(name, FIELDS[name][0])
    return builder.build()


@st.composite
def batches(draw):
    """Batches of a few schemas, two of them equal; some have what needs a look of its own."""
    names = draw(NAMES)
    schemas = [schema_of(*names), schema_of(*names), schema_of(*draw(NAMES))]
    offset, found = 0, []
    for _ in range(draw(st.integers(1, 4))):
        schema, good, batch = draw(st.sampled_from(schemas)), draw(st.booleans()), []
        for _ in range(draw(st.integers(0, 5))):
            batch.append((offset, schema, draw(good_value(schema) if good else value(schemas))))
            offset += draw(st.sampled_from([1, 1, 1, 2] if good else [1, 1, 0, -2]))
            offset = max(0, offset)
        found.append(batch)
    return found


def good_value(schema):
    """A struct, unchecked as a converter makes it."""
    each = [st.sampled_from(FIELDS[field.name][1]) for field in schema.fields]
    return st.tuples(*each).map(lambda values: Struct.from_trusted(schema, values))


@st.composite
def value(draw, schemas):
    """A tombstone, no struct, a struct of any of the schemas, or one with a bad value in it."""
    schema = draw(st.sampled_from(schemas))
    struct = draw(good_value(schema))
    if draw(st.booleans()):
        field = draw(st.sampled_from(schema.fields))
        values = [struct.get_without_default(each) for each in schema.fields]
        values[field.index] = draw(st.sampled_from(FIELDS[field.name][2]))
        struct = Struct.from_trusted(schema, values)
    return draw(st.sampled_from([struct, struct, struct, None, "no struct"]))


def records(batch):
    """A batch as it is put."""
    return [
        SinkRecord("t", 0, None, None, None if value is None else schema, value, offset)
        for offset, schema, value in batch
    ]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
@pytest.mark.parametrize("on_commit", ["false", "true"])
def test_columns_and_records_end_up_in_the_same_files(sink, form, on_commit):
    """Byte for byte; the same records are reported, the same offsets promised."""

    @settings(
        max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(batches())
    def check(put):
        found = []
        for one_by_one in (False, True):
            with pytest.MonkeyPatch.context() as patch:
                if one_by_one:
                    patch.setattr(PartitionFiles, "add_all", lambda *_: False)
                lake = sink(format_class=form, rotate_on_commit=on_commit)
                for batch in put:
                    lake.task.put_batch(SinkColumns.of(records(batch)))
                promised = lake.promised(99)
            found.append((lake.files(), lake.reporter.reported, promised))
            shutil.rmtree(lake.root)
        assert found[0] == found[1]

    check()


def test_plain_columns_are_never_looked_at_one_by_one(sink, monkeypatch):
    """Across the end of a file, too."""
    monkeypatch.delattr(PartitionFiles, "add")
    schema = schema_of("truth", "small", "text", "data", "better")
    rows = [(n % 2 == 0, n, f"{n}", b"x", None) for n in range(7)]
    batch = [(n, schema, Struct.from_trusted(schema, row)) for n, row in enumerate(rows)]
    lake = sink(format_class="parquet")
    lake.task.put_batch(SinkColumns.of(records(batch)))
    assert lake.promised(7) == 6
    assert len(lake.files()) == 2


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_without_a_reporter_the_first_bad_record_fails_the_task(sink, form):
    """Those before it are taken."""
    schema = schema_of("day", "text")
    good = Struct.from_trusted(schema, (dt.date(2026, 1, 1), "a"))
    bad = Struct.from_trusted(schema, (dt.date(2026, 1, 1), "\ud800"))
    lake = sink(format_class=form)
    lake.task.context.errant_record_reporter = lambda: None
    with pytest.raises(DataError, match=r"Unicode|UTF-8|str is not valid"):
        lake.task.put_batch(SinkColumns.of(records([(0, schema, good), (1, schema, bad)])))
    assert lake.promised(2) == 0


def test_another_schema_begins_another_file(sink):
    """Though its columns would fit into the first one."""
    lake = sink(format_class="parquet")
    batch = [
        (n, schema, Struct.from_trusted(schema, ("a",)))
        for n, schema in enumerate([schema_of("text"), schema_of("better")])
    ]
    lake.task.put_batch(SinkColumns.of(records(batch[:1])))
    lake.task.put_batch(SinkColumns.of(records(batch[1:])))
    assert list(lake.files()) == ["topics/t/partition=0/t+0+0000000000.snappy.parquet"]
    assert lake.promised(2) == 1


@pytest.mark.parametrize("form", ["jsonl", "avro", "parquet"])
def test_a_null_among_single_values_is_no_row(sink, form):
    """Though their schema has a place for it."""
    lake = sink(format_class=form)
    batch = [
        SinkRecord("t", 0, None, None, OPTIONAL_STRING_SCHEMA, text, at)
        for at, text in enumerate(["a", None, "b"])
    ]
    lake.task.put_batch(SinkColumns.of(batch))
    assert [offset for offset, _ in lake.reporter.reported] == [1]


@pytest.mark.parametrize("value", FIELDS["short"][2])
def test_a_float_that_32_bits_do_not_hold_is_reported(sink, value):
    """Arrow would write infinity for a large one, and a float for an integer."""
    schema = schema_of("short")
    lake = sink(format_class="parquet")
    batch = [(0, schema, Struct.from_trusted(schema, (value,)))]
    lake.task.put_batch(SinkColumns.of(records(batch)))
    assert [offset for offset, _ in lake.reporter.reported] == [0]


def test_rows_that_a_file_has_are_not_written_again(sink):
    """After a restart, batches are cut elsewhere."""
    schema = schema_of("text")
    batch = [(n, schema, Struct.from_trusted(schema, (f"{n}",))) for n in range(5)]
    for end in (3, 5):
        lake = sink(format_class="parquet", rotate_on_commit="true", flush_size="9")
        lake.task.put_batch(SinkColumns.of(records(batch[:end])))
        assert lake.promised(end) == end
    rows = [pq.read_table(io.BytesIO(data))["text"].to_pylist() for data in lake.files().values()]
    assert rows == [["0", "1", "2"], ["3", "4"]]


@pytest.mark.slow
def test_a_large_file_is_the_same_however_batches_are_cut(sink):
    """Parquet ends pages and dictionaries by size, and may not do so by array."""
    schema = schema_of("text", "large")
    texts = [hashlib.sha256(b"%d" % n).hexdigest() * 2 for n in range(30_000)]
    rows = [
        (n, schema, Struct.from_trusted(schema, (text, n % 1000))) for n, text in enumerate(texts)
    ]
    found = []
    for size in (500, 701, 30_000):
        lake = sink(format_class="parquet", flush_size="30000")
        for begin in range(0, len(rows), size):
            lake.task.put_batch(SinkColumns.of(records(rows[begin : begin + size])))
        found.append(lake.files())
        shutil.rmtree(lake.root)
    assert len(found[0]) == 1
    assert found[0] == found[1] == found[2]
