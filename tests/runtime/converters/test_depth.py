"""How deep data may be nested: the same for every converter, reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from plugwright.converters import Converter, JsonConverter, SimpleHeaderConverter, StringConverter
from plugwright.converters.misfit import MAX_DEPTH
from plugwright.errors import DataError
from plugwright.schema import INT32_SCHEMA, STRING_SCHEMA, Schema, SchemaBuilder, Struct

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from collections.abc import Callable

Made = tuple[Schema | None, Any]


def _lists(levels: int) -> Made:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return None, value


def _empty_lists(levels: int) -> Made:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return None, value


def _maps(levels: int) -> Made:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return None, value


def _maps_of_lists(levels: int) -> Made:
    value: Any = "x"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return None, value


def _arrays(levels: int) -> Made:
    schema, value = INT32_SCHEMA, 1
    for _ in range(levels):
        schema, value = SchemaBuilder.array(schema).build(), [value]  # type: ignore[assignment]
    return schema, value


def _keyed(levels: int) -> Made:
    schema, value = INT32_SCHEMA, 1
    for _ in range(levels):
        schema, value = SchemaBuilder.map(STRING_SCHEMA, schema).build(), {"a": value}  # type: ignore[assignment]
    return schema, value


def _structs(levels: int) -> Made:
    schema: Schema = INT32_SCHEMA
    value: Any = 1
    for _ in range(levels):
        schema = SchemaBuilder.struct().field("f", schema).build()
        value = Struct(schema).put("f", value)
    return schema, value


def _empty_structs(levels: int) -> Made:
    schema = SchemaBuilder.struct().build()
    value = Struct(schema)
    for _ in range(levels - 1):
        schema = SchemaBuilder.struct().field("f", schema).build()
        value = Struct(schema).put("f", value)
    return schema, value


SHAPES: dict[str, Callable[[int], Made]] = {
    made.__name__.strip("_"): made
    for made in (
        _lists,
        _empty_lists,
        _maps,
        _maps_of_lists,
        _arrays,
        _keyed,
        _structs,
        _empty_structs,
    )
}


def _converter(kind: type[Any], **settings: str) -> Any:
    converter = kind()
    converter.configure(
        {name.replace("_", "."): value for name, value in settings.items()}, is_key=False
    )
    return converter


CONVERTERS: dict[str, Callable[[], Converter]] = {
    "json": lambda: _converter(JsonConverter),
    "json-plain": lambda: _converter(JsonConverter, schemas_enable="false"),
    "string": lambda: _converter(StringConverter),
}


@pytest.mark.parametrize("converter", CONVERTERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_nested_up_to_the_limit_is_written(shape: str, converter: str) -> None:
    """A hundred levels, whatever they are made of."""
    assert CONVERTERS[converter]().from_connect_data("t", *SHAPES[shape](MAX_DEPTH))


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, MAX_DEPTH + 50, 2 * MAX_DEPTH + 5])
@pytest.mark.parametrize("converter", CONVERTERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_nested_deeper_is_a_data_error(shape: str, converter: str, levels: int) -> None:
    """From the first level beyond the limit."""
    made = SHAPES[shape](levels)

    with pytest.raises(DataError, match="nested deeper than 100 levels"):
        CONVERTERS[converter]().from_connect_data("t", *made)


@pytest.mark.parametrize("converter", CONVERTERS)
def test_what_is_nested_without_end_is_a_data_error(converter: str) -> None:
    """Never a RecursionError."""
    for made in (_lists(100_000), _maps(100_000)):
        with pytest.raises(DataError, match="nested deeper"):
            CONVERTERS[converter]().from_connect_data("t", *made)


@pytest.mark.parametrize("converter", ["json", "json-plain"])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_written_is_read(shape: str, converter: str) -> None:
    """The limit of reading is that of writing."""
    schema, value = SHAPES[shape](MAX_DEPTH)
    one = CONVERTERS[converter]()

    written = one.from_connect_data("t", schema, value)
    read = one.to_connect_data("t", written)

    assert one.from_connect_data("t", read.schema, read.value) == written


READ = {
    "plain lists": ("json-plain", lambda n: "[" * n + "]" * n),
    "plain objects": ("json-plain", lambda n: '{"a":' * n + "1" + "}" * n),
    "enveloped": ("json", lambda n: '{"schema":null,"payload":' + "[" * n + "]" * n + "}"),
    "enveloped floats": (
        "json",
        lambda n: '{"schema":null,"payload":' + "[" * n + "1e1" + "]" * n + "}",
    ),
    "arrays": (
        "json",
        lambda n: '{"schema":'
        + '{"type":"array","items":' * n
        + '{"type":"int32"}'
        + "}" * n
        + ',"payload":'
        + "[" * n
        + "]" * n
        + "}",
    ),
    "structs": (
        "json",
        lambda n: '{"schema":{"type":"struct","fields":['
        + '{"field":"f","type":"struct","fields":[' * (n - 1)
        + "]}" * n
        + ',"payload":'
        + '{"f":' * (n - 1)
        + "{}"
        + "}" * n,
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_message_nested_up_to_the_limit_is_read(text: str) -> None:
    """The envelope itself does not count."""
    converter, made = READ[text]

    assert CONVERTERS[converter]().to_connect_data("t", made(MAX_DEPTH).encode()).value


@pytest.mark.parametrize("levels", [MAX_DEPTH + 2, 2 * MAX_DEPTH, 4 * MAX_DEPTH, 100_000])
@pytest.mark.parametrize("text", READ)
def test_a_message_nested_deeper_is_a_data_error(text: str, levels: int) -> None:
    """However deep."""
    converter, made = READ[text]

    with pytest.raises(DataError, match="nested deeper than 100 levels"):
        CONVERTERS[converter]().to_connect_data("t", made(levels).encode())


def test_pairs_count_twice_everywhere() -> None:
    """JSON writes a map without text keys with two brackets, and reads it back."""
    value: Any = 1
    for _ in range(MAX_DEPTH // 2):
        value = {7: value}
    converters = [made() for made in CONVERTERS.values()]

    for converter in converters:
        assert converter.from_connect_data("t", None, value)
        with pytest.raises(DataError, match="nested deeper"):
            converter.from_connect_data("t", None, [value])
    written = converters[1].from_connect_data("t", None, value)
    assert converters[1].to_connect_data("t", written).value


def test_headers_have_the_same_limit() -> None:
    """As text is read, and as values are written."""
    converter = SimpleHeaderConverter()

    within = converter.to_connect_header("t", "h", b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    beyond = converter.to_connect_header("t", "h", b"[" * 101 + b"]" * 101)

    assert (type(within.value), type(beyond.value)) == (list, str)
    assert converter.from_connect_header("t", "h", *_lists(MAX_DEPTH))
    with pytest.raises(DataError, match="nested deeper"):
        converter.from_connect_header("t", "h", *_lists(MAX_DEPTH + 1))


def test_a_full_stack_is_a_data_error() -> None:
    """Where the caller has used the stack up, even data within the limit finds no room."""
    value = _lists(MAX_DEPTH)[1]

    def deeper(converter: Any) -> bool:
        try:
            return deeper(converter)
        except RecursionError:
            with pytest.raises(DataError, match="nested deeper"):
                converter.from_connect_data("t", None, value)
            return True

    assert all(deeper(made()) for made in CONVERTERS.values())
