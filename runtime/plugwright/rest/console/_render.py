"""Pages: from a template and values to an answer, everything escaped."""

from __future__ import annotations

import functools
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from plugwright.plugins import printable
from plugwright.rest.exchange import RestResponse

if TYPE_CHECKING:
    from jinja2 import Environment

    from plugwright.rest.console._api import ConsoleApi

_HEADERS: Final = MappingProxyType(
    {
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; style-src 'self'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
    }
)
"""No script and nothing from elsewhere; no page of others may show one of these in a frame."""


def page(template: str, status: int = 200, **values: object) -> RestResponse:
    """An answer made from a packaged template.

    Args:
        template: its name without the ending.
        status: of the answer.
        values: what it shows; text is escaped, and characters that steer a terminal or turn the
            direction of writing show as their escapes.
    """
    text = _environment().get_template(f"{template}.html.j2").render(values)
    content = text.encode("utf-8", "replace")
    return RestResponse(status, content, "text/html; charset=utf-8", _HEADERS)


def style() -> RestResponse:
    """The style sheet of all pages."""
    headers = {**_HEADERS, "cache-control": "max-age=300"}
    return RestResponse(200, _packaged("console.css").encode(), "text/css; charset=utf-8", headers)


def see(path: str, **query: str) -> RestResponse:
    """Send the browser to another page, so that reloading it changes nothing again.

    Args:
        path: last part of the page's path; relative, so that it holds behind a proxy.
        query: parameters.
    """
    target = f"{path}?{urlencode(query)}"
    return RestResponse(303, headers={**_HEADERS, "location": target})


def connector_page(
    api: ConsoleApi, name: str, template: str, status: int = 200, **values: object
) -> RestResponse:
    """A page about one connector, with its state at the top.

    Raises:
        PageError: if there is no such connector.
    """
    state = api.get("connectors", name, "status")
    return page(template, status, name=name, connector_status=state, **values)


@functools.cache
def _environment() -> Environment:
    """The templates, compiled once each: they depend on nothing but packaged files."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415  # the first page

    environment = Environment(
        autoescape=True,
        loader=FunctionLoader(_packaged),
        finalize=_neutral,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["query"] = urlencode
    environment.filters["rate"] = _rate
    return environment


def _neutral(value: object) -> object:
    """Text whose lines hold nothing invisible; markup that was escaped already stays as it is."""
    if type(value) is not str:
        return value
    return "\n".join(printable(line.replace("\t", "    ")) for line in value.split("\n"))


def _rate(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:,.1f}"


def _packaged(name: str) -> str:
    return resources.files(__package__).joinpath("pages", name).read_text("utf-8")
