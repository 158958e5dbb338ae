"""Writes the reference pages from the code: settings, commands, checks, REST, error codes.

A Sphinx extension. Pages go to ``reference/generated`` before Sphinx reads its sources; a page
whose text has not changed keeps its time, so that Sphinx does not read it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_acls import acls
from reference_declaration import declaration
from reference_mutants import mutants
from reference_texts import checks, commands, error_codes, plugins, rest_endpoints, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sphinx.application import Sphinx

__all__ = ["setup"]

PAGES: Mapping[str, Callable[[], str]] = {
    "acls": acls,
    "commands": commands,
    "conformance-toml": declaration,
    "error-codes": error_codes,
    "mutants": mutants,
    "plugins": plugins,
    "rest": rest_endpoints,
    "settings": settings,
}


def _pages() -> Mapping[str, str]:
    return {name: text_of() for name, text_of in PAGES.items()} | checks()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "version": "1"}


def _write(app: Sphinx) -> None:
    directory = Path(app.srcdir) / "reference" / "generated"
    for name, text in _pages().items():
        page = directory / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
