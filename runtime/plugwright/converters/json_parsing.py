r"""Reads JSON text without losing or misreading anything.

These texts, which JSON leaves undefined or Java's reader accepts, make the record a DataError:

- anything but blanks after the value (Java drops it);
- a key that occurs twice in one object (Java keeps the last value);
- nesting deeper than 100 levels (Java: 1,000 brackets, those of the schema among them);
- ``NaN`` and ``Infinity`` without quotes (as Java), numbers of more than 1,000 digits (as Java),
  numbers too large for a 64-bit float (Java: infinity);
- ``\ud800`` without its other half, and bytes that are not UTF-8 (as Java for the latter).

As in Java a number may have leading zeros.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from plugwright.converters.misfit import MAX_DEPTH, MisfitError, too_deep

if TYPE_CHECKING:
    from plugwright.converters.json_engine import JsonEngine

ENVELOPE_BRACKETS = 2 * MAX_DEPTH + 4
"""The maximum nesting of brackets in a text with a schema, where each struct takes two."""

_CONTAINERS = (dict, list)
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19
"""Shorter whole numbers fit 64 bits."""

_LONGEST_NUMBER = 1000
_MAX_SCALE = 2**31 - 1
_COLONS = (b'":', b" :", b"\t:", b"\r:", b"\n:")
_LEADING_ZEROS = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|(?<![\d.eE+-])(-?)0+(?=\d)', re.DOTALL)
_ZERO_FIRST = re.compile(r"(?<!\d)0\d")
"""Present in every text with leading zeros; most invalid JSON texts have none."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = " \t\r\n"
_DECODER = json.JSONDecoder()


class NotFastError(Exception):
    """The fast parser is not certain; the exact parser decides."""


def parse_fast(engine: JsonEngine, data: bytes) -> Any:
    """The value of a JSON text with numbers as int and float, if that is certainly exact.

    Hot path: once per record. Budget: twice the time of the engine alone.

    Raises:
        NotFastError: if only the exact parser can decide.
    """
    try:
        value = engine.loads(data)
    except ValueError as error:
        raise NotFastError from error
    if _LONG_NUMBER in data.translate(_DIGITS):
        raise NotFastError
    if value.__class__ in _CONTAINERS and not _is_flat(value, data):
        keys = _count_keys(value)
        # Every key has a colon: equal numbers of keys and colons mean that no key was dropped.
        if keys != data.count(b":") and keys != sum(map(data.count, _COLONS)):
            raise NotFastError
    return value


def _is_flat(value: Any, data: bytes) -> bool:
    """Whether all colons belong to the outermost keys, and there are few brackets."""
    keys = len(value) if value.__class__ is dict else 0
    return keys == data.count(b":") and data.count(b"[") + data.count(b"{") <= MAX_DEPTH


def _count_keys(value: Any) -> int:
    """The number of keys in all objects.

    Raises:
        NotFastError: if the nesting is too deep.
    """
    keys = 0
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for node in level:
            if node.__class__ is dict:
                keys += len(node)
                below += [item for item in node.values() if item.__class__ in _CONTAINERS]
            else:
                below += [item for item in node if item.__class__ in _CONTAINERS]
        if not below:
            return keys
        level = below
    raise NotFastError


def parse_exactly(data: bytes, brackets: int = MAX_DEPTH) -> Any:
    """The value of a JSON text with whole numbers as int and others as Decimal.

    Args:
        data: the text, in UTF-8.
        brackets: how many brackets may be nested in one another.

    Raises:
        MisfitError: if the text is not JSON, or breaks a rule of this module.
    """
    text = _decoded(data)
    _check_depth(text, brackets)
    try:
        value = _loads(text)
    except ValueError as error:
        raise _no_json(error) from error
    check_text(value)
    return value


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _no_json(error) from error


def _loads(text: str) -> Any:
    try:
        return _load(text)
    except ValueError:
        if not _ZERO_FIRST.search(text):
            raise
        without_zeros = _LEADING_ZEROS.sub(r"\1\2", text)
        if without_zeros == text:
            raise
        return _load(without_zeros)


def _load(text: str) -> Any:
    if text.startswith("\ufeff"):
        raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
    return _exact_decoder().decode(text)


@cache
def _exact_decoder() -> json.JSONDecoder:
    """The objects that ``json.loads`` would create for each text."""
    return json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_int=_whole,
        parse_float=_decimal,
        parse_constant=_constant,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # the idiom for "seen before"
        raise MisfitError("a key occurs twice in one object", code="data.not-json").in_field(twice)
    return value


def _whole(text: str) -> int:
    _check_length(text)
    return int(text)


def _decimal(text: str) -> Decimal:
    _check_length(text)
    try:
        number = Decimal(text)
    except InvalidOperation as error:
        raise _too_large() from error
    if not number.is_finite() or abs(int(number.as_tuple().exponent)) > _MAX_SCALE:
        raise _too_large()
    return number


def _constant(text: str) -> NoReturn:
    raise MisfitError(f"the text is not JSON: {text} is not a number", code="data.not-json")


def _check_length(text: str) -> None:
    if len(text) > _LONGEST_NUMBER:
        raise MisfitError(
            f"a number has {len(text)} digits, the maximum is {_LONGEST_NUMBER}",
            code="data.out-of-range",
        )


def _check_depth(text: str, brackets: int) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    if text.count("[") + text.count("{") <= brackets:
        return
    depth = 0
    for bracket in re.findall(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', text, re.DOTALL):
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > brackets:
            raise too_deep()


def check_text(value: Any) -> None:
    """Refuse halves of surrogate pairs, because no encoding can write them.

    Raises:
        MisfitError: with the path of the string.
    """
    if isinstance(value, str):
        if _SURROGATE.search(value):
            raise MisfitError("a string has half a surrogate pair", code="data.not-json")
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_inside(key, key)
            _check_inside(key, item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_inside(index, item)


def _check_inside(step: str | int, item: Any) -> None:
    try:
        check_text(item)
    except MisfitError as error:
        error.in_field(step) if isinstance(step, str) else error.in_item(step)
        raise


def _no_json(error: Exception) -> MisfitError:
    return MisfitError(f"the text is not JSON: {error}", code="data.not-json")


def _too_large() -> MisfitError:
    return MisfitError("a number is too large for every type", code="data.out-of-range")


def envelope_prefix(data: bytes) -> bytes | None:
    """The text before the payload of an envelope, or ``None`` if the schema is not first.

    The text must be JSON with the two keys. Texts with the same prefix have the same schema.
    """
    text = data.decode("utf-8", "surrogatepass")
    try:
        at = _after(text, _after_key(text, _after(text, 0, "{"), "schema"), ":")
        _, at = _DECODER.raw_decode(text, _skip(text, at))
        at = _after(text, _after_key(text, _after(text, at, ","), "payload"), ":")
    except ValueError:
        return None
    return text[:at].encode("utf-8", "surrogatepass")


def _after_key(text: str, at: int, key: str) -> int:
    return _after(text, at, f'"{key}"')


def _after(text: str, at: int, token: str) -> int:
    at = _skip(text, at)
    if not text.startswith(token, at):
        raise ValueError(token)
    return at + len(token)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at
