"""The pages about plugins: versions, locations and diagnostics of discovery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.rest.console._api import PageError
from plugwright.rest.console._render import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins import Diagnostic, PluginDescriptor, Plugins
    from plugwright.rest.console._api import ConsoleApi
    from plugwright.rest.exchange import RestRequest, RestResponse


def plugins(api: ConsoleApi, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a page
    """Every copy of every plugin, those that cannot be used included, and all findings."""
    found = _discovered(api)
    rows = [_row(each) for each in (*found.descriptors, *found.builtin)]
    return page("plugins", plugins=rows, findings=found.diagnostics)


def plugin(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """One class: its names, its copies, and the findings about where they lie.

    Raises:
        PageError: 404 if discovery has found no such class.
    """
    found, name = _discovered(api), request.option("class") or ""
    copies = [each for each in (*found.descriptors, *found.builtin) if each.class_name == name]
    if not copies:
        raise PageError(404, f"There is no plugin {name}.")
    return page(
        "plugin",
        plugin=copies[0],
        copies=[_row(each) for each in copies],
        findings=_about(copies, found.diagnostics),
    )


def _discovered(api: ConsoleApi) -> Plugins:
    if api.service.plugins is None:
        raise PageError(404, "This worker does not report discovery results.")
    return api.service.plugins


def _row(plugin: PluginDescriptor) -> dict[str, str]:
    where = plugin.location
    return {
        "class": plugin.class_name,
        "type": plugin.type.name,
        "version": plugin.version,
        "distribution": plugin.distribution,
        "location": str(where.origin) if where else "",
        "kind": where.kind.value if where else "comes with the worker",
        "obstacle": plugin.obstacle,
    }


def _about(
    copies: Sequence[PluginDescriptor], findings: Sequence[Diagnostic]
) -> Sequence[Diagnostic]:
    places = {str(each.location.origin) for each in copies if each.location}
    names = {each.class_name for each in copies}
    return [
        finding
        for finding in findings
        if finding.location in places or any(name in finding.message for name in names)
    ]
