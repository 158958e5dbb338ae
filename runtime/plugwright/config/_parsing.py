"""Parses a raw setting into a typed value (Kafka's ``ConfigDef.parseType``)."""

from __future__ import annotations

import re
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Final

from plugwright.config._classes import resolve_class
from plugwright.config._password import Password
from plugwright.config._printing import hidden_if_secret, printed, type_name
from plugwright.config._problems import invalid_value
from plugwright.config._types import ConfigType
from plugwright.java_numbers import hexadecimal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.config._classes import ClassResolver

_TRIMMED: Final = "".join(map(chr, range(0x21)))  # what Java's String.trim removes
_SPACE: Final = " \t\n\x0b\f\r"  # what \s matches in Java
_DECIMAL: Final = re.compile(r"[+-]?\d+")
_FLOATING: Final = re.compile(
    r"[+-]?(?:NaN|Infinity|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?[fFdD]?)"
)
_HEXADECIMAL: Final = re.compile(
    r"[+-]?0[xX](?:[0-9a-fA-F]++(?:\.[0-9a-fA-F]*+)?|\.[0-9a-fA-F]++)[pP][+-]?[0-9]+[fFdD]?"
)
_BITS: Final = {ConfigType.SHORT: 16, ConfigType.INT: 32, ConfigType.LONG: 64}
_INTEGER_NAMES: Final = {
    ConfigType.SHORT: "16-bit integer (short)",
    ConfigType.INT: "32-bit integer",
    ConfigType.LONG: "64-bit integer (long)",
}


class _UnfitError(Exception):
    """The value does not fit; the text is the second half of Kafka's message."""


def parse_type(
    name: str,
    value: object,
    type: ConfigType,  # noqa: A002  # Kafka's name
    resolver: ClassResolver | None = None,
) -> object:
    """The value converted to its type; ``None`` stays ``None``.

    Strings are trimmed as Java trims them. Python's ``int`` is accepted where its value is in
    range; a ``bool`` is never a number.

    Raises:
        ConfigError: with Kafka's message, if the value does not fit; a password is not shown.
    """
    if value is None:
        return None
    try:
        if type is ConfigType.CLASS:
            return _parse_class(value, resolver)
        return _PARSERS[type](value, type)
    except _UnfitError as unfit:
        raise invalid_value(name, hidden_if_secret(value, type), str(unfit)) from None
    except ImportError as error:
        message = f"Class {printed(value)} could not be found."
        raise invalid_value(name, value, message) from error


def _parse_boolean(value: object, _: ConfigType) -> bool:
    if isinstance(value, bool):
        return value
    word = _trim(value).lower() if isinstance(value, str) else ""
    if word not in {"true", "false"}:
        raise _UnfitError("Expected value to be either true or false")
    return word == "true"


def _parse_string(value: object, _: ConfigType) -> str:
    if not isinstance(value, str):
        raise _UnfitError(f"Expected value to be a string, but it was a {type_name(value)}")
    return _trim(value)


def _parse_password(value: object, kind: ConfigType) -> Password:
    return value if isinstance(value, Password) else Password(_parse_string(value, kind))


def _parse_integer(value: object, kind: ConfigType) -> int:
    if isinstance(value, str):
        value = _decimal(_trim(value), kind)
    if not isinstance(value, int) or isinstance(value, bool):
        expected = f"Expected value to be a {_INTEGER_NAMES[kind]}"
        raise _UnfitError(f"{expected}, but it was a {type_name(value)}")
    bound = 1 << (_BITS[kind] - 1)
    if not -bound <= value < bound:
        raise _not_a_number(kind)
    return int(value)


def _parse_double(value: object, kind: ConfigType) -> float:
    if isinstance(value, str):
        text = _trim(value)
        if _HEXADECIMAL.fullmatch(text):
            return hexadecimal(text.rstrip("fFdD"))
        if not _FLOATING.fullmatch(text):
            raise _not_a_number(kind)
        return float(text.rstrip("fFdD"))
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise _UnfitError(f"Expected value to be a double, but it was a {type_name(value)}")
    try:
        return float(value)
    except (ArithmeticError, ValueError):
        raise _not_a_number(kind) from None


def _parse_list(value: object, _: ConfigType) -> list[object]:
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        raise _UnfitError("Expected a comma separated list.")
    text = _trim(value)
    return [element.strip(_SPACE) for element in text.split(",")] if text else []


def _parse_class(value: object, resolver: ClassResolver | None) -> object:
    if isinstance(value, type):
        return value
    if not isinstance(value, str):
        raise _UnfitError("Expected a Class instance or class name.")
    return resolve_class(_trim(value), resolver)


def _trim(text: str) -> str:
    return text.strip(_TRIMMED)


def _decimal(text: str, kind: ConfigType) -> int:
    if not _DECIMAL.fullmatch(text):
        raise _not_a_number(kind)
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        raise _not_a_number(kind) from None


def _not_a_number(kind: ConfigType) -> _UnfitError:
    return _UnfitError(f"Not a number of type {kind.name}")


_PARSERS: Final[Mapping[ConfigType, Callable[[object, ConfigType], object]]] = {
    ConfigType.BOOLEAN: _parse_boolean,
    ConfigType.STRING: _parse_string,
    ConfigType.SHORT: _parse_integer,
    ConfigType.INT: _parse_integer,
    ConfigType.LONG: _parse_integer,
    ConfigType.DOUBLE: _parse_double,
    ConfigType.LIST: _parse_list,
    ConfigType.PASSWORD: _parse_password,
}
