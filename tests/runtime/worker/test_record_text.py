"""Source records in the log, against what Kafka's own classes of 4.3.1 print."""

from __future__ import annotations

from plugwright.headers import Headers
from plugwright.record import SourceRecord
from plugwright.schema import (
    INT32_SCHEMA,
    OPTIONAL_BOOLEAN_SCHEMA,
    STRING_SCHEMA,
    SchemaBuilder,
    Struct,
)
from plugwright.worker.record_text import java_form, record_text


def test_a_record_is_shown_as_java_shows_it():
    """Maps, floats, null and true, a struct and headers."""
    schema = (
        SchemaBuilder.struct()
        .name("shop.Order")
        .field("id", INT32_SCHEMA)
        .field("paid", OPTIONAL_BOOLEAN_SCHEMA)
        .build()
    )
    value = Struct(schema).put("id", 4).put("paid", True)
    record = SourceRecord(
        {"file": "a.txt", "hot": True, "none": None},
        {"position": 7, "part": 1e10},
        "orders",
        value,
        value_schema=schema,
        timestamp=12,
        headers=Headers().add_string("h", "v").add_boolean("b", True),
    )

    assert record_text(record) == (
        "SourceRecord{sourcePartition={file=a.txt, hot=true, none=null}, "
        "sourceOffset={position=7, part=1.0E10}} ConnectRecord{topic='orders', "
        "kafkaPartition=null, key=null, keySchema=null, value=Struct{id=4,paid=true}, "
        "valueSchema=Schema{shop.Order:STRUCT}, timestamp=12, headers=ConnectHeaders(headers="
        "[ConnectHeader(key=h, value=v, schema=Schema{STRING}), "
        "ConnectHeader(key=b, value=true, schema=Schema{BOOLEAN})])}"
    )


def test_a_record_without_origin_and_headers_has_nulls():
    """A list without schema."""
    record = SourceRecord(
        None, None, "orders", [1, "x", False], key="k", key_schema=STRING_SCHEMA, kafka_partition=2
    )

    assert record_text(record) == (
        "SourceRecord{sourcePartition=null, sourceOffset=null} ConnectRecord{topic='orders', "
        "kafkaPartition=2, key=k, keySchema=Schema{STRING}, value=[1, x, false], "
        "valueSchema=null, timestamp=null, headers=ConnectHeaders(headers=)}"
    )


def test_what_is_no_data_is_shown_as_python_does():
    """The log of a failing record must not fail itself."""
    assert java_form({1, 2}) == "{1, 2}"
