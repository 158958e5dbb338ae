"""The page of ``conformance.toml``, made of the table that the reader of the file works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.subject.declared_keys import (
    CAPABILITY_KEYS,
    PLUGIN_KEYS,
    TOP_KEYS,
    DeclaredKey,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["declaration", "example"]

_INTRODUCTION = """\
# conformance.toml

What a connector promises, and how the suite reaches the system on its other side. The file
stands in the connector's package and is read without running its code. A key that is not on this
page is refused, all of them at once, each with the one that was meant.
"""
_SHOWN = ("delivery", "types", "excluded_characters", "order", "parallel")
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
            "A promise that is not kept fails a check, one that is not made is not tested.\n",
            _table(CAPABILITY_KEYS),
        ]
    )


def example() -> str:
    """A whole file, of the examples in the tables."""
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
    head = "| Key | Values | Default | What it says | Example |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, ""])


def _code(text: str) -> str:
    return f"`{text}`" if text else ""
