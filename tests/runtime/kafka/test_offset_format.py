"""The bytes of stored offsets: what is written, and what of foreign records is understood."""

from __future__ import annotations

import pytest
from tests.runtime.worker.fakes import Message

from plugwright.errors import DataError
from plugwright.kafka.offset_format import offset_of, partition_key, partition_of, plain_json

AT = ("connect-offsets", 7, 12)


@pytest.mark.parametrize(
    ("key", "partition"),
    [
        (b'["orders",{"filename":"a"}]', {"filename": "a"}),
        (b' [ "orders" , { } ] ', {}),
        (b'["other",{"filename":"a"}]', None),
        (b'["orders",null]', None),
    ],
    ids=repr,
)
def test_keys_in_connects_format_are_understood(key, partition, caplog):
    """Those of other connectors, and null partitions, are passed over in silence (Connect)."""
    assert partition_of(Message(AT, b"{}", key), "orders") == partition
    assert caplog.text == ""


@pytest.mark.parametrize(
    "key",
    [
        None,
        b"",
        b"\xff",
        b"{",
        b"5",
        b"null",
        b'"ab"',
        b'{"orders":1,"x":2}',
        b'["orders"]',
        b'["orders",{},1]',
        b'["orders","a"]',
        b"[1,{}]",
    ],
    ids=repr,
)
def test_any_other_key_is_ignored_with_a_warning(key, caplog):
    """Kafka's sentence, and where the record stands."""
    assert partition_of(Message(AT, b"{}", key), "orders") is None
    expected = "offset partition key with an unexpected format at connect-offsets-7@12"
    assert expected in caplog.text


@pytest.mark.parametrize("value", [b"no json", b"[1]", b"\xff", b"5", b"null", b""], ids=repr)
def test_a_value_that_is_no_object_is_ignored_with_a_warning(value, caplog):
    """It says nothing about where to read on."""
    assert offset_of(Message(AT, value, b"k")) is None
    assert "offset value with an unexpected format" in caplog.text


def test_a_tombstone_is_no_offset_without_a_warning(caplog):
    """It is how offsets are forgotten."""
    assert offset_of(Message(AT, None, b"k")) is None
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("connector", "partition", "key"),
    [
        ("orders", {"filename": "a b"}, b'["orders",{"filename":"a b"}]'),
        ('a"b', {}, b'["a\\"b",{}]'),
        ("größe", {"ä": None, "b": True}, '["größe",{"ä":null,"b":true}]'.encode()),
        ("n", {"i": 1, "f": 1.5}, b'["n",{"i":1,"f":1.5}]'),
    ],
    ids=repr,
)
def test_keys_are_written_as_connect_writes_them(connector, partition, key):
    """Without blanks, as UTF-8: compaction compares bytes."""
    assert partition_key(connector, partition) == key


@pytest.mark.parametrize(
    "data",
    [
        {"a": [1]},
        {1: "a"},
        {"a": {}},
        [1],
        "a",
        {"a": b"bytes"},
        pytest.param({"a": object()}, id="object"),
    ],
    ids=repr,
)
def test_only_flat_maps_of_plain_values_are_written(data):
    """Connect's OffsetUtils.validateFormat."""
    with pytest.raises(DataError) as caught:
        plain_json(data, "offset")
    assert caught.value.code == "offsets.not-plain"
