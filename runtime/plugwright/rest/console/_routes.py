"""The console's pages as endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.rest.console._api import ConsoleApi, PageError
from plugwright.rest.console._connector import change, connector
from plugwright.rest.console._edit import choose, edit, save
from plugwright.rest.console._form import FORM
from plugwright.rest.console._offsets import alter, offsets
from plugwright.rest.console._overview import overview
from plugwright.rest.console._plugins import plugin, plugins
from plugwright.rest.console._render import page, style
from plugwright.rest.console._same_origin import require_same_origin
from plugwright.rest.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.rest.exchange import RestRequest, RestResponse
    from plugwright.rest.service import Service

    Call = Callable[[Service, RestRequest], RestResponse]
    Page = Callable[[ConsoleApi, RestRequest], RestResponse]

_PAGES: tuple[tuple[str, str, Page, str, bool], ...] = (
    ("GET", "/console", overview, "Connectors with their states", False),
    ("GET", "/console/connector", connector, "One connector with its tasks", False),
    ("POST", "/console/change", change, "Pause, resume, stop, restart or delete", False),
    ("GET", "/console/new", choose, "Choose a plugin for a new connector", False),
    ("GET", "/console/edit", edit, "The settings of a connector as a form", True),
    ("POST", "/console/edit", save, "Validate and save settings", True),
    ("GET", "/console/offsets", offsets, "A connector's offsets", False),
    ("POST", "/console/offsets", alter, "Alter or reset offsets", True),
    ("GET", "/console/plugins", plugins, "Plugins with versions and locations", False),
    ("GET", "/console/plugin", plugin, "What discovery knows of one plugin", False),
)
"""Method, path, what makes the answer, a sentence, and whether code of plugins runs."""


def console_routes(call: Call) -> tuple[Route, ...]:
    """The endpoints of the console.

    Args:
        call: answers a request as the REST API does, errors included; whatever the pages show or
            change goes through it.
    """
    pages = (_route(call, *each) for each in _PAGES)
    return (*pages, Route("GET", "/console/console.css", _style, "The style", {}, internal=True))


def _route(  # noqa: PLR0913, PLR0917  # a row of the table
    call: Call, method: str, path: str, answer: Page, summary: str, runs_plugins: bool
) -> Route:
    def shown(service: Service, request: RestRequest) -> RestResponse:
        try:
            if method == "POST":
                require_same_origin(request)
            return answer(ConsoleApi(call, service, request), request)
        except PageError as error:
            return page("error", error.status, number=error.status, message=str(error))

    return Route(
        method,
        path,
        shown,
        summary,
        {},
        runs_plugins=runs_plugins,
        internal=True,
        content_type="text/html",
        sent_type=FORM,
    )


def _style(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    return style()
