"""The messages that taps write and targets answer with, parsed from their lines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_singer.masking import Mask

__all__ = [
    "ActivateVersion",
    "Message",
    "RecordMessage",
    "SchemaMessage",
    "StateMessage",
    "Unknown",
    "parse_message",
]

_EXCERPT = 120


@dataclass(frozen=True, slots=True)
class SchemaMessage:
    """Describes the records of a stream that follow."""

    stream: str
    schema: Mapping[str, Any]
    key_properties: Sequence[str]


@dataclass(frozen=True, slots=True)
class RecordMessage:
    """One record of a stream."""

    stream: str
    record: Mapping[str, Any]
    time_extracted: str | None


@dataclass(frozen=True, slots=True)
class StateMessage:
    """The state from which to continue after everything written before."""

    value: Any


@dataclass(frozen=True, slots=True)
class ActivateVersion:
    """Asks targets to forget the records of other versions of a stream."""

    stream: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A message of a type that the specification does not have."""

    type: str


Message = SchemaMessage | RecordMessage | StateMessage | ActivateVersion | Unknown


def parse_message(line: bytes, mask: Mask) -> Message:
    """The message of a line; numbers with a point are exact.

    Args:
        line: with or without its end.
        mask: hides the secrets of the tap's configuration.

    Raises:
        DataError: if the line is not a message; the text says what is missing, and has an excerpt.
    """
    try:
        found = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise _not_a_message(line, mask, "it is not valid JSON") from error
    if not isinstance(found, dict):
        raise _not_a_message(line, mask, "it is not a JSON object")
    kind = found.get("type")
    if not isinstance(kind, str):
        raise _not_a_message(line, mask, "it has no type")
    try:
        return _message(kind, found)
    except KeyError as error:
        raise _not_a_message(line, mask, f"a {kind} needs {error.args[0]}") from error


def _message(kind: str, found: Mapping[str, Any]) -> Message:
    match kind.upper():
        case "RECORD":
            extracted = found.get("time_extracted")
            return RecordMessage(
                _typed(found, "stream", str),
                _typed(found, "record", dict),
                extracted if isinstance(extracted, str) else None,
            )
        case "SCHEMA":
            return SchemaMessage(
                _typed(found, "stream", str), _typed(found, "schema", dict), _keys(found)
            )
        case "STATE":
            return StateMessage(found["value"])
        case "ACTIVATE_VERSION":
            return ActivateVersion(_typed(found, "stream", str))
        case _:
            return Unknown(kind)


def _keys(found: Mapping[str, Any]) -> tuple[str, ...]:
    keys = found.get("key_properties") or []
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise KeyError("a list of names as key_properties")
    return tuple(keys)


def _typed(found: Mapping[str, Any], name: str, kind: type) -> Any:
    value = found.get(name)
    if not isinstance(value, kind):
        raise KeyError(name)
    return value


def _not_a_message(line: bytes, mask: Mask, reason: str) -> DataError:
    return DataError(
        f"a line is not a Singer message: {reason}: {mask.excerpt(line, _EXCERPT)!r}",
        code="singer.not-a-message",
        hint="a tap writes messages only to its standard output; look for prints in it",
    )
