"""Parses request bodies into typed values; errors state the expected form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugwright.control_plane import BadRequestError, ConnectorOffset, CreateConnector
from plugwright.rest._errors import UnreadableBodyError
from plugwright.rest._json import parse_json, parse_texts, to_json

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from plugwright.rest.exchange import RestRequest

_INITIAL_STATES: Final = ("RUNNING", "PAUSED", "STOPPED")
TRIMMED: Final = "".join(map(chr, range(0x21)))
"""The characters that Java trims: ASCII control characters and spaces."""
_NO_OFFSETS: Final = "Partitions / offsets need to be provided for an alter offsets request"


def to_create(request: RestRequest) -> CreateConnector:
    """Parse the body of ``POST /connectors``; blanks around the name are trimmed.

    Raises:
        UnreadableBodyError: if the body has unknown fields or fields of the wrong type.
    """
    body = _object(parse_texts(request.body), "The request body")
    _only(body, {"name", "config", "initial_state"})
    name, state = _text(body, "name"), _text(body, "initial_state")
    if body.get("config") is None:
        raise UnreadableBodyError("Connector config must be provided in the field config")
    if state is not None and state.upper() not in _INITIAL_STATES:
        expected = ", ".join(_INITIAL_STATES)
        raise UnreadableBodyError(f"Invalid initial_state {state}: expected one of {expected}")
    return CreateConnector(
        name="" if name is None else name.strip(TRIMMED),
        config=_settings(_object(body["config"], "Connector config")),
        initial_state=None if state is None else state.upper(),
    )


def settings_of(request: RestRequest) -> dict[str, str | None]:
    """The flat configuration in the body; numbers and booleans count as their text, as in Kafka.

    Raises:
        UnreadableBodyError: if it is not an object, or a value is a list or an object.
    """
    return _settings(_object(parse_texts(request.body), "The request body"))


def patch_of(request: RestRequest) -> dict[str, str | None] | None:
    """Parse the same body; ``None`` if there is none, which the caller judges.

    Raises:
        UnreadableBodyError: if it is not an object, or a value is a list or an object.
    """
    if not request.body.strip() or parse_texts(request.body) is None:
        return None
    return settings_of(request)


def offsets_of(request: RestRequest) -> list[ConnectorOffset]:
    """Parse the offsets in the body; of equal partitions the last one counts.

    Raises:
        BadRequestError: if there are no offsets.
        UnreadableBodyError: if one has another form.
    """
    body = _object(parse_json(request.body), "The request body")
    _only(body, {"offsets"})
    items = body.get("offsets")
    if items is not None and not isinstance(items, list):
        raise _unexpected("offsets", "an array", items)
    if not items:
        raise BadRequestError(_NO_OFFSETS)
    offsets = [_offset(item) for item in items]
    return list({to_json(_sorted(offset.partition)): offset for offset in offsets}.values())


def require_list(request: RestRequest) -> None:
    """Check that the body is a list of configurations.

    Raises:
        UnreadableBodyError: if it is not.
    """
    body = parse_texts(request.body)
    if not isinstance(body, list):
        raise _unexpected("The request body", "an array", body)
    for each in body:
        _settings(_object(each, "An element of the list"))


def _offset(item: object) -> ConnectorOffset:
    body = _object(item, "An element of offsets")
    _only(body, {"partition", "offset"})
    for key in ("partition", "offset"):
        if body.get(key) is not None:
            _object(body[key], key)
    return ConnectorOffset(body.get("partition"), body.get("offset"))


def _sorted(value: object) -> object:
    """A key that is equal for equal JSON values, whatever the order of their fields."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _settings(body: Mapping[str, Any]) -> dict[str, str | None]:
    settings: dict[str, str | None] = {}
    for key, value in body.items():
        if isinstance(value, dict | list):
            raise _unexpected(f"The value of {key}", "text, a number, a boolean or null", value)
        settings[key] = _as_text(value)
    return settings


def _as_text(value: str | bool | None) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(body: Mapping[str, Any], key: str) -> str | None:
    value = body.get(key)
    if isinstance(value, dict | list):
        raise _unexpected(key, "text", value)
    return _as_text(value)


def _object(value: object, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise _unexpected(what, "an object", value)


def _only(body: Mapping[str, Any], known: Collection[str]) -> None:
    unknown = next((key for key in body if key not in known), None)
    if unknown is not None:
        fields = ", ".join(sorted(known))
        raise UnreadableBodyError(f"Unrecognized field {unknown}: expected only {fields}")


def _unexpected(what: str, expected: str, value: object) -> UnreadableBodyError:
    """The error for a value of the wrong kind, without the value, which may be secret."""
    kinds = {
        dict: "an object",
        list: "an array",
        str: "text",
        bool: "a boolean",
        type(None): "null",
    }
    found = kinds.get(type(value), "a number")  # int, float or NumberText
    return UnreadableBodyError(f"{what} must be {expected}, but is {found}")
