"""Our builders, structs, headers and configurations, used step by step as a case says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.oracle.notation import (
    read_data,
    read_schema,
    read_value,
    write_data,
    write_schema,
    write_value,
)
from tests.runtime.config.comparing import defined, shown, without_widths

from plugwright.config import AbstractConfig
from plugwright.errors import ConnectError
from plugwright.headers import Headers
from plugwright.schema import Date, Decimal, SchemaBuilder, Struct, Time, Timestamp, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.oracle.golden import Line

__all__ = ["KINDS", "outcome"]

_WORD = re.compile("(?=[A-Z])")
_MOMENTS = {"addDate": Date.SCHEMA, "addTime": Time.SCHEMA, "addTimestamp": Timestamp.SCHEMA}
_FAILED = {"error": True}


def outcome(line: Line) -> str:
    """``same``, or ``value`` where an answer is another or only one of both is an error."""
    ours = _comparable(_taken(line.case))
    return "same" if ours == _comparable(line.result) else "value"


def _taken(case: dict[str, Any]) -> dict[str, Any]:
    try:
        return KINDS[case["kind"]](case)
    except ConnectError:
        return _FAILED


def _comparable(result: Any) -> str:
    """The text of answers without the width of numbers, the kind of buffers and words of errors."""
    return json.dumps(_bare(without_widths(result)), sort_keys=True)


def _bare(node: Any) -> Any:
    if isinstance(node, list):
        return [_bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "error" in node:
        return _FAILED
    return {("$bytes" if key == "$buffer" else key): _bare(item) for key, item in node.items()}


def _steps(case: dict[str, Any], take: Callable[[list[Any]], Any]) -> list[Any]:
    answers = []
    for step in case["steps"]:
        try:
            answers.append(take(step))
        except ConnectError:
            answers.append(_FAILED)
    return answers


def _builder(case: dict[str, Any]) -> dict[str, Any]:
    builder = _started(case)
    answers = _steps(case, lambda step: _built(builder, *step))
    return {"steps": answers, "schema": write_schema(builder.build())}


def _started(case: dict[str, Any]) -> SchemaBuilder:
    if case["type"] == "array":
        return SchemaBuilder.array(read_schema(case["items"]))
    if case["type"] == "map":
        return SchemaBuilder.map(read_schema(case["keys"]), read_schema(case["values"]))
    return SchemaBuilder(Type[case["type"].upper()])


def _built(builder: SchemaBuilder, kind: str, *rest: Any) -> bool:
    if kind == "default":
        builder.default(read_value(rest[0], builder.build()))
    elif kind == "field":
        builder.field(rest[0], read_schema(rest[1]))
    else:
        getattr(builder, kind)(*rest)
    return True


def _struct(case: dict[str, Any]) -> dict[str, Any]:
    schema = read_schema(case["schema"])
    assert schema is not None, "every such case has one"
    struct = Struct(schema)

    def take(step: list[Any]) -> Any:
        if step[0] == "validate":
            struct.validate()
            return True
        field = schema.field(step[1])
        inner = field and field.schema
        if step[0] == "put":
            struct.put(step[1], read_value(step[2], inner))
            return True
        return {"value": write_value(getattr(struct, _snake(step[0]))(step[1]), inner)}

    return {"steps": _steps(case, take)}


def _headers(case: dict[str, Any]) -> dict[str, Any]:
    headers = Headers()
    answers = _steps(case, lambda step: _headed(headers, *step))
    return {"steps": answers, "headers": _all(headers)}


def _all(headers: Iterable[Any]) -> list[Any]:
    return [[header.key, write_data(header.schema, header.value)] for header in headers]


def _headed(headers: Headers, kind: str, key: str = "", node: Any = None) -> Any:
    if kind in {"add", "addList", "addMap"}:
        given = read_data(node)
        assert given is not None, "every such step has data"
        getattr(headers, _snake(kind))(key, given.value, given.schema)
    elif kind == "size":
        return {"value": len(headers)}
    elif kind == "lastWithName":
        last = headers.last_with_name(key)
        return {"headers": None if last is None else _all([last])}
    elif kind == "allWithName":
        return {"headers": _all(headers.all_with_name(key))}
    elif kind in {"clear", "retainAllLatest"}:
        headers.clear() if kind == "clear" else headers.retain_latest()
    elif kind in {"remove", "retainLatest"}:
        getattr(headers, _snake(kind))(key)
    else:
        schema = Decimal.schema(0) if kind == "addDecimal" else _MOMENTS.get(kind)
        getattr(headers, _snake(kind))(key, read_value(node, schema))
    return True


def _config(case: dict[str, Any]) -> dict[str, Any]:
    given = {key: read_value(value, None) for key, value in case["properties"].items()}
    config = AbstractConfig(defined(case["define"]), given, log_values=False)
    return {"steps": _steps(case, lambda step: {"value": _asked(config, *step)})}


def _asked(config: AbstractConfig, method: str, *rest: Any) -> Any:
    if rest[1:]:
        found: Any = getattr(config, _snake(method))(rest[0], strip=rest[1])
    else:
        found = getattr(config, _snake(method))(*rest)
    if isinstance(found, tuple):
        return sorted(found)
    if isinstance(found, dict):
        return {key: shown(value) for key, value in sorted(found.items())}
    return shown(found)


def _snake(name: str) -> str:
    return _WORD.sub("_", name).lower()


KINDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "builder": _builder,
    "struct": _struct,
    "headers": _headers,
    "config": _config,
}
