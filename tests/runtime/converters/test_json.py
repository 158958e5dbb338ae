"""JSON: settings, places of errors, caches; what the golden cases do not show."""

from __future__ import annotations

import json
from decimal import Decimal as PythonDecimal
from typing import Any

import pytest

from plugwright.converters import JsonConverter
from plugwright.converters.json_parsing import parse_exactly
from plugwright.converters.misfit import MisfitError
from plugwright.errors import ConfigError, DataError
from plugwright.schema import (
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Decimal,
    SchemaAndValue,
    SchemaBuilder,
    Struct,
)

ADDRESS = (
    SchemaBuilder.struct().field("zip", INT32_SCHEMA).field("street name", STRING_SCHEMA).build()
)
PERSON = (
    SchemaBuilder.struct()
    .field("address", ADDRESS)
    .field("tags", SchemaBuilder.array(STRING_SCHEMA).optional())
    .field("scores", SchemaBuilder.map(STRING_SCHEMA, INT32_SCHEMA).optional())
    .build()
)
SCHEMA = (
    '{"type":"struct","fields":[{"type":"struct","fields":[{"type":"int32","optional":false,'
    '"field":"zip"},{"type":"string","optional":false,"field":"street name"}],"optional":false,'
    '"field":"address"},{"type":"array","items":{"type":"string","optional":false},"optional":true,'
    '"field":"tags"},{"type":"map","keys":{"type":"string","optional":false},"values":{"type":'
    '"int32","optional":false},"optional":true,"field":"scores"}],"optional":false}'
)


def converter(**configs: Any) -> JsonConverter:
    """A configured converter; underscores stand for dots."""
    made = JsonConverter()
    made.configure({name.replace("_", "."): value for name, value in configs.items()})
    return made


def person(payload: str) -> bytes:
    """An envelope with the schema of a person."""
    return f'{{"schema":{SCHEMA},"payload":{payload}}}'.encode()


def test_schemas_are_enabled_unless_the_configuration_says_otherwise() -> None:
    """Kafka's default is the envelope."""
    data = JsonConverter().from_connect_data("t", STRING_SCHEMA, "a")

    assert data == b'{"schema":{"type":"string","optional":false},"payload":"a"}'


def test_a_struct_is_written_as_java_writes_it() -> None:
    """The order of the keys is part of the bytes."""
    address = Struct(ADDRESS).put("zip", 1).put("street name", "é")
    data = JsonConverter().from_connect_data("t", PERSON, Struct(PERSON).put("address", address))

    assert data == person('{"address":{"zip":1,"street name":"é"},"tags":null,"scores":null}')


WHOLE = '{"zip":1,"street name":""}'
READ_ERRORS = {
    "kind": (
        '{"address":{"zip":"1","street name":""}}',
        "payload.address.zip: expected int32, found string",
    ),
    "odd name": (
        '{"address":{"zip":1,"street name":1}}',
        "payload.address['street name']: expected string, found number 1",
    ),
    "missing": (
        '{"address":{"zip":1}}',
        "payload.address['street name']: Invalid null value for required STRING field",
    ),
    "item": (f'{{"address":{WHOLE},"tags":["a",1]}}', "payload.tags[1]: expected string"),
    "entry": (f'{{"address":{WHOLE},"scores":{{"a":true}}}}', "payload.scores.a: expected int32"),
    "object": ('{"address":[]}', "payload.address: expected object, found array"),
}


@pytest.mark.parametrize(("payload", "message"), READ_ERRORS.values(), ids=READ_ERRORS)
@pytest.mark.parametrize("seen", [False, True], ids=["first", "known"])
def test_an_unreadable_value_is_named_with_its_place(
    payload: str, message: str, *, seen: bool
) -> None:
    """The same words whether the schema of the message was seen before or not."""
    json_converter = converter()
    if seen:
        json_converter.to_connect_data("t", person('{"address":{"zip":1,"street name":""}}'))

    with pytest.raises(DataError, match="^" + message.replace("[", r"\[")) as caught:
        json_converter.to_connect_data("t", person(payload))

    assert caught.value.facts["topic"] == "t"


def test_an_unwritable_value_is_named_with_its_place() -> None:
    """A list may have changed since it was put."""
    address = Struct(ADDRESS).put("zip", 1).put("street name", "")
    value = Struct(PERSON).put("address", address).put("tags", ["a"])
    value.get("tags").append(1)

    with pytest.raises(DataError, match=r"^payload.tags\[1\]: expected string, found number 1"):
        converter().from_connect_data("t", PERSON, value)


