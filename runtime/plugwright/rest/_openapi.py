"""The OpenAPI document, made of the table of endpoints and the types of their bodies."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Union, get_args, get_origin, get_type_hints

from plugwright.rest._json import json_name
from plugwright.rest._values import ErrorMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright.rest.route import QueryParameter, Route

_SIMPLE: Final = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}
_NAMES: Final = {"Any": Any, "Mapping": Mapping, "Sequence": Sequence}


def openapi_document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """An OpenAPI 3.1 document for some endpoints.

    Args:
        routes: the endpoints.
        version: of the worker.
    """
    schemas = _Schemas()
    error = {"description": "The request failed", "content": _json(schemas.of(ErrorMessage))}
    paths: dict[str, dict[str, Any]] = {}
    for route in (each for each in routes if not each.internal):
        operation = _operation(route, schemas)
        operation["responses"]["default"] = error
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Plugwright Connect REST API",
            "description": "Kafka Connect's REST API: connectors, their tasks, offsets, plugins.",
            "version": version,
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.named.items()))},
    }


class _Schemas:
    """JSON Schemas of types; dataclasses and typed dictionaries by reference."""

    def __init__(self) -> None:
        self.named: dict[str, dict[str, Any]] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of a type."""
        if kind in _SIMPLE:
            return dict(_SIMPLE[kind])
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(argument) for argument in arguments]}
        if origin in (list, Sequence):
            return {"type": "array", "items": self.of(arguments[0])}
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        return self._reference(kind)

    def _reference(self, kind: type) -> dict[str, Any]:
        if kind.__name__ not in self.named:
            self.named[kind.__name__] = {}  # stops a type that holds itself
            hints = get_type_hints(kind, localns=_NAMES)
            names = _field_names(kind) or {name: name for name in hints}
            optional = _optional_fields(kind)
            self.named[kind.__name__] = {
                "type": "object",
                "description": (kind.__doc__ or "").partition("\n")[0],
                "properties": {names[name]: self.of(hint) for name, hint in hints.items()},
                "required": [names[name] for name in hints if name not in optional],
            }
        return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _field_names(kind: type) -> dict[str, str]:
    return {f.name: json_name(f) for f in fields(kind)} if is_dataclass(kind) else {}


def _optional_fields(kind: type) -> set[str]:
    """Fields with a default, which bodies may leave out."""
    return {f.name for f in fields(kind) if f.default is None} if is_dataclass(kind) else set()


def _operation(route: Route, schemas: _Schemas) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": _identifier(route),
        "summary": route.summary,
        "parameters": [
            *(_path_parameter(name) for name in re.findall(r"{(\w+)}", route.path)),
            *(_query_parameter(parameter) for parameter in route.query),
        ],
        "responses": {
            str(status): _response(description, kind, route, schemas)
            for status, (description, kind) in sorted(route.responses.items())
        },
    }
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": _json(schemas.of(route.body))}
    return operation


def _identifier(route: Route) -> str:
    """A name for the endpoint, unique because method and path are."""
    words = re.findall(r"\w+", route.path)
    return "_".join([route.method.lower(), *words]) if words else f"{route.method.lower()}_root"


def _response(description: str, kind: Any, route: Route, schemas: _Schemas) -> dict[str, Any]:
    if kind is None:
        return {"description": description}
    content = {route.content_type: {"schema": schemas.of(kind)}}
    return {"description": description, "content": content}


def _path_parameter(name: str) -> dict[str, Any]:
    kind = "integer" if name == "task" else "string"
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind}}


def _query_parameter(parameter: QueryParameter) -> dict[str, Any]:
    one = {"type": parameter.kind}
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.description,
        "schema": {"type": "array", "items": one} if parameter.repeatable else one,
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
