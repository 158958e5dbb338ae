"""Canonical JSON (RFC 8785) without fractions: one byte sequence per value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")


class NotCanonicalError(ValueError):
    """The value has no canonical form, or the text is not canonical."""


def canonical(value: object) -> bytes:
    """The canonical bytes of a value of objects, arrays, strings, integers, booleans and null.

    Raises:
        NotCanonicalError: for a fraction, an integer beyond 2**53, a string with surrogates, or a
            value of another type.
    """
    import rfc8785  # noqa: PLC0415  # an extra's package

    try:
        _refuse_fractions(value)
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # the library raises for other types
    except (ValueError, RecursionError) as error:  # the error for a surrogate in a key
        raise NotCanonicalError(str(error)) from error


def read_canonical(data: bytes) -> object:
    """The value of canonical bytes.

    Raises:
        NotCanonicalError: if they are not JSON, or not in canonical form.
    """
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NotCanonicalError(str(error)) from error
    if canonical(value) != data:
        raise NotCanonicalError("the same content has another canonical form (RFC 8785)")
    return value


def plain(value: object) -> object:
    """The value with fractions as strings and lone surrogates as U+FFFD, for `canonical`."""
    match value:
        case Mapping():
            return {str(plain(str(name))): plain(item) for name, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case None | bool() | int():
            return value
        case _:
            return _SURROGATE.sub("\ufffd", str(value))


def _refuse_fractions(value: object) -> None:
    match value:
        case float():
            raise NotCanonicalError(f"a fraction, {value}; digested parts have none")
        case Mapping():
            for item in value.values():
                _refuse_fractions(item)
        case list() | tuple():
            for item in value:
                _refuse_fractions(item)
