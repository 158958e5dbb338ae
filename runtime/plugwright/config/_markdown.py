"""A definition as Markdown: one section per setting, under the titles of their groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config._default_text import documented_default
from plugwright.config._order import documented
from plugwright.config._validators import valid_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.config._definition import ConfigDef
    from plugwright.config._key import ConfigKey


def to_markdown(definition: ConfigDef, header_depth: int = 2) -> str:
    """All settings in documentation order; equal definitions give equal text.

    Args:
        definition: what to describe.
        header_depth: the level of group titles; settings are one level below.
    """
    return "\n".join(_blocks(definition, header_depth))


def _blocks(definition: ConfigDef, depth: int) -> Iterator[str]:
    last: str | None = None
    for key in documented(definition):
        if key.group is not None and key.group != last:
            yield f"{'#' * depth} {key.group}\n"
        last = key.group
        yield f"{'#' * (depth + 1)} {_code(key.name)}\n"
        if key.documentation:
            yield f"{key.documentation.strip()}\n"
        yield "".join(f"- {label}: {text}\n" for label, text in _properties(key))


def _properties(key: ConfigKey) -> Iterator[tuple[str, str]]:
    yield "Type", key.type.value
    if key.has_default:
        yield "Default", _code(documented_default(key))
    else:
        yield "Required", "yes"
    values = valid_values(key.validator)
    if values:
        yield "Valid values", _code(values)
    yield "Importance", key.importance.value
    if key.dependents:
        yield "Dependents", ", ".join(map(_code, key.dependents))


def _code(text: str) -> str:
    """Inline code on one line, fenced so that backticks in the text stay text."""
    line = " ".join(text.split("\n"))
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
