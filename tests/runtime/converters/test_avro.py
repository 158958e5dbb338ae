"""Avro: the wire format, the registry, the mapping of schemas."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal as PythonDecimal
from typing import Any

import pytest
from confluent_kafka.schema_registry import (
    Schema as RegisteredSchema,
)
from confluent_kafka.schema_registry import (
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)

from plugwright.converters import AvroConverter
from plugwright.converters.avro_registry import SchemaRegistry
from plugwright.errors import ConfigError, ConnectError, DataError, RetriableError
from plugwright.schema import (
    FLOAT32_SCHEMA,
    FLOAT64_SCHEMA,
    INT8_SCHEMA,
    INT32_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_INT32_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    Date,
    Decimal,
    Schema,
    SchemaBuilder,
    Struct,
    Time,
    Timestamp,
    Type,
)

USER = SchemaBuilder.struct().name("com.example.User").field("id", INT32_SCHEMA).build()


@pytest.fixture(scope="module")
def shared_client() -> Any:
    """A registry in memory; making one takes longer than a test."""
    return SchemaRegistryClient.new_client({"url": "mock://test"})


@pytest.fixture
def client(shared_client: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An empty registry."""
    monkeypatch.setattr(shared_client, "_store", type(shared_client._store)())
    return shared_client


def converter(client: Any, *, is_key: bool = False, **configs: Any) -> AvroConverter:
    """A configured converter; underscores stand for dots."""
    made = AvroConverter(SchemaRegistry(client))
    settings = {name.replace("_", "."): value for name, value in configs.items()}
    made.configure({"schema.registry.url": "mock://test", **settings}, is_key=is_key)
    return made


def registered(client: Any, schema: Schema, **configs: Any) -> Any:
    """The Avro schema that is registered for a Connect schema."""
    converter(client, **configs)._compile_writer("t", schema)
    return json.loads(client.get_latest_version("t-value").schema.schema_str)


def read(client: Any, avro: Any, datum: bytes, **configs: Any) -> Any:
    """What comes of bytes that another producer wrote with an Avro schema."""
    id_ = client.register_schema("t-value", RegisteredSchema(json.dumps(avro), "AVRO"))
    data = b"\x00" + id_.to_bytes(4, "big") + datum
    return converter(client, **configs).to_connect_data("t", data)


def test_bytes_start_with_the_magic_byte_and_the_id(client: Any) -> None:
    """The registry's wire format: 0, the id in four bytes, then plain Avro."""
    client.register_schema("other", RegisteredSchema('"string"', "AVRO"))

    data = converter(client).from_connect_data("t", USER, Struct(USER).put("id", -1))

    assert data == b"\x00\x00\x00\x00\x02\x01"


def test_a_record_is_registered_as_confluents_converter_registers_it(client: Any) -> None:
    """The order of the properties is part of the text that the registry compares."""
    converter(client).from_connect_data("t", USER, Struct(USER).put("id", 1))

    assert client.get_latest_version("t-value").schema.schema_str == (
        '{"type":"record","name":"User","namespace":"com.example",'
        '"fields":[{"name":"id","type":"int"}],"connect.name":"com.example.User"}'
    )


