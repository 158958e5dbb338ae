"""Reads JSON requests strictly, and writes JSON responses in the order of fields."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from plugwright.rest._errors import UnreadableBodyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import Field

_MALFORMED = "rest.malformed-json"
_MOST_DIGITS = 1_000
_MOST_IN_NAME = 50_000
"""Jackson's limits for a number and for the name of a field (``StreamReadConstraints``)."""
_SCALARS = frozenset({str, bool, int})


class NumberText(str):
    """A number in its original notation."""

    __slots__ = ()


def parse_json(body: bytes) -> Any:
    """Parse the body of a request.

    Raises:
        UnreadableBodyError: if it is not JSON, holds text that is not Unicode, or a number that no
            JSON answer could hold.
    """
    return _loaded(body, numbers_as_text=False)


def parse_texts(body: bytes) -> Any:
    """Parse the body with numbers as `NumberText`, from which Jackson makes strings."""
    return _loaded(body, numbers_as_text=True)


def to_json(value: object) -> bytes:
    """Encode a value, which may contain dataclasses.

    As with Jackson, invalid Unicode becomes ``?``, and numbers without a JSON form
    become strings.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def json_name(field: Field[Any]) -> str:
    """The JSON name of a dataclass field."""
    return str(field.metadata.get("json", field.name))


@cache
def _json_fields(cls: type[Any]) -> Sequence[tuple[str, str, bool]]:
    """Attribute, JSON name, and whether it is left out when empty, of each field."""
    return [(each.name, json_name(each), "omit" in each.metadata) for each in fields(cls)]


def _loaded(body: bytes, *, numbers_as_text: bool) -> Any:
    if not body.strip():
        raise _malformed("it is empty")
    try:
        text = body.decode(json.detect_encoding(body))
        value = json.loads(
            text.removeprefix("\ufeff"),
            parse_int=_bounded(NumberText if numbers_as_text else int),
            parse_float=_bounded(NumberText if numbers_as_text else _finite),
            parse_constant=_refused,
            object_pairs_hook=_object_of_texts if numbers_as_text else _object,
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError as error:
        raise _malformed("it holds text that is not valid Unicode") from error
    except RecursionError as error:
        raise _malformed("it is nested too deeply") from error
    except ValueError as error:
        raise _malformed(str(error)) from error
    return value


def _bounded(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reads a number unless it is longer than Jackson takes."""

    def bounded(text: str) -> Any:
        if len(text) > _MOST_DIGITS and sum(map(str.isdigit, text)) > _MOST_DIGITS:
            raise ValueError(f"a number has more than {_MOST_DIGITS} digits")
        return read(text)

    return bounded


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The last value of each name."""
    found = dict(pairs)
    if any(len(name) > _MOST_IN_NAME for name in found):
        raise ValueError(f"the name of a field has more than {_MOST_IN_NAME} characters")
    return found


def _object_of_texts(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The same where values are texts or whole objects.

    Jackson makes a text of each value as it comes, and fails at an object even if a text of the
    same name follows.
    """
    found = _object(pairs)
    if len(found) < len(pairs):
        objects = {name for name, value in pairs if isinstance(value, dict | list)}
        for name in objects:
            if not isinstance(found[name], dict | list):
                message = f"the field {name} stands twice, and not as text only"
                raise ValueError(message)  # noqa: TRY004  # the JSON is wrong, no type
    return found


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _refused(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _malformed(reason: str) -> UnreadableBodyError:
    return UnreadableBodyError(
        f"The request body is not valid JSON: {reason}",
        code=_MALFORMED,
        hint="send one JSON value, encoded as UTF-8",
    )


def _plain(value: object) -> object:
    """The value without dataclasses; a list of all statuses has ten thousand values."""
    if value is None or type(value) in _SCALARS:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {
            name: _plain(found)
            for attribute, name, omitted in _json_fields(type(value))
            if (found := getattr(value, attribute)) or not omitted
        }
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    return value
