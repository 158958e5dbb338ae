"""Converts between typed values and JSON by one definition of the layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

_T = TypeVar("_T")
_WORDS: Mapping[type, str] = {bool: "true or false", int: "an integer", str: "text"}


class LayoutError(ValueError):
    """A document lacks, adds or mistypes a field; the message contains its path."""


def as_plain(value: object) -> object:
    """The value as objects, arrays and scalars; every field of every dataclass is written.

    Fields marked as ``left out`` are omitted if they have their default, so that new fields do not
    change the bytes of older documents.
    """
    if is_dataclass(value) and not isinstance(value, type):
        found = [(f, getattr(value, f.name)) for f in fields(value)]
        written = [(f, each) for f, each in found if not (_may_lack(f) and each == f.default)]
        return {_name(f): as_plain(each) for f, each in written}
    match value:
        case Mapping():
            return {str(name): as_plain(item) for name, item in value.items()}
        case list() | tuple():
            return [as_plain(item) for item in value]
        case _:
            return value


def from_plain(kind: type[_T], value: object, where: str = "") -> _T:
    """The dataclass for a plain object, which must have exactly its fields, with their types.

    Raises:
        LayoutError: with the path of the first field that does not fit.
    """
    if not isinstance(value, dict):
        _refuse(where, "an object", value)
    names = _layout(kind)
    lacking = {_name(f) for f in fields(kind) if _may_lack(f)} - value.keys()  # type: ignore[arg-type]  # a dataclass
    names = {name: each for name, each in names.items() if name not in lacking}
    if value.keys() != names.keys():
        missing, strange = names.keys() - value.keys(), value.keys() - names.keys()
        problems = [f"{each} is missing" for each in sorted(missing)]
        problems += [f"{each} is unknown" for each in sorted(strange)]
        raise LayoutError(f"{where or 'the document'}: {', '.join(problems)}")
    read = {
        attribute: _read(hint, value[name], f"{where}.{name}" if where else name)
        for name, (attribute, hint) in names.items()
    }
    return kind(**read)


def _read(hint: Any, value: object, where: str) -> Any:
    if hint is object:
        return value
    if isinstance(hint, UnionType):
        (inner,) = (each for each in get_args(hint) if each is not NoneType)
        return None if value is None else _read(inner, value, where)
    if get_origin(hint) is tuple:
        return _read_items(get_args(hint)[0], value, where)
    if get_origin(hint) is Mapping:
        return _read_members(get_args(hint)[1], value, where)
    if is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, value, where)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        _refuse(where, _WORDS[hint], value)
    return value


def _read_items(hint: Any, value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        _refuse(where, "an array", value)
    return tuple(_read(hint, item, f"{where}[{place}]") for place, item in enumerate(value))


def _read_members(hint: Any, value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse(where, "an object", value)
    return {name: _read(hint, item, f"{where}.{name}") for name, item in value.items()}


def _layout(kind: type) -> Mapping[str, tuple[str, Any]]:
    """The field and its type, by its name in documents."""
    hints = get_type_hints(kind)
    return {_name(f): (f.name, hints[f.name]) for f in fields(kind)}


def _may_lack(described: Any) -> bool:
    return bool(described.metadata.get("left out"))


def _name(described: Any) -> str:
    return str(described.metadata.get("name", described.name))


def _refuse(where: str, expected: str, found: object) -> NoReturn:
    kind = "null" if found is None else type(found).__name__
    raise LayoutError(f"{where or 'the document'}: expected {expected}, found {kind}")