DECIMAL = (
    '{"type":"bytes","scale":2,"precision":64,"connect.version":1,'
    '"connect.parameters":{"scale":"2"},'
    '"connect.name":"org.apache.kafka.connect.data.Decimal","logicalType":"decimal"}'
)
NAMED = '"connect.version":1,"connect.name":"org.apache.kafka.connect.data.'
SCHEMAS = {
    "int8": (INT8_SCHEMA, '{"type":"int","connect.type":"int8"}'),
    "int64": (INT64_SCHEMA, '"long"'),
    "float32": (FLOAT32_SCHEMA, '"float"'),
    "float64": (FLOAT64_SCHEMA, '"double"'),
    "optional": (OPTIONAL_STRING_SCHEMA, '["null","string"]'),
    "decimal": (Decimal.schema(2), DECIMAL),
    "date": (Date.SCHEMA, f'{{"type":"int",{NAMED}Date","logicalType":"date"}}'),
    "time": (Time.SCHEMA, f'{{"type":"int",{NAMED}Time","logicalType":"time-millis"}}'),
    "timestamp": (
        Timestamp.SCHEMA,
        f'{{"type":"long",{NAMED}Timestamp","logicalType":"timestamp-millis"}}',
    ),
    "array": (SchemaBuilder.array(INT32_SCHEMA).build(), '{"type":"array","items":"int"}'),
    "map": (
        SchemaBuilder.map(STRING_SCHEMA, INT32_SCHEMA).build(),
        '{"type":"map","values":"int"}',
    ),
    "map of other keys": (
        SchemaBuilder.map(INT32_SCHEMA, OPTIONAL_STRING_SCHEMA).build(),
        (
            '{"type":"array","items":{"type":"record","name":"MapEntry",'
            '"namespace":"io.confluent.connect.avro","fields":[{"name":"key","type":"int"},'
            '{"name":"value","type":["null","string"],"default":null}]}}'
        ),
    ),
    "default": (
        SchemaBuilder.struct().name("D").field("a", SchemaBuilder.int32().default(5)).build(),
        (
            '{"type":"record","name":"D","fields":[{"name":"a","type":'
            '{"type":"int","connect.default":5},"default":5}],"connect.name":"D"}'
        ),
    ),
    "optional default": (
        SchemaBuilder.struct().field("a", SchemaBuilder.int32().optional().default(5)).build(),
        (
            '{"type":"record","name":"ConnectDefault","namespace":"io.confluent.connect.avro",'
            '"fields":[{"name":"a","type":[{"type":"int","connect.default":5},"null"],"default":5}]}'
        ),
    ),
    "unnamed in unnamed": (
        SchemaBuilder.struct()
        .field("a", SchemaBuilder.struct().field("x", INT32_SCHEMA))
        .field("b", SchemaBuilder.array(SchemaBuilder.struct().field("y", INT32_SCHEMA)))
        .field("c", SchemaBuilder.struct().field("x", INT32_SCHEMA).optional())
        .build(),
        (
            '{"type":"record","name":"ConnectDefault","namespace":"io.confluent.connect.avro",'
            '"fields":[{"name":"a","type":{"type":"record","name":"ConnectDefault2","fields":'
            '[{"name":"x","type":"int"}]}},{"name":"b","type":{"type":"array","items":'
            '{"type":"record","name":"ConnectDefault3","fields":[{"name":"y","type":"int"}]}}},'
            '{"name":"c","type":["null","ConnectDefault2"],"default":null}]}'
        ),
    ),
    "default bytes": (
        SchemaBuilder.bytes().default(b"\xff\x00").build(),
        '{"type":"bytes","connect.default":"\xff\\u0000"}',
    ),
    "described": (
        SchemaBuilder.string().doc("d").version(2).parameter("p", "q").name("n").build(),
        (
            '{"type":"string","connect.doc":"d","connect.version":2,'
            '"connect.parameters":{"p":"q"},"connect.name":"n"}'
        ),
    ),
    "named twice": (
        SchemaBuilder.struct().name("x.Pair").field("l", USER).field("r", USER).build(),
        (
            '{"type":"record","name":"Pair","namespace":"x","fields":[{"name":"l","type":'
            '{"type":"record","name":"User","namespace":"com.example","fields":'
            '[{"name":"id","type":"int"}],"connect.name":"com.example.User"}},'
            '{"name":"r","type":"com.example.User"}],"connect.name":"x.Pair"}'
        ),
    ),
}


@pytest.mark.parametrize(("schema", "text"), SCHEMAS.values(), ids=SCHEMAS)
def test_a_schema_is_registered_as_text_that_java_writes(
    client: Any, schema: Schema, text: str
) -> None:
    """Property by property, in the order of Confluent's converter."""
    converter(client)._compile_writer("t", schema)

    assert client.get_latest_version("t-value").schema.schema_str == text


