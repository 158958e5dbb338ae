"""Values of every type that a column takes, and those at its edges."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal as Exact

from hypothesis import strategies as st

from plugwright import Date, Decimal, SchemaBuilder, Time, Timestamp

__all__ = ["EDGES", "VALUES"]

_MOMENTS = st.datetimes(timezones=st.just(dt.UTC)).map(
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = {
    "boolean": (SchemaBuilder.bool, st.booleans()),
    "int8": (SchemaBuilder.int8, st.integers(-(2**7), 2**7 - 1)),
    "int16": (SchemaBuilder.int16, st.integers(-(2**15), 2**15 - 1)),
    "int32": (SchemaBuilder.int32, st.integers(-(2**31), 2**31 - 1)),
    "int64": (SchemaBuilder.int64, st.integers(-(2**63), 2**63 - 1)),
    "float32": (SchemaBuilder.float32, st.floats(width=32, allow_nan=False)),
    "float64": (SchemaBuilder.float64, st.floats(allow_nan=False)),
    "string": (SchemaBuilder.string, _TEXTS),
    "bytes": (SchemaBuilder.bytes, st.binary(max_size=40)),
    "decimal": (
        lambda: Decimal.builder(3),
        st.integers(-(10**40), 10**40).map(lambda whole: Exact(whole).scaleb(-3)),
    ),
    "date": (Date.builder, st.dates()),
    "time": (
        Time.builder,
        st.times().map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000)),
    ),
    "timestamp": (Timestamp.builder, _MOMENTS),
}
EDGES = {
    "int64": [-(2**63), 2**63 - 1, 2**53 + 1, 0],
    "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    "time": [dt.time(0), dt.time(23, 59, 59, 999000)],
    "timestamp": [
        dt.datetime(1, 1, 1, tzinfo=dt.UTC),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999000, dt.UTC),
    ],
    "string": ["", "\x00", "'; --", "\U0001f9ea"],
    "bytes": [b"", b"\x00", bytes(range(256))],
}
