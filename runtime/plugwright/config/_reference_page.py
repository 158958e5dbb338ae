"""A definition as reStructuredText, Markdown or HTML; the first and the last as Kafka writes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugwright.config._default_text import default_text, documented_default
from plugwright.config._order import documented
from plugwright.config._printing import printed
from plugwright.config._validators import valid_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.config._definition import ConfigDef
    from plugwright.config._key import ConfigKey


_COLUMNS: Final = ("Name", "Description", "Type", "Default", "Valid Values", "Importance")
_READ_ONLY: Final = "read-only"


def to_html(
    definition: ConfigDef,
    header_depth: int = 4,
    id_generator: Callable[[str], str] = str,
    dynamic_update_modes: Mapping[str, str] | None = None,
) -> str:
    """All settings as a list to embed in a page.

    Args:
        definition: what to describe.
        header_depth: the level of the headings with the names.
        id_generator: makes the anchor of a setting from its name.
        dynamic_update_modes: update mode by name; if any is given, the others are read-only.
    """
    items = (
        _item(key, header_depth, id_generator(key.name), dynamic_update_modes or {})
        for key in documented(definition)
    )
    return f'<ul class="config-list">\n{"".join(items)}</ul>\n'


def to_html_table(
    definition: ConfigDef, dynamic_update_modes: Mapping[str, str] | None = None
) -> str:
    """All settings as one table to embed in a page; each cell is closed twice, as in Kafka.

    Args:
        definition: what to describe.
        dynamic_update_modes: update mode by name; if any is given, the others are read-only.
    """
    modes = dynamic_update_modes or {}
    columns = (*_COLUMNS, "Dynamic Update Mode") if modes else _COLUMNS
    header = "".join(f"<th>{column}</th>\n" for column in columns)
    rows = "".join(f"<tr>\n{_cells(key, modes)}</tr>\n" for key in documented(definition))
    table = f'<table class="data-table"><tbody>\n<tr>\n{header}</tr>\n{rows}'
    return f"{table}</tbody></table>"


def _item(key: ConfigKey, depth: int, anchor: str, modes: Mapping[str, str]) -> str:
    link = f'<a id="{key.name}"></a><a id="{anchor}" href="#{anchor}">{key.name}</a>'
    documentation = (key.documentation or "").replace("\n", "<br>")
    rows = "".join(
        f"<tr><th>{label}:</th><td>{value}</td></tr>\n" for label, value in _details(key, modes)
    )
    return (
        f"<li>\n<h{depth}>{link}</h{depth}>\n<p>{documentation}</p>\n"
        f"<table><tbody>\n{rows}</tbody></table>\n</li>\n"
    )


def _details(key: ConfigKey, modes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from zip(_COLUMNS[2:], _row_of(key, documented_default(key)), strict=True)
    if modes:
        yield "Update Mode", modes.get(key.name, _READ_ONLY)


def _cells(key: ConfigKey, modes: Mapping[str, str]) -> str:
    values = (key.name, printed(key.documentation), *_row_of(key, default_text(key)))
    cells = "".join(f"<td>{value}</td></td>" for value in values)
    return cells + (f"<td>{modes.get(key.name, _READ_ONLY)}</td>" if modes else "")


def _row_of(key: ConfigKey, default: str) -> tuple[str, str, str, str]:
    return (
        key.type.value,
        default,
        valid_values(key.validator) or "",
        key.importance.value,
    )


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


def to_rst(definition: ConfigDef) -> str:
    """All settings in order, without groups."""
    return "".join(f"{_key(key)}\n" for key in documented(definition))


def to_enriched_rst(definition: ConfigDef) -> str:
    """All settings under the titles of their groups, with their dependents."""
    return "".join(_enriched(definition))


def _enriched(definition: ConfigDef) -> Iterator[str]:
    last = ""
    for key in documented(definition):
        if key.group is not None and key.group.lower() != last.lower():
            yield f"{key.group}\n{'^' * len(key.group)}\n\n"
        last = last if key.group is None else key.group
        yield _key(key)
        if key.dependents:
            yield f"  * Dependents: {', '.join(f'``{name}``' for name in key.dependents)}\n"
        yield "\n"


def _key(key: ConfigKey) -> str:
    values = valid_values(key.validator)
    lines = [f"``{key.name}``", *_documentation(key), f"  * Type: {key.type.value}"]
    if key.has_default:
        lines.append(f"  * Default: {default_text(key)}")
    if values is not None:
        lines.append(f"  * Valid Values: {values}")
    lines.append(f"  * Importance: {key.importance.value}")
    return "".join(f"{line}\n" for line in lines)


def _documentation(key: ConfigKey) -> Iterator[str]:
    """Each line of text with a blank one after it; without any documentation just a blank line."""
    if key.documentation is None:
        yield ""
        return
    for line in key.documentation.split("\n"):
        if line:
            yield f"  {line}"
            yield ""
