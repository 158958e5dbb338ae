"""Connect data as tagged JSON: what NOTATION.md says, for Python."""

from __future__ import annotations

from tests.oracle.comparing import comparable, has_width, is_representable
from tests.oracle.data import (
    NotRepresentableError,
    read_bytes,
    read_data,
    read_schema,
    read_value,
    write_bytes,
    write_data,
    write_schema,
    write_value,
)
from tests.oracle.records import read_record, write_record

__all__ = [
    "NotRepresentableError",
    "comparable",
    "has_width",
    "is_representable",
    "read_bytes",
    "read_data",
    "read_record",
    "read_schema",
    "read_value",
    "write_bytes",
    "write_data",
    "write_record",
    "write_schema",
    "write_value",
]