def test_an_unset_required_field_is_named() -> None:
    """A struct need not have been validated."""
    with pytest.raises(DataError, match=r"^payload.address: null for a required field"):
        converter().from_connect_data("t", PERSON, Struct(PERSON))


def test_half_a_surrogate_pair_is_named_with_its_place() -> None:
    """Such a string can be made in Python, but not written in UTF-8."""
    with pytest.raises(DataError, match=r"^payload.a\[0\]: a string has half a surrogate pair"):
        converter().from_connect_data("t", None, {"a": ["\ud800"]})


HEAD = b'{"schema":null,"payload":'
HOSTILE = {
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "deep and whole": b"[" * 201 + b"]" * 201,
    "brackets in text": b'["' + b"[" * 300 + b'"',
    "long number": b"1" * 100_000,
    "long fraction": b"0." + b"1" * 100_000,
    "huge exponent": b"1e999999999",
    "absurd exponent": b"1e99999999999999999999",
    "beyond int64": b"[1,9223372036854775808]",
    "below int64": b"-9223372036854775809",
    "beyond float64": b"1e309",
    "NaN": b"NaN",
    "Infinity": b"[-Infinity]",
    "twice": b'{"a":1,"b":{"c":1,"c":2}}',
    "twice by escape": b'{"a":1,"\\u0061":2}',
    "half pair": b'["\\ud800"]',
    "half pair as key": b'{"\\udfff":1}',
    "no utf-8": b'"\xff"',
    "rest": b"1 2",
    "control character": b'"\x01"',
    "comment": b"1 // one",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("enveloped", [False, True], ids=["plain", "envelope"])
def test_a_hostile_message_is_a_data_error(data: bytes, *, enveloped: bool) -> None:
    """Never a recursion, memory or overflow error, which would take the task down."""
    json_converter = converter(schemas_enable=enveloped)
    json_converter.to_connect_data("t", b'{"schema":null,"payload":1}')

    with pytest.raises(DataError):
        json_converter.to_connect_data("t", HEAD + data + b"}" if enveloped else data)


@pytest.mark.parametrize("number", ["1e999999999", "-1e400"])
def test_a_number_of_a_billion_digits_is_never_written_out(number: str) -> None:
    """A few bytes must not take gigabytes."""
    json_converter = converter(schema_content='{"type":"int32"}')

    with pytest.raises(DataError, match=r"^payload: expected int32, found number"):
        json_converter.to_connect_data("t", number.encode())


def test_nesting_within_the_limit_is_read() -> None:
    """The limit is 100 levels."""
    value = converter(schemas_enable=False).to_connect_data("t", b"[" * 100 + b"]" * 100).value

    assert str(value) == "[" * 100 + "]" * 100


def test_data_that_holds_itself_is_a_data_error() -> None:
    """A list can be put into itself."""
    value: list[Any] = []
    value.append(value)

    with pytest.raises(DataError, match="deeper than 100 levels"):
        converter().from_connect_data("t", None, value)


PLAIN = {
    "colons in text": (b'{"a":"b\\":c : d","e":"10:30"}', {"a": 'b":c : d', "e": "10:30"}),
    "19 digits": (b"[9223372036854775807,-9223372036854775808]", [2**63 - 1, -(2**63)]),
    "leading zeros": (b'{"a":[0012,-007,0.5,100,1e05,"00"]}', {"a": [12, -7, 0.5, 100, 1e5, "00"]}),
    "long fraction": (b"0.1000000000000000055511151231257827", 0.1),
    "blanks around keys": (b'{ "a" : 1 ,\n"b"\t: {} }', {"a": 1, "b": {}}),
    "byte order mark": (b"\xef\xbb\xbf1", 1),
    "blanks": (b" \n ", None),
    "nothing": (b"", None),
    "digits in text": (b'"1234567890123456789012"', "1234567890123456789012"),
}


@pytest.mark.parametrize(("data", "expected"), PLAIN.values(), ids=PLAIN)
def test_an_unusual_but_harmless_message_is_read(data: bytes, expected: Any) -> None:
    """What the fast reader leaves to the exact one means what it says."""
    read = converter(schemas_enable="false").to_connect_data("t", data)

    assert read == SchemaAndValue(None, expected)


DIGITS = PythonDecimal("1234567890123456789.01")
NUMBERS = {
    "float that is whole": (INT32_SCHEMA, b"1.0", 1),
    "exponent": (INT32_SCHEMA, b"1e3", 1000),
    "exact beyond 53 bits": (INT64_SCHEMA, b"9007199254740993.0", 9007199254740993),
    "whole for float": (FLOAT64_SCHEMA, b"1", 1.0),
    "32 bits": (FLOAT32_SCHEMA, b"0.1", 0.10000000149011612),
    "NaN by name": (FLOAT64_SCHEMA, b'"-Infinity"', float("-inf")),
    "decimal keeps zeros": (Decimal.schema(2), b"1.50", PythonDecimal("1.50")),
    "decimal keeps digits": (Decimal.schema(2), b"1234567890123456789.01", DIGITS),
    "decimal as base64": (Decimal.schema(2), b'"AJY="', PythonDecimal("1.50")),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "payload", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_a_number_is_read_exactly(schema: Any, payload: bytes, expected: Any) -> None:
    """The same the first time and when the schema is known."""
    json_converter = converter()
    envelope = json_converter.from_connect_data("t", schema, expected)
    data = envelope[: envelope.index(b'"payload":') + 10] + payload + b"}"

    values = [json_converter.to_connect_data("t", data).value for _ in range(3)]

    assert list(map(repr, values)) == [repr(expected)] * 3


FLOATS = [
    (1e10, "1.0E10"), (1e-5, "1.0E-5"), (0.001, "0.001"), (9999999.0, "9999999.0"),
    (1e7, "1.0E7"), (123456789.125, "1.23456789125E8"), (5e-324, "4.9E-324"), (-0.0, "-0.0"),
    (1.7976931348623157e308, "1.7976931348623157E308"), (float("nan"), '"NaN"'), (2e23, "2.0E23"),
    (5.960464477539063e-08, "5.960464477539063E-8"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "text"), FLOATS, ids=[text for _, text in FLOATS])
def test_a_double_is_written_as_java_prints_it(number: float, text: str) -> None:
    """Java's Double.toString (JDK 19 and newer)."""
    data = converter(schemas_enable=False).from_connect_data("t", FLOAT64_SCHEMA, number)

    assert data == text.encode()


SINGLES = [
    (0.1, "0.1"), (3.4028234663852886e38, "3.4028235E38"), (1.401298464324817e-45, "1.4E-45"),
    (16777216.0, "1.6777216E7"), (0.30000001192092896, "0.3"), (33554432.0, "3.3554432E7"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "text"), SINGLES, ids=[text for _, text in SINGLES])
def test_a_float_is_written_with_the_fewest_digits(number: float, text: str) -> None:
    """Java's Float.toString (JDK 19 and newer)."""
    data = converter(schemas_enable=False).from_connect_data("t", FLOAT32_SCHEMA, number)

    assert data == text.encode()


def test_text_is_escaped_as_jackson_does() -> None:
    """Upper-case digits, and pairs for characters beyond U+FFFF; all else as it is."""
    data = converter(schemas_enable=False).from_connect_data("t", None, '\x01\x1f\n"\\/\x7fé€😀')

    assert data == '"\\u0001\\u001F\\n\\"\\\\/\x7fé€\\uD83D\\uDE00"'.encode()


CONTENT = '{"type":"struct","fields":[{"field":"id","type":"string"}]}'


def test_schema_content_stands_for_the_schema_of_every_message() -> None:
    """KIP-1054: messages come without envelope."""
    schema, value = converter(schema_content=CONTENT).to_connect_data("t", b'{"id":"a"}')

    assert (str(value), schema.field("id").schema) == ("Struct{id=a}", STRING_SCHEMA)


def test_schema_content_does_not_change_what_is_written() -> None:
    """KIP-1054 is for reading only."""
    data = converter(schema_content=CONTENT).from_connect_data("t", STRING_SCHEMA, "a")

    assert json.loads(data) == {"schema": {"type": "string", "optional": False}, "payload": "a"}


def test_schema_content_counts_only_with_schemas_enabled() -> None:
    """Without schemas a message is plain data."""
    json_converter = converter(schema_content=CONTENT, schemas_enable="false")

    assert json_converter.to_connect_data("t", b'{"id":1}') == SchemaAndValue(None, {"id": 1})


@pytest.mark.parametrize("enabled", ["true", "false"])
@pytest.mark.parametrize("content", ["{", '{"type":"int33"}', "1"])
def test_schema_content_that_is_no_schema_is_a_config_error(content: str, enabled: str) -> None:
    """It fails at the start, not at the first message, and even if it would not be used."""
    with pytest.raises(ConfigError, match=r"^schema.content is not a schema"):
        converter(schema_content=content, schemas_enable=enabled)


@pytest.mark.parametrize("configs", [{"decimal.format": "HEX"}, {"schemas.enable": "maybe"}])
def test_a_wrong_setting_is_a_config_error(configs: dict[str, str]) -> None:
    """The settings are checked as their definition says."""
    with pytest.raises(ConfigError):
        JsonConverter().configure(configs)


def test_the_settings_are_kafkas() -> None:
    """Names and defaults of JsonConverterConfig."""
    assert JsonConverter().config().default_values == {
        "schemas.enable": True,
        "schemas.cache.size": 1000,
        "schema.content": None,
        "decimal.format": "BASE64",
        "replace.null.with.default": True,
    }  # fmt: skip


def test_records_with_one_schema_share_the_schema_object() -> None:
    """So that what follows can recognise it at once."""
    json_converter = converter()
    data = person('{"address":{"zip":1,"street name":""}}')

    first, second = (json_converter.to_connect_data("t", data).schema for _ in range(2))

    assert first is second


@pytest.mark.parametrize("size", [0, 1, 3])
def test_a_small_cache_changes_nothing_but_speed(size: int) -> None:
    """More schemas than the cache holds are read and written all the same."""
    json_converter = converter(schemas_cache_size=size)
    pairs = [(SchemaBuilder.string().name(str(i % 5)).build(), str(i)) for i in range(20)]
    written = [json_converter.from_connect_data("t", *pair) for pair in pairs]

    assert [tuple(json_converter.to_connect_data("t", data)) for data in written] == pairs


def test_a_decimal_has_no_negative_zero() -> None:
    """BigDecimal knows none."""
    json_converter = converter(schemas_enable=False, decimal_format="numeric")

    data = json_converter.from_connect_data("t", Decimal.schema(2), PythonDecimal("-0.00"))

    assert data == b"0.00"


def test_blanks_may_follow_a_message() -> None:
    """Also when its schema is known."""
    json_converter = converter()
    data = json_converter.from_connect_data("t", STRING_SCHEMA, "a")

    values = [json_converter.to_connect_data("t", data + b" \n").value for _ in range(2)]

    assert values == ["a", "a"]


def test_the_schema_may_come_after_the_payload() -> None:
    """The keys of an object have no order."""
    data = b'{"payload":"a","schema":{"type":"string","optional":true}}'

    assert converter().to_connect_data("t", data) == SchemaAndValue(OPTIONAL_STRING_SCHEMA, "a")


NO_ENVELOPES = [
    b"",
    b"1",
    b"null",
    b"{}",
    b'{"schema":null}',
    b'{"payload":1}',
    b'{"schema":null,"payload":1,"x":2}',
]


@pytest.mark.parametrize("data", NO_ENVELOPES, ids=map(repr, NO_ENVELOPES))
@pytest.mark.parametrize("seen", [False, True], ids=["first", "known"])
def test_a_message_without_envelope_is_a_data_error(data: bytes, *, seen: bool) -> None:
    """With schemas.enable a message has exactly a schema and a payload."""
    json_converter = converter()
    if seen:
        json_converter.to_connect_data("t", b'{"schema":null,"payload":1}')

    with pytest.raises(DataError):
        json_converter.to_connect_data("t", data)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('\ufeff{"a": 1', id="a mark before it"),
        pytest.param('{"a": 1', id="cut off"),
        pytest.param('{"a": 1} 2', id="more after it"),
        pytest.param("", id="empty"),
    ],
)
def test_what_is_no_json_is_explained_as_python_explains_it(text):
    """The decoder of the exact parser is kept; its words are those of ``json.loads``."""
    with pytest.raises(ValueError) as expected:  # noqa: PT011  # the words are compared
        json.loads(text)

    with pytest.raises(MisfitError) as found:
        parse_exactly(text.encode())

    assert str(found.value) == f"the text is not JSON: {expected.value}"


def test_a_megabyte_of_escaped_quotes_without_an_end_is_a_data_error() -> None:
    """Every quote could begin a text that has no end; it is looked for once."""
    data = b"[01, " + b'"' + b'\\"' * 500_000

    with pytest.raises(DataError):
        converter(schemas_enable="false").to_connect_data("t", data)
