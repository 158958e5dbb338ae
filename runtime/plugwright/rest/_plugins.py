"""The endpoints that list plugins, show their settings and validate configurations."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from plugwright.control_plane import BadRequestError, ConfigInfos, ConfigKeyInfo, PluginInfo
from plugwright.errors import ConfigError, NotFoundError
from plugwright.rest._bodies import settings_of
from plugwright.rest._errors import RestError
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import QueryParameter, Route

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service

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
        message = f"Connector config {{{keys}}} contains no connector type"
        raise _impossible(message, "rest.bad-request", "add connector.class to the configuration")
    if not _alias(included).endswith(_alias(plugin)):
        raise BadRequestError(
            f"Included connector type {included} does not match request type {plugin}"
        )
    try:
        return RestResponse.json(service.herder.validate_connector_config(config))
    except (BadRequestError, ConfigError, NotFoundError) as error:
        raise _impossible(str(error), error.code, error.hint) from error


def _impossible(message: str, code: str, hint: str) -> RestError:
    """The error for a configuration that cannot be validated, with Kafka Connect's status."""
    return RestError(HTTPStatus.INTERNAL_SERVER_ERROR, message, code=code, hint=hint)


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
    ),
)
"""Endpoints under ``/connector-plugins``."""