def test_without_metadata_only_avros_own_properties_are_registered(client: Any) -> None:
    """connect.meta.data=false."""
    assert registered(client, USER, connect_meta_data=False) == {
        "type": "record",
        "name": "User",
        "namespace": "com.example",
        "fields": [{"name": "id", "type": "int"}],
    }


def test_two_schemas_of_one_name_are_refused(client: Any) -> None:
    """Avro knows a name once in a schema."""
    other = SchemaBuilder.struct().name("N").field("b", INT32_SCHEMA)
    root = SchemaBuilder.struct().name("R").field("l", other)
    schema = root.field("r", SchemaBuilder.struct().name("N").field("a", INT32_SCHEMA)).build()

    with pytest.raises(DataError, match=r"^schema.r: two different schemas have the name"):
        converter(client).from_connect_data("t", schema, Struct(schema))


def test_unnamed_structs_in_unnamed_structs_are_read_back_without_names(client: Any) -> None:
    """The numbered names are Confluent's for structs that have none."""
    schema = SCHEMAS["unnamed in unnamed"][0]
    inner, item = schema.fields[0].schema, schema.fields[1].schema.value_schema
    assert item is not None
    value = Struct(schema).put("a", Struct(inner).put("x", 1)).put("b", [Struct(item).put("y", 2)])
    one = converter(client)

    read = one.to_connect_data("t", one.from_connect_data("t", schema, value))

    assert read.schema is not None
    names = [read.schema.name, *(field.schema.name for field in read.schema.fields)]
    assert names == [None] * 4
    assert str(read.value) == "Struct{a=Struct{x=1},b=[Struct{y=2}]}"


def test_a_name_that_avro_does_not_accept_is_refused(client: Any) -> None:
    """The hint names the setting that helps."""
    schema = SchemaBuilder.struct().name("R").field("a-b", INT32_SCHEMA).build()

    with pytest.raises(DataError, match=r"'a-b' is not a valid name in Avro") as caught:
        converter(client).from_connect_data("t", schema, Struct(schema).put("a-b", 1))

    assert "scrub.invalid.names" in caught.value.hint


def test_names_are_scrubbed_on_request(client: Any) -> None:
    """As Confluent's converter does: percent-encoded, then nothing but letters and digits."""
    schema = SchemaBuilder.struct().name("my-db.Täg").field("1b", INT32_SCHEMA).build()

    node = registered(client, schema, scrub_invalid_names=True)

    assert (node["namespace"], node["name"], node["fields"][0]["name"]) == (
        "my_db",
        "T_C3_A4g",
        "x1b",
    )


def test_scrubbed_fields_are_written(client: Any) -> None:
    """Values follow their fields, whatever the fields are called in Avro."""
    schema = SchemaBuilder.struct().name("R").field("a-b", INT32_SCHEMA).build()

    data = converter(client, scrub_invalid_names=True).from_connect_data(
        "t", schema, Struct(schema).put("a-b", 1)
    )

    assert data[5:] == b"\x02"


SUBJECTS = {
    "TopicNameStrategy": "orders-key",
    "io.confluent.kafka.serializers.subject.RecordNameStrategy": "com.example.User",
    "io.confluent.kafka.serializers.subject.TopicRecordNameStrategy": "orders-com.example.User",
}


@pytest.mark.parametrize(("strategy", "subject"), SUBJECTS.items(), ids=SUBJECTS.values())
def test_the_strategy_names_the_subject(client: Any, strategy: str, subject: str) -> None:
    """By simple name or by Java's class name."""
    made = converter(client, is_key=True, key_subject_name_strategy=strategy)

    made.from_connect_data("orders", USER, Struct(USER).put("id", 1))

    assert client.get_subjects() == [subject]


def test_a_record_name_needs_a_record(client: Any) -> None:
    """RecordNameStrategy cannot name the schema of a string."""
    made = converter(client, value_subject_name_strategy="RecordNameStrategy")

    with pytest.raises(DataError, match="RecordNameStrategy needs a record"):
        made.from_connect_data("t", STRING_SCHEMA, "a")


