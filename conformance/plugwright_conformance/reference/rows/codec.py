"""Encodes rows as JSON lines in which every value carries its type."""

from __future__ import annotations

import base64
import datetime as dt
import json
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from plugwright import ConfigDef, ConfigType, ConnectError, Importance, NonEmptyString, Range

__all__ = ["FIELDS", "VERSION", "decode", "directory_of", "encode", "settings"]

VERSION = "1.0.0"

FIELDS = (
    ("id", "int64"),
    ("name", "string"),
    ("ratio", "float64"),
    ("data", "bytes"),
    ("amount", "decimal"),
    ("born", "date"),
    ("opens", "time"),
    ("seen", "timestamp"),
    ("note", "string"),
    ("state", "string"),
)
"""The columns; ``note`` may be null, ``state`` may be null and has the default ``new``."""


def settings() -> ConfigDef:
    """The settings that source and sink share."""
    return (
        ConfigDef()
        .define(
            "rows.url",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Where the tables are: rows://user:password@host/directory.",
        )
        .define(
            "rows.password",
            ConfigType.PASSWORD,
            default="",
            importance=Importance.MEDIUM,
            documentation="Password of the server, unless the URL has one.",
        )
        .define(
            "rows.text",
            ConfigType.BOOLEAN,
            default=False,
            importance=Importance.LOW,
            documentation="Whether the one table holds lines of text instead of rows.",
        )
        .define(
            "rows.batch",
            ConfigType.INT,
            default=100,
            importance=Importance.LOW,
            validator=Range.between(1, 1000),
            documentation="The most rows that are handled at once.",
        )
    )


def directory_of(url: str) -> str:
    """The directory that a URL names; a failure shows the host alone.

    Raises:
        ConnectError: if it is of another kind.
    """
    parts = urlsplit(url)
    if parts.scheme != "rows":
        raise ConnectError(
            f"rows.url must begin with rows://, found {parts.scheme}:// at {parts.hostname}",
            code="rows.bad-url",
        )
    return parts.path


def encode(value: Any) -> str:
    """One line for a row, or for any value that JSON and the columns know.

    Raises:
        TypeError: if it is of another type.
    """
    return json.dumps(_typed(value))


def _typed(value: Any) -> Any:  # noqa: C901, PLR0911  # one case for each type
    match value:
        case None | bool() | str():
            return value
        case int():
            return {"int": str(value)}
        case float():
            return {"float": value.hex()}
        case bytes():
            return {"bytes": base64.b64encode(value).decode()}
        case Decimal():
            return {"decimal": str(value)}
        case dt.datetime():
            return {"timestamp": value.isoformat()}
        case dt.date():
            return {"date": value.isoformat()}
        case dt.time():
            return {"time": value.isoformat()}
        case list():
            return [_typed(item) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {"row": {key: _typed(item) for key, item in value.items()}}
        case _:
            raise TypeError(f"no column takes {type(value).__name__}")


_READERS = {
    "int": int,
    "float": float.fromhex,
    "bytes": base64.b64decode,
    "decimal": Decimal,
    "timestamp": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
}


def decode(line: str) -> Any:
    """What a line holds.

    Raises:
        ConnectError: if it holds a type that there is no column for.
    """
    return _plain(json.loads(line))


def _plain(value: Any, name: str = "value") -> Any:
    if isinstance(value, list):
        return [_plain(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "row":
        return {key: _plain(item, key) for key, item in content.items()}
    if kind not in _READERS:
        raise ConnectError(
            f"field {name} is of type {kind}, which no column takes", code="rows.type"
        )
    return _READERS[kind](content)  # type: ignore[operator]  # each takes the text of its kind
