"""Generates the page of ``conformance.toml`` from the table of its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.subject.declared_keys import (
    CAPABILITY_KEYS,
    PLUGIN_KEYS,
    TOP_KEYS,
    DeclaredKey,
)
from plugwright_conformance.subject.kits import COMMON_KEYS, KITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.subject.kits import Kit

__all__ = ["declaration", "example"]

_INTRODUCTION = """\
# conformance.toml

This file declares a connector's capabilities, and how the suite accesses the external system. It
is in the connector's package and is read without running its code. Unknown keys are rejected, all
at once, each with its closest match.
"""
_SHOWN = ("delivery", "types", "excluded_characters", "order", "parallel")
_KITS = """\
An endpoint kit is a ready endpoint driver. A connector whose endpoint is like one of these needs no
driver of its own: `endpoint` is a table that names the kit, with the connector's settings and the
kit's options. `pip install "plugwright[kits]"` installs what the kits need. These are for single
values; a connector with declared `fields` needs a driver.
"""
_CONFIG = '\n[plugin.config]\ntopics = "{topic}"\n'


def declaration() -> str:
    """Every key with its values, its default and an example."""
    return "\n".join(
        [
            _INTRODUCTION,
            f"```toml\n{example()}```\n",
            "## The file\n",
            _table(TOP_KEYS),
            "## A connector: `[[plugin]]`\n",
            _table(PLUGIN_KEYS),
            "## Its capabilities: `[plugin.capabilities]`\n",
            "The suite tests every declared capability, and no others.\n",
            _table(CAPABILITY_KEYS),
            "## Endpoint kits: `[plugin.endpoint]`\n",
            _KITS,
            "Every kit has these options:\n",
            _table(COMMON_KEYS),
            *(part for kit in KITS.values() for part in _kit(kit)),
        ]
    )


def _kit(kit: Kit) -> Iterator[str]:
    """The section of one kit."""
    yield f"### `{kit.name}`\n"
    yield f"{kit.meaning}\n"
    for name, meaning in kit.placeholders.items():
        yield f"- `{{{name}}}`: {meaning}"
    yield ""
    yield _table(kit.keys)


def example() -> str:
    """A complete file, made of the examples in the tables."""
    by_name = {key.name: key for key in (*PLUGIN_KEYS, *CAPABILITY_KEYS)}
    plugin = [_line(by_name[name]) for name in ("class", "endpoint")]
    capabilities = [_line(by_name[name]) for name in _SHOWN]
    return "".join(
        ["format = 1\n\n[[plugin]]\n", *plugin, _CONFIG, "\n[plugin.capabilities]\n", *capabilities]
    )


def _line(key: DeclaredKey) -> str:
    return f"{key.name} = {key.example}\n"


def _table(keys: Sequence[DeclaredKey]) -> str:
    rows = [
        f"| `{key.name}` | {key.values} | {key.default} | {key.meaning} | {_code(key.example)} |"
        for key in keys
    ]
    head = "| Key | Values | Default | Meaning | Example |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, ""])


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
