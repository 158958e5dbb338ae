"""The settings table for a plugin's README."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugwright.config import ConfigDef

__all__ = ["settings_table"]

_HEADINGS = ("Setting", "Type", "Default", "Valid values", "Meaning")


def settings_table(definition: ConfigDef) -> str:
    """A Markdown table with one row for each setting, as generated projects have it."""
    rows = [list(_HEADINGS), ["---"] * len(_HEADINGS)]
    for key in definition.keys.values():
        default = f"`{key.default_value}`" if key.has_default else "required"
        values = "" if key.validator is None else str(key.validator)
        rows.append([f"`{key.name}`", key.type.value, default, values, str(key.documentation)])
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)