def test_an_unknown_strategy_is_a_config_error(client: Any) -> None:
    """It fails at the start."""
    with pytest.raises(ConfigError, match="unknown subject name strategy"):
        converter(client, value_subject_name_strategy="MyStrategy")


def test_the_address_of_the_registry_is_required() -> None:
    """There is no default to guess."""
    with pytest.raises(ConfigError, match=r"schema\.registry\.url"):
        AvroConverter().configure({}, is_key=False)


def test_the_settings_reach_the_client() -> None:
    """A mock registry is made from its address alone."""
    made = AvroConverter()
    configs = {"schema.registry.url": "mock://a", "basic.auth.user.info": "user:secret"}

    made.configure(configs, is_key=False)

    assert made.to_connect_data("t", made.from_connect_data("t", STRING_SCHEMA, "a")).value == "a"


def test_without_auto_register_an_unknown_schema_is_refused(client: Any) -> None:
    """In the registry's own words."""
    with pytest.raises(DataError, match="Schema Not Found"):
        converter(client, auto_register_schemas=False).from_connect_data("t", STRING_SCHEMA, "a")


def test_without_auto_register_a_known_schema_is_used(client: Any) -> None:
    """What was registered before is found by its text."""
    id_ = client.register_schema("t-value", RegisteredSchema('"string"', "AVRO"))

    data = converter(client, auto_register_schemas=False).from_connect_data("t", STRING_SCHEMA, "a")

    assert data == b"\x00" + id_.to_bytes(4, "big") + b"\x02a"


LATEST = {
    "type": "record",
    "name": "User",
    "namespace": "com.example",
    "fields": [{"name": "id", "type": "long"}, {"name": "x", "type": "string", "default": "d"}],
}


def test_the_latest_version_is_written_by_avros_rules(client: Any) -> None:
    """use.latest.version: int becomes long, the missing field takes its default."""
    client.register_schema("t-value", RegisteredSchema(json.dumps(LATEST), "AVRO"))

    data = converter(client, use_latest_version=True).from_connect_data(
        "t", USER, Struct(USER).put("id", 1)
    )

    assert data == b"\x00\x00\x00\x00\x01\x02\x02d"


def test_a_latest_version_that_does_not_fit_is_a_data_error(client: Any) -> None:
    """A field without default cannot be made up."""
    fields = [{"name": "y", "type": "string"}]
    client.register_schema(
        "t-value", RegisteredSchema(json.dumps({**LATEST, "fields": fields}), "AVRO")
    )

    with pytest.raises(DataError, match="does not fit the newest schema"):
        converter(client, use_latest_version=True).from_connect_data(
            "t", USER, Struct(USER).put("id", 1)
        )


ANSWERS = {
    "incompatible": (SchemaRegistryError(409, 40901, "READER_FIELD_MISSING: y"), DataError),
    "invalid": (SchemaRegistryError(422, 42201, "invalid"), DataError),
    "forbidden": (SchemaRegistryError(403, 40301, "no"), ConnectError),
    "server error": (SchemaRegistryError(500, 50001, "down"), RetriableError),
    "no connection": (OSError("refused"), RetriableError),
}


