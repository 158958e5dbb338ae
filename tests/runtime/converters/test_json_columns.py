"""Structs by column are written like the structs."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.golden import golden
from tests.oracle.notation import NotRepresentableError, read_data
from tests.runtime.converters.comparing import configured
from tests.runtime.converters.deviations import deviation_of
from tests.runtime.converters.strategies import schemas, values

from plugwright.converters import JsonConverter
from plugwright.converters.json_engine import OrjsonEngine, PlainEngine
from plugwright.errors import DataError
from plugwright.schema import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    SchemaBuilder,
    Struct,
    StructColumn,
    Type,
)

pytestmark = pytest.mark.slow


def _converter(settings):
    converter = JsonConverter()
    converter.configure(settings)
    return converter


def _by_field(structs, schema):
    fields = [[s.get_without_default(field.name) for s in structs] for field in schema.fields]
    return StructColumn(schema, fields, len(structs))


_STRUCTS = (
    schemas()
    .filter(lambda schema: schema.type is Type.STRUCT)
    .map(lambda schema: schema if not schema.optional else SchemaBuilder.like(schema).build())
)
_CASES = _STRUCTS.flatmap(
    lambda schema: st.tuples(
        st.just(schema), st.lists(values(schema).filter(lambda value: value is not None))
    )
)
_SETTINGS = st.sampled_from([{}, {"schemas.enable": "false"}, {"decimal.format": "numeric"}])


@settings(max_examples=200, deadline=None)
@given(case=_CASES, config=_SETTINGS)
def test_structs_are_written_by_column_like_one_by_one(case, config):
    """The same bytes, whatever the types of the fields."""
    schema, structs = case
    converter = _converter(config)

    written = converter.write_column("t", schema, _by_field(structs, schema))

    assert written == [converter.from_connect_data("t", schema, each) for each in structs]


def _payload(text):
    """The value's text in a document, which may be an envelope."""
    if not text.startswith('{"schema":'):
        return text
    _, end = json.JSONDecoder().raw_decode(text, len('{"schema":'))
    return text[end:].removeprefix(',"payload":').removesuffix("}")


def _recorded_values():
    """What Java's converter has written for values with a schema: recording, value and schema."""
    for line in golden("converter.JsonConverter"):
        if line.case["direction"] == "from" and "text" in line.result and not deviation_of(line.id):
            with suppress(NotRepresentableError):
                given = read_data(line.case["data"])
                if given.schema is not None:
                    yield line, given


def test_recordings_of_java_are_the_same_by_column():
    """A field's value has the text that Java's converter writes for the value alone."""
    compared, different = 0, []
    for line, recorded in _recorded_values():
        schema = SchemaBuilder.struct().field("f", recorded.schema).build()
        column = StructColumn(schema, [[recorded.value] * 2], 2)
        texts = configured(line.case).write_column("topic", schema, column)
        expected = f'{{"f":{_payload(line.result["text"])}}}'
        compared += 1
        if [_payload(each.decode()) for each in texts] != [expected] * 2:
            different.append(line.id)

    assert compared > 100
    assert different == []


_TRICKY = st.lists(st.text(alphabet='",\\%\n\u00e4\u2028\U0001f600a', max_size=6), min_size=1)


@pytest.mark.parametrize("engine", [OrjsonEngine, PlainEngine])
@settings(max_examples=300, deadline=None)
@given(texts=_TRICKY)
def test_texts_are_distinguished_whatever_they_hold(engine, texts):
    """Quotes, commas, backslashes, percent signs and characters that Java escapes."""
    found = engine().texts(texts)

    assert [json.loads(each) for each in found] == texts
    assert found == [engine().dumps(each) for each in texts]


@settings(max_examples=100, deadline=None)
@given(texts=_TRICKY, name=st.text(alphabet='%"b,', min_size=1, max_size=4))
def test_names_and_texts_are_no_templates(texts, name):
    """A percent sign is one, in names of fields and of schemas as well."""
    schema = SchemaBuilder.struct().name("100%b").field(name, STRING_SCHEMA).build()
    structs = [Struct(schema).put(name, text) for text in texts]
    converter = JsonConverter()

    written = converter.write_column("t", schema, _by_field(structs, schema))

    assert written == [converter.from_connect_data("t", schema, each) for each in structs]


def test_value_of_another_type_is_refused():
    """Even if JSON had a way to write it."""
    schema = SchemaBuilder.struct().field("a", STRING_SCHEMA).field("b", INT64_SCHEMA).build()

    with pytest.raises(DataError, match="expected string, found number 7"):
        JsonConverter().write_column("t", schema, StructColumn(schema, [["a", 7], [1, 2]], 2))
