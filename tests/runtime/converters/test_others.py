"""Strings, bytes, numbers and simple headers: what the golden cases do not show."""

from __future__ import annotations

from typing import Any

import pytest

from plugwright import converters
from plugwright.converters import (
    BooleanConverter,
    ByteArrayConverter,
    Converter,
    HeaderConverter,
    IntegerConverter,
    JsonConverter,
    SimpleHeaderConverter,
    StringConverter,
)
from plugwright.errors import ConfigError, DataError
from plugwright.schema import (
    BYTES_SCHEMA,
    FLOAT32_SCHEMA,
    INT8_SCHEMA,
    STRING_SCHEMA,
    SchemaAndValue,
    SchemaBuilder,
    Struct,
)

# Java's SimpleHeaderConverter takes no settings at all: see the golden files.
NAMES = sorted(set(converters.__all__) - {"Converter", "HeaderConverter", "SimpleHeaderConverter"})


@pytest.mark.parametrize("name", NAMES)
def test_every_converter_defines_its_settings(name: str) -> None:
    """What a connector's configuration is checked against."""
    assert "converter.type" in getattr(converters, name)().config().names


def test_a_converter_has_no_settings_unless_it_says_so() -> None:
    """The defaults of the two contracts."""
    empty = [base.config(object()) for base in (Converter, HeaderConverter)]

    assert [definition.names for definition in empty] == [(), ()]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_key", [True, False])
def test_the_caller_says_what_a_converter_is_for(name: str, is_key: bool) -> None:  # a case
    """``converter.type`` counts for nothing in the settings: Kafka sets it, whatever it was."""
    converter = getattr(converters, name)()
    configs = {"converter.type": "footer", "schema.registry.url": "mock://a"}

    converter.configure(configs, is_key=is_key)

    assert any(each.error_messages for each in converter.config().validate(configs))


TEXTS: dict[str, tuple[Any, str]] = {
    "bool": (True, "true"),
    "float": (1e10, "1.0E10"),
    "list": ([1, None, "a"], "[1, null, a]"),
    "map": ({"a": False}, "{a=false}"),
    "huge": (10**5000, "1" + "0" * 5000),
}


@pytest.mark.parametrize(("value", "text"), TEXTS.values(), ids=TEXTS)
def test_a_value_is_written_as_java_prints_it(value: Any, text: str) -> None:
    """The text of Java's toString."""
    assert StringConverter().from_connect_data("t", None, value) == text.encode()


def test_a_struct_is_written_with_the_width_of_its_fields() -> None:
    """A 32-bit float has fewer digits."""
    schema = SchemaBuilder.struct().field("f", FLOAT32_SCHEMA).field("g", STRING_SCHEMA).build()

    data = StringConverter().from_connect_data("t", schema, Struct(schema).put("f", 0.1))

    assert data == b"Struct{f=0.1}"


@pytest.mark.parametrize("encoding", ["klingon", "base64", "a\x00b"])
def test_an_unknown_encoding_is_a_config_error(encoding: str) -> None:
    """Also one that Python knows but that is no text encoding."""
    with pytest.raises(ConfigError, match=r"^converter\.encoding"):
        StringConverter().configure({"converter.encoding": encoding})


def test_the_encoding_counts_both_ways() -> None:
    """ISO-8859-1 has one byte a character."""
    converter = StringConverter()
    converter.configure({"converter.encoding": "ISO-8859-1"})

    data = converter.from_connect_data("t", STRING_SCHEMA, "é")

    assert (data, converter.to_connect_data("t", data).value) == (b"\xe9", "é")


@pytest.mark.parametrize(
    ("data", "text"),
    [(b"\xfe\xff\x00a", "a"), (b"\xff\xfea\x00", "a"), (b"\x00a", "a")],
    ids=["big", "little", "unmarked"],
)
def test_utf_16_is_big_endian_unless_its_mark_says_otherwise(data: bytes, text: str) -> None:
    """As in Java."""
    converter = StringConverter()
    converter.configure({"converter.encoding": "UTF-16"})

    assert converter.to_connect_data("t", data).value == text


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, True, 1.0, "1"], ids=repr)
def test_a_number_that_does_not_fit_is_a_data_error(value: Any) -> None:
    """Nothing is cut off or converted."""
    with pytest.raises(DataError, match=r"^payload: expected int32"):
        IntegerConverter().from_connect_data("t", None, value)


@pytest.mark.parametrize("data", [b"", b"\x00\x00\x00", b"\x00" * 5], ids=len)
def test_bytes_of_another_width_are_a_data_error(data: bytes) -> None:
    """The message tells both sizes."""
    with pytest.raises(DataError, match=f"expected 4 bytes for int32, found {len(data)}"):
        IntegerConverter().to_connect_data("t", data)


def test_a_byte_that_is_no_truth_value_is_a_data_error() -> None:
    """Only 0 and 1 are."""
    with pytest.raises(DataError, match="expected 0 or 1"):
        BooleanConverter().to_connect_data("t", b"\x02")


def test_a_view_is_written_as_its_bytes() -> None:
    """Any buffer is bytes in the data model."""
    assert ByteArrayConverter().from_connect_data("t", None, memoryview(b"ab")) == b"ab"


@pytest.mark.parametrize("converter", [StringConverter(), ByteArrayConverter(), JsonConverter()])
def test_a_header_is_converted_as_a_value(converter: Any) -> None:
    """Whatever its name."""
    value = b"a" if isinstance(converter, ByteArrayConverter) else "a"

    header = converter.from_connect_header("t", "h", None, value)

    assert header == converter.from_connect_data("t", None, value)


def test_a_header_keeps_its_narrow_type() -> None:
    """Kafka's default header converter reads what the text looks like."""
    assert SimpleHeaderConverter().to_connect_header("t", "h", b"12") == (INT8_SCHEMA, 12)


def test_a_header_that_is_no_text_stays_bytes() -> None:
    """Java puts replacement characters in its place."""
    read = SimpleHeaderConverter().to_connect_header("t", "h", b"\xff")

    assert read == SchemaAndValue(BYTES_SCHEMA, b"\xff")


def test_a_header_that_has_no_text_form_is_named() -> None:
    """The error tells which header it was."""
    with pytest.raises(DataError, match="header h: "):
        SimpleHeaderConverter().from_connect_header("t", "h", None, object())


def test_no_header_is_no_value() -> None:
    """Null both ways."""
    converter = SimpleHeaderConverter()

    assert converter.from_connect_header("t", "h", None, None) is None
    assert converter.to_connect_header("t", "h", None) == SchemaAndValue(None, None)


def test_a_null_is_no_encoding() -> None:
    """Java's StringSerializer keeps UTF-8 then."""
    converter = converters.StringConverter()
    converter.configure({"converter.encoding": None}, is_key=False)

    assert converter.from_connect_data("t", None, "é") == b"\xc3\xa9"


def test_a_null_is_no_size_of_a_cache() -> None:
    """Java fails at it, too; here it is an error about the setting."""
    with pytest.raises(ConfigError, match=r"value null for configuration schemas\.cache\.size"):
        converters.JsonConverter().configure({"schemas.cache.size": None}, is_key=False)