@pytest.mark.parametrize(("answer", "kind"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_of_the_registry_becomes_our_error(
    client: Any, answer: Exception, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the registry's own words; what may pass is retriable."""

    def fail(*_: Any) -> None:
        raise answer

    monkeypatch.setattr(client, "register_schema", fail)

    with pytest.raises(kind, match=str(getattr(answer, "error_message", answer))) as caught:
        converter(client).from_connect_data("t", STRING_SCHEMA, "a")

    assert type(caught.value) is kind


def test_a_failed_registration_is_tried_again_for_the_next_record(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A registry that was down does not stay down in a cache."""
    made = converter(client)
    with monkeypatch.context() as patched:
        patched.setattr(client, "register_schema", lambda *_: 1 / 0)
        with pytest.raises(RetriableError):
            made.from_connect_data("t", STRING_SCHEMA, "a")

    assert made.from_connect_data("t", STRING_SCHEMA, "a") == b"\x00\x00\x00\x00\x01\x02a"


def test_no_value_without_schema_is_no_bytes(client: Any) -> None:
    """A tombstone stays one."""
    made = converter(client)

    assert (made.from_connect_data("t", None, None), made.to_connect_data("t", None)) == (
        None,
        (None, None),
    )


NO_AVRO = {
    "empty": (b"", "Unknown magic byte"),
    "short": (b"\x00\x00\x00", "Unknown magic byte"),
    "magic": (b'{"a":1}', "Unknown magic byte"),
    "unknown id": (b"\x00\x00\x00\x00\x63\x02a", "find the schema with id 99: Schema Not Found"),
}


@pytest.mark.parametrize(("data", "message"), NO_AVRO.values(), ids=NO_AVRO)
def test_bytes_in_another_format_are_a_data_error(client: Any, data: bytes, message: str) -> None:
    """Most often JSON that an Avro converter is given."""
    with pytest.raises(DataError, match=message):
        converter(client).to_connect_data("t", data)


BROKEN = {"cut": b"\x06a", "rest": b"\x02aa", "negative length": b"\x03", "no text": b"\x02\xff"}


@pytest.mark.parametrize("datum", BROKEN.values(), ids=BROKEN)
def test_bytes_that_do_not_follow_their_schema_are_a_data_error(client: Any, datum: bytes) -> None:
    """Cut off, or longer than the schema says."""
    with pytest.raises(DataError, match=r"topic t"):
        read(client, "string", datum)


def test_a_wrong_value_is_named_with_its_place(client: Any) -> None:
    """As in JSON."""
    inner = SchemaBuilder.struct().name("I").field("d", Decimal.schema(2)).build()
    schema = SchemaBuilder.struct().name("O").field("l", SchemaBuilder.array(inner)).build()
    value = Struct(schema).put("l", [Struct(inner).put("d", PythonDecimal("1.234"))])

    with pytest.raises(DataError, match=r"^payload.l\[0\].d: Decimal value has mismatching scale"):
        converter(client).from_connect_data("t", schema, value)


def test_a_value_that_connect_cannot_hold_is_named_with_its_place(client: Any) -> None:
    """Java wraps 300 to 44."""
    fields = [{"name": "a", "type": {"type": "int", "connect.type": "int8"}}]

    with pytest.raises(DataError, match=r"^payload.a: expected int8, found number 300"):
        read(client, {"type": "record", "name": "R", "fields": fields}, b"\xd8\x04")


MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1}
FOREIGN = {
    "date": ({"type": "int", "logicalType": "date"}, b"\x02", dt.date(1970, 1, 2)),
    "unknown logical type": ({"type": "string", "logicalType": "uuid"}, b"\x02a", "a"),
    "fixed": ({"type": "fixed", "name": "F", "size": 2}, b"ab", b"ab"),
    "enum": ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, b"\x02", "B"),
    "null first": (["null", "long"], b"\x02\x02", 1),
    "null last": (["long", "null"], b"\x02", None),
    "decimal": (MONEY, b"\x02\x0f", PythonDecimal("1.5")),
}  # fmt: skip


@pytest.mark.parametrize(("avro", "datum", "expected"), FOREIGN.values(), ids=FOREIGN)
def test_avro_of_other_producers_is_read(
    client: Any, avro: Any, datum: bytes, expected: Any
) -> None:
    """Schemas without Connect's properties."""
    assert read(client, avro, datum).value == expected


UNION = ["null", "int", "long", "string", {"type": "record", "name": "a.R", "fields": []}]
BRANCHES = {
    "int": (b"\x02\x02", {"int": 1}),
    "long": (b"\x04\x02", {"long": 1}),
    "string": (b"\x06\x02a", {"string": "a"}),
}


@pytest.mark.parametrize(("datum", "expected"), BRANCHES.values(), ids=BRANCHES)
def test_a_branch_of_a_union_is_distinguished_from_the_others(
    client: Any, datum: bytes, expected: Any
) -> None:
    """Even an int from a long, which are one class in Python."""
    _, value = read(client, UNION, datum)

    assert {name: value[name] for name in value if value[name] is not None} == expected


@pytest.mark.parametrize("datum", [case[0] for case in BRANCHES.values()], ids=BRANCHES)
def test_a_union_is_written_as_the_branch_that_was_read(client: Any, datum: bytes) -> None:
    """The struct of a union goes back to the same bytes."""
    made = converter(client)
    schema, value = read(client, UNION, datum)

    assert made.from_connect_data("u", schema, value)[5:] == datum


@pytest.mark.parametrize(("enhanced", "name"), [(False, "R"), (True, "a.R")])
def test_the_branches_of_records_go_by_name(client: Any, name: str, *, enhanced: bool) -> None:
    """By full name with enhanced.avro.schema.support."""
    schema, _ = read(client, UNION, b"\x08", enhanced_avro_schema_support=enhanced)

    assert [field.name for field in schema.fields] == ["int", "long", "string", name]


def test_an_enum_stays_one_with_enhanced_support(client: Any) -> None:
    """What was read as an enum is registered as one."""
    enum = {"type": "enum", "name": "a.E", "symbols": ["A", "B"]}
    schema, _ = read(client, enum, b"\x02", enhanced_avro_schema_support=True)

    node = registered(client, schema, enhanced_avro_schema_support=True)

    assert (node["type"], node["name"], node["symbols"]) == ("enum", "E", ["A", "B"])


def test_an_unknown_symbol_is_named(client: Any) -> None:
    """An enum has no other values."""
    enum = {"type": "enum", "name": "a.E", "symbols": ["A", "B"]}
    schema, _ = read(client, enum, b"\x02", enhanced_avro_schema_support=True)

    with pytest.raises(DataError, match="expected one of A, B"):
        converter(client, enhanced_avro_schema_support=True).from_connect_data("u", schema, "C")


def test_the_version_of_the_subject_is_the_version_of_the_schema(client: Any) -> None:
    """Where the schema itself says none."""
    client.register_schema("t-value", RegisteredSchema('"int"', "AVRO"))

    schema, _ = read(client, "string", b"\x02a")

    assert (schema.type, schema.version) == (Type.STRING, 2)


def test_a_schema_that_refers_to_another_is_read(client: Any) -> None:
    """Schema references of the registry."""
    client.register_schema(
        "user",
        RegisteredSchema(
            '{"type":"record","name":"U","fields":[{"name":"id","type":"int"}]}', "AVRO"
        ),
    )
    text = '{"type":"record","name":"O","fields":[{"name":"u","type":"U"}]}'
    referring = RegisteredSchema(text, "AVRO", [SchemaReference("U", "user", 1)])
    id_ = client.register_schema("t-value", referring)

    value = converter(client).to_connect_data("t", b"\x00" + id_.to_bytes(4, "big") + b"\x02").value

    assert str(value) == "Struct{u=Struct{id=1}}"


REFUSED = {
    "null": "null",
    "recursive": {"type": "record", "name": "R", "fields": [{"name": "r", "type": ["null", "R"]}]},
    "no schema": {"type": "nothing"},
}


@pytest.mark.parametrize("avro", REFUSED.values(), ids=REFUSED)
def test_a_schema_that_connect_cannot_say_is_a_data_error(client: Any, avro: Any) -> None:
    """Null alone, records that hold themselves, and what is no schema."""
    with pytest.raises(DataError):
        read(client, avro, b"")


def test_an_optional_field_without_value_is_null(client: Any) -> None:
    """The first branch of its union."""
    schema = SchemaBuilder.struct().name("R").field("a", OPTIONAL_INT32_SCHEMA).build()

    assert converter(client).from_connect_data("t", schema, Struct(schema))[5:] == b"\x00"
