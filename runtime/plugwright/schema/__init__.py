"""Schemas and their values: Connect's data model in Python.

Which Python values each schema accepts (``None`` only if the schema is optional):

====================  ==============================  =========================================
Connect type          Python type                     limits
====================  ==============================  =========================================
INT8                  int                             -2**7 to 2**7 - 1; a bool is not an int
INT16                 int                             -2**15 to 2**15 - 1
INT32                 int                             -2**31 to 2**31 - 1
INT64                 int                             -2**63 to 2**63 - 1
FLOAT32               float                           no finite one that rounds to infinity in
                                                      32 bits; infinities and NaN are values;
                                                      converters round to 32 bits
FLOAT64               float                           an int is not a float
BOOLEAN               bool
STRING                str
BYTES                 bytes, bytearray, memoryview
ARRAY                 list                            a tuple is not a list
MAP                   dict                            keys must be hashable; structs are
STRUCT                plugwright.schema.Struct        with an equal schema
Decimal (BYTES)       decimal.Decimal                 finite; encoded at the schema's scale only
Date (INT32)          datetime.date                   no datetime; years 1 to 9999
Time (INT32)          datetime.time                   no zone, or UTC; milliseconds, the rest is
                                                      cut off when encoded
Timestamp (INT64)     datetime.datetime               with a time zone; years 1 to 9999;
                                                      milliseconds, the rest is cut off towards
                                                      the past when encoded
====================  ==============================  =========================================

Subclasses are accepted like their bases. A schema has a logical type if its name is that type's
``LOGICAL_NAME``; then it accepts only the logical Python type, as in Kafka Connect.
"""

from __future__ import annotations

from plugwright.schema._accepted import accepts
from plugwright.schema._builder import SchemaBuilder
from plugwright.schema._constants import (
    BOOLEAN_SCHEMA,
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT16_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_BOOLEAN_SCHEMA,
    OPTIONAL_BYTES_SCHEMA,
    OPTIONAL_FLOAT32_SCHEMA,
    OPTIONAL_FLOAT64_SCHEMA,
    OPTIONAL_INT8_SCHEMA,
    OPTIONAL_INT16_SCHEMA,
    OPTIONAL_INT32_SCHEMA,
    OPTIONAL_INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
)
from plugwright.schema._decimal import Decimal
from plugwright.schema._projector import SchemaProjector
from plugwright.schema._schema import Field, Schema, SchemaAndValue
from plugwright.schema._struct import Struct
from plugwright.schema._struct_column import StructColumn
from plugwright.schema._temporal import Date, Time, Timestamp
from plugwright.schema._text import shown
from plugwright.schema._type import Type
from plugwright.schema._validation import validate_value
from plugwright.schema._values import Values

__all__ = [
    "BOOLEAN_SCHEMA",
    "BYTES_SCHEMA",
    "FLOAT32_SCHEMA",
    "FLOAT64_SCHEMA",
    "INT8_SCHEMA",
    "INT16_SCHEMA",
    "INT32_SCHEMA",
    "INT64_SCHEMA",
    "OPTIONAL_BOOLEAN_SCHEMA",
    "OPTIONAL_BYTES_SCHEMA",
    "OPTIONAL_FLOAT32_SCHEMA",
    "OPTIONAL_FLOAT64_SCHEMA",
    "OPTIONAL_INT8_SCHEMA",
    "OPTIONAL_INT16_SCHEMA",
    "OPTIONAL_INT32_SCHEMA",
    "OPTIONAL_INT64_SCHEMA",
    "OPTIONAL_STRING_SCHEMA",
    "STRING_SCHEMA",
    "Date",
    "Decimal",
    "Field",
    "Schema",
    "SchemaAndValue",
    "SchemaBuilder",
    "SchemaProjector",
    "Struct",
    "StructColumn",
    "Time",
    "Timestamp",
    "Type",
    "Values",
    "accepts",
    "shown",
    "validate_value",
]
