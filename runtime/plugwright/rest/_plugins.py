"""The endpoints that list plugins, show their settings and validate configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugwright.rest._bodies import settings_of
from plugwright.rest._errors import BadRequestError
from plugwright.rest._exchange import RestResponse
from plugwright.rest._route import QueryParameter, Route
from plugwright.rest._values import ConfigInfos, ConfigKeyInfo, PluginInfo

if TYPE_CHECKING:
    from plugwright.rest._exchange import RestRequest
    from plugwright.rest._service import Service

__all__ = ["PLUGIN_ROUTES"]

_CONNECTORS: Final = ("sink", "source")
_SUFFIX: Final = "Connector"


def _list(service: Service, request: RestRequest) -> RestResponse:
    only = request.flag("connectorsOnly", default=True)
    plugins = service.herder.connector_plugins()
    return RestResponse.json([p for p in plugins if not only or p.type in _CONNECTORS])


def _settings(service: Service, request: RestRequest) -> RestResponse:
    version = request.option("version")
    return RestResponse.json(service.herder.connector_plugin_config(request["plugin"], version))


def _validate(service: Service, request: RestRequest) -> RestResponse:
    config, plugin = settings_of(request), request["plugin"]
    included = config.get("connector.class")
    if included is None:
        keys = ", ".join(sorted(config))
        raise BadRequestError(
            f"Connector config {{{keys}}} contains no connector type",
            hint="add connector.class to the configuration",
        )
    if not _alias(included).endswith(_alias(plugin)):
        raise BadRequestError(
            f"Included connector type {included} does not match request type {plugin}"
        )
    return RestResponse.json(service.herder.validate_connector_config(config))


def _alias(name: str) -> str:
    """A class name without its last word ``Connector``, unless it has no other."""
    return name.removesuffix(_SUFFIX) or name


PLUGIN_ROUTES = (
    Route(
        "GET",
        "/connector-plugins",
        _list,
        "List plugins",
        {200: ("The plugins", list[PluginInfo])},
        query=(QueryParameter("connectorsOnly", "false: list plugins of all kinds", "boolean"),),
    ),
    Route(
        "GET",
        "/connector-plugins/{plugin}/config",
        _settings,
        "List the settings of a plugin",
        {200: ("The settings", list[ConfigKeyInfo])},
        query=(QueryParameter("version", "Version or range of versions"),),
        runs_plugins=True,
    ),
    Route(
        "PUT",
        "/connector-plugins/{plugin}/config/validate",
        _validate,
        "Validate a connector's configuration",
        {200: ("Every setting with its problems", ConfigInfos)},
        body=dict[str, str | None],
        runs_plugins=True,
        missing_is_bad_request=True,
    ),
)
"""Endpoints under ``/connector-plugins``."""
