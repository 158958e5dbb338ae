"""A definition as reStructuredText, as Kafka writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config._default_text import default_text
from plugwright.config._order import documented
from plugwright.config._validators import valid_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.config._definition import ConfigDef
    from plugwright.config._key import ConfigKey


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
