"""Converts settings to form fields from their validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FIELD: Final = "set:"
REMOVE: Final = "remove:"
OTHER: Final = "other:"
OTHERS: Final = "others"
FIXED: Final = ("name", "connector.class")
"""Settings with places of their own on the page."""
_SECRET: Final = "PASSWORD"  # noqa: S105  # a type's name
_OWN: Final = "The connector's own settings"


@dataclass(frozen=True, slots=True)
class SettingField:
    """One setting as the form shows it.

    Attributes:
        text: the content of the field; never that of a secret.
        is_set: whether the configuration has a value for it.
        choices: for a list to choose from; the first is the default.
    """

    key: str
    label: str
    kind: str
    documentation: str
    required: bool
    default: str | None
    text: str
    is_set: bool
    errors: Sequence[str]
    recommended: Sequence[str]
    choices: Sequence[str] = ()

    @property
    def id(self) -> str:
        """Its id on the page."""
        return "field-" + self.key.encode().hex()

    @property
    def is_secret(self) -> bool:
        """Whether its value is never shown."""
        return self.kind == _SECRET

    @property
    def is_long(self) -> bool:
        """Whether it needs more than one line."""
        return "\n" in self.text


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """The settings of one group, in the order of their definition."""

    title: str
    fields: Sequence[SettingField]

    @property
    def errors(self) -> int:
        """The number of problems in the group."""
        return sum(len(field.errors) for field in self.fields)

    @property
    def is_open(self) -> bool:
        """Whether it is worth seeing at once."""
        return self.errors > 0 or any(field.required or field.is_set for field in self.fields)


def groups_of(
    validated: Mapping[str, Any], config: Mapping[str, str | None]
) -> Sequence[FieldGroup]:
    """The fields of a form, by group.

    Args:
        validated: the validation of ``config``.
        config: raw values.
    """
    grouped: dict[str, list[SettingField]] = {}
    for each in validated["configs"]:
        definition, value = each.get("definition"), each.get("value") or {}
        if definition is None or definition["name"] in FIXED:
            continue
        shown = value.get("visible", True) or value.get("errors") or definition["name"] in config
        if shown:
            title = definition["group"] or _OWN
            grouped.setdefault(title, []).append(_field(definition, value, config))
    return [FieldGroup(title, fields) for title, fields in grouped.items()]


def other_settings(
    validated: Mapping[str, Any], config: Mapping[str, str | None]
) -> dict[str, str]:
    """Settings that have no definition, and empty ones, for which an empty field cannot stand."""
    defined = {each["definition"]["name"] for each in validated["configs"] if each["definition"]}
    return {
        key: value
        for key, value in config.items()
        if value is not None and key not in FIXED and (key not in defined or value == "")
    }


def misplaced_errors(validated: Mapping[str, Any]) -> list[str]:
    """Problems of settings that have no field of their own."""
    return [
        f"{each['value']['name']}: {message}"
        for each in validated["configs"]
        if each["value"] and (not each["definition"] or each["definition"]["name"] in FIXED)
        for message in each["value"]["errors"]
    ]


def changes(
    form: Mapping[str, str], others: Mapping[str, str], config: Mapping[str, str]
) -> dict[str, str | None]:
    """The changes to a configuration from a submitted form; ``None`` removes a setting.

    An empty field selects the default; an empty field of a secret keeps its value.

    Args:
        form: the fields.
        others: settings without a field of their own, as they were sent.
        config: the current configuration.
    """
    patch: dict[str, str | None] = {}
    for key, text in _named(form, FIELD):
        if text and text != config.get(key, "").replace("\r\n", "\n"):
            patch[key] = text
        elif not text and config.get(key) and f"secret:{key}" not in form:
            patch[key] = None
    patch |= dict.fromkeys((key for key, _ in _named(form, REMOVE) if key in config), None)
    shown = [key for key, _ in _named(form, OTHER)]
    patch |= dict.fromkeys((key for key in shown if key in config and key not in others), None)
    return patch | {key: text for key, text in others.items() if config.get(key) != text}


def merged(config: Mapping[str, str], patch: Mapping[str, str | None]) -> dict[str, str]:
    """A configuration with changes made."""
    whole = {**config, **patch}
    return {key: value for key, value in whole.items() if value is not None}


def _named(form: Mapping[str, str], prefix: str) -> Iterable[tuple[str, str]]:
    return [(k.removeprefix(prefix), text) for k, text in form.items() if k.startswith(prefix)]


def _field(
    definition: Mapping[str, Any], value: Mapping[str, Any], config: Mapping[str, str | None]
) -> SettingField:
    key, kind = definition["name"], definition["type"]
    raw = config.get(key)
    return SettingField(
        key=key,
        label=definition["display_name"],
        kind=kind,
        documentation=definition["documentation"],
        required=definition["required"],
        default=definition["default_value"],
        text="" if kind == _SECRET else raw or "",
        is_set=key in config,
        errors=value.get("errors", ()),
        recommended=value.get("recommended_values", ()),
        choices=_choices(kind, raw),
    )


def _choices(kind: str, raw: str | None) -> Sequence[str]:
    """Those of a boolean, unless it is set to a reference or to something wrong."""
    if kind != "BOOLEAN" or raw not in {None, "", "true", "false"}:
        return ()
    return ("", "true", "false")
