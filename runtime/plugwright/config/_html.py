"""A definition as HTML, as Kafka writes it; documentation may hold HTML and is not escaped."""

from __future__ import annotations

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
    yield from zip(_COLUMNS[2:], _properties(key, documented_default(key)), strict=True)
    if modes:
        yield "Update Mode", modes.get(key.name, _READ_ONLY)


def _cells(key: ConfigKey, modes: Mapping[str, str]) -> str:
    values = (key.name, printed(key.documentation), *_properties(key, default_text(key)))
    cells = "".join(f"<td>{value}</td></td>" for value in values)
    return cells + (f"<td>{modes.get(key.name, _READ_ONLY)}</td>" if modes else "")


def _properties(key: ConfigKey, default: str) -> tuple[str, str, str, str]:
    return (
        key.type.value,
        default,
        valid_values(key.validator) or "",
        key.importance.value,
    )
