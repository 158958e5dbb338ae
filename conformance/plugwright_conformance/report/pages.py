"""Renders HTML pages from templates, with escaped text."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

from plugwright_conformance.report.neutral import visible

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["page_environment"]


def page_environment(package: str, style: str) -> Environment:
    """The templates in a package's directory ``page``.

    Text is escaped, and invisible characters are replaced by escapes. The globals ``css`` and
    ``css_hash`` have the style and its hash for the page's content security policy.

    Args:
        package: where the directory is.
        style: name of the style sheet there.
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415  # an extra's package
    from markupsafe import Markup  # noqa: PLC0415  # comes with jinja2

    def neutral(value: object) -> object:
        return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    def packaged(name: str) -> str:
        return resources.files(package).joinpath("page", name).read_text("utf-8")

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(packaged),
        finalize=neutral,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    css = packaged(style)
    environment.globals.update(
        css=Markup(css),  # noqa: S704  # our own file, no foreign text
        css_hash=_source_hash(css),
    )
    return environment


def _source_hash(css: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
