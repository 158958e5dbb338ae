"""Waivers: permission to fail one check until a date."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["LONGEST", "Waiver", "read_waivers", "require_in_force", "waivers_from"]

LONGEST = dt.timedelta(days=90)
"""The longest that a waiver may last."""

_FIELDS = ("id", "reason", "owner", "created", "expires")


@dataclass(frozen=True, slots=True)
class Waiver:
    """Permission to fail one check until a date.

    Attributes:
        reason: why that is no harm, for readers of the certificate.
        owner: who sees to it that the waiver goes.
        created: ISO 8601 date; it counts from its first second on, UTC.
        expires: ISO 8601 date; the first day on which it does not count any more.
        issue: link to where the work on it is.
    """

    id: str
    reason: str
    owner: str
    created: str
    expires: str
    issue: str = ""


def read_waivers(file: Path) -> Sequence[Waiver]:
    """The ``[[waiver]]`` tables of a TOML file.

    Raises:
        ConnectError: ``waiver.unreadable`` or ``waiver.invalid``.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConnectError(
            f"the waivers in {file} cannot be read: {error}",
            code="waiver.unreadable",
            hint="name a TOML file of [[waiver]] tables",
            facts={"path": str(file)},
        ) from error
    return waivers_from(document.get("waiver", []), str(file))


def waivers_from(tables: Any, place: str) -> Sequence[Waiver]:
    """Waivers from parsed TOML.

    Raises:
        ConnectError: ``waiver.invalid``, naming the field that is missing or wrong.
    """
    if not isinstance(tables, list):
        raise _invalid(place, "waivers must be tables, as in [[waiver]]")
    return tuple(_waiver(table, place) for table in tables)


def _waiver(table: Any, place: str) -> Waiver:
    if not isinstance(table, dict):
        raise _invalid(place, "waivers must be tables, as in [[waiver]]")
    name = str(table.get("id", "without id"))
    for field in _FIELDS:
        if not str(table.get(field, "")).strip():
            raise _invalid(place, f"the waiver {name} lacks {field}")
    if strange := sorted(table.keys() - {*_FIELDS, "issue"}):
        raise _invalid(place, f"the waiver {name} has an unknown field {strange[0]}")
    texts = {field: str(table[field]) for field in _FIELDS}
    waiver = Waiver(**texts, issue=str(table.get("issue", "")))
    created, expires = _day(waiver, waiver.created, place), _day(waiver, waiver.expires, place)
    if not dt.timedelta(0) < expires - created <= LONGEST:
        raise _invalid(
            place,
            f"the waiver {name} lasts from {waiver.created} to {waiver.expires}; "
            f"at most {LONGEST.days} days do",
        )
    return waiver


def _day(waiver: Waiver, text: str, place: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise _invalid(place, f"the waiver {waiver.id} has no ISO date in {text!r}") from error


def _invalid(place: str, message: str) -> ConnectError:
    return ConnectError(
        f"{place}: {message}",
        code="waiver.invalid",
        hint="give each waiver id, reason, owner, created and expires",
        facts={"place": place},
    )


def require_in_force(
    waivers: Iterable[Waiver], known: Iterable[str], today: dt.date
) -> Mapping[str, Waiver]:
    """The waivers by the check that they are for.

    Raises:
        ConnectError: ``waiver.unknown-check``, ``waiver.expired`` or ``waiver.repeated``.
    """
    checks, found = set(known), {}
    for waiver in waivers:
        if waiver.id not in checks:
            raise _remove(waiver, "unknown-check", "this plugin has no check with this id")
        if waiver.id in found:
            raise _remove(waiver, "repeated", "the same check has another waiver")
        if dt.date.fromisoformat(waiver.expires) <= today:
            raise _remove(waiver, "expired", f"it expired on {waiver.expires}")
        if dt.date.fromisoformat(waiver.created) > today:
            raise _remove(waiver, "expired", f"it begins on {waiver.created}")
        found[waiver.id] = waiver
    return found


def _remove(waiver: Waiver, code: str, reason: str) -> ConnectError:
    return ConnectError(
        f"the waiver of {waiver.id}, owned by {waiver.owner}, does not count: {reason}",
        code=f"waiver.{code}",
        hint="remove this waiver",
        facts={"id": waiver.id},
    )
