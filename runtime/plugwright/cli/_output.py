"""Results and errors as JSON: one document on standard output, always in the same layout."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import argparse

    from plugwright.errors import ConnectError

ERROR_FORMAT = "plugwright-error/1"


def add_json(parser: argparse._ActionsContainer) -> None:
    """Add ``--json``, with which a command writes only one document of `write_json`.

    An error is then a document too, see `error_document`; the exit status is the same.
    """
    parser.add_argument("--json", action="store_true", help="write JSON")


def write_json(document: Mapping[str, object], stream: TextIO) -> None:
    """Write one JSON document: sorted keys, ASCII only, the same bytes for the same content."""
    stream.write(json.dumps(document, indent=2, sort_keys=True) + "\n")


def error_document(error: ConnectError) -> dict[str, object]:
    """The error in a form for programs: ``code`` and ``facts`` are stable, the texts are not.

    >>> from plugwright.errors import ConfigError
    >>> error_document(ConfigError("topic is empty", hint="name one", facts={"key": "topic"}))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'error': {'code': 'config.invalid', 'facts': {'key': 'topic'}, 'hint': 'name one',
     'message': 'topic is empty'}, 'format': 'plugwright-error/1'}
    """
    return {
        "error": {
            "code": error.code,
            "facts": _plain(error.facts),
            "hint": error.hint,
            "message": str(error),
        },
        "format": ERROR_FORMAT,
    }


def _plain(value: object) -> object:
    """The fact as a JSON value; as text if JSON has no form for it."""
    match value:
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case set() | frozenset():
            return sorted(str(item) for item in value)
        case None | bool() | int() | str():
            return value
        case os.PathLike():
            return os.fspath(value)
        case _:
            return str(value)
