"""The endpoints that list, create, show, change and remove connectors."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from plugwright.control_plane import (
    BadRequestError,
    ConnectorInfo,
    ConnectorStatus,
    CreateConnector,
    TaskInfo,
)
from plugwright.errors import NotFoundError
from plugwright.rest._bodies import patch_of, require_list, settings_of, to_create
from plugwright.rest._errors import UnreadableBodyError
from plugwright.rest._media import ANY_TYPE
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import QueryParameter, Route

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service

log = logging.getLogger("plugwright.rest")

_PLAIN: Final = "!$&'()*+,;=:@/"
"""Characters without an escape in a path, besides letters, digits and ``-._~`` (RFC 3986, 3.3)."""
_TARGET_STATES: Final = {None: None, "RUNNING": "STARTED", "PAUSED": "PAUSED", "STOPPED": "STOPPED"}


def _list(service: Service, request: RestRequest) -> RestResponse:
    expansions = request.query.get("expand")
    if expansions is None:
        return RestResponse.json(service.herder.connectors())
    expanded = {}
    for name in service.herder.connectors():
        try:
            expanded[name] = {
                kind: found for kind in expansions for found in _expanded(service, name, kind)
            }
        except NotFoundError:
            log.debug("connector %r was removed while it was looked up", name)
    return RestResponse.json(expanded)


def _expanded(service: Service, name: str, kind: str) -> list[Any]:
    """The expansion of a connector; nothing for an unknown type, as in Kafka."""
    if kind == "status":
        return [service.herder.connector_status(name)]
    if kind == "info":
        return [service.herder.connector_info(name)]
    log.info("Ignoring unknown expansion type %r", kind)
    return []


def _create(service: Service, request: RestRequest) -> RestResponse:
    new = to_create(request)
    config = _with_name(new.name, new.config)
    state = _TARGET_STATES[new.initial_state]
    _, info = service.herder.put_connector_config(new.name, config, state, False)
    return _created(info)


def _show(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.connector_info(request["connector"]))


def _delete(service: Service, request: RestRequest) -> RestResponse:
    service.herder.delete_connector_config(request["connector"])
    return RestResponse(204)


def _config(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.connector_config(request["connector"]))


def _put_config(service: Service, request: RestRequest) -> RestResponse:
    name = request["connector"]
    config = _with_name(name, settings_of(request))
    created, info = service.herder.put_connector_config(name, config, None, True)
    return _created(info) if created else RestResponse.json(info)


def _patch_config(service: Service, request: RestRequest) -> RestResponse:
    name, patch = request["connector"], patch_of(request)
    service.herder.connector_config(name)
    if patch is None:
        raise UnreadableBodyError("The request body must be an object, but it is missing")
    try:
        _, info = service.herder.patch_connector_config(name, patch)
    except NotFoundError as error:
        if not error.code.startswith("plugin."):
            raise
        raise BadRequestError(str(error), code=error.code, hint=error.hint) from error
    return RestResponse.json(info)


def _status(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.connector_status(request["connector"]))


def _tasks(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.task_configs(request["connector"]))


def _put_tasks(service: Service, request: RestRequest) -> RestResponse:
    require_list(request)
    what = "set the configurations of tasks"
    service.herder.refuse_internal(what, signed=_is_signed(request))


def _fence(service: Service, request: RestRequest) -> RestResponse:
    what = "fence the producers of former tasks"
    service.herder.refuse_internal(what, signed=_is_signed(request))


def _is_signed(request: RestRequest) -> bool:
    """Whether a request has a signature like those of Kafka Connect's workers (KIP-507).

    Raises:
        BadRequestError: if there is no such algorithm.
    """
    algorithm = request.headers.get("x-connect-request-signature-algorithm")
    if algorithm is None or "x-connect-authorization" not in request.headers:
        return False
    if _ALGORITHM.fullmatch(algorithm) is None:
        raise BadRequestError(
            f"Algorithm {algorithm} not available", code="herder.internal-request"
        )
    return algorithm == "HmacSHA256"


def _with_name(name: str, config: Mapping[str, str | None]) -> dict[str, str | None]:
    """The configuration with the connector's name in it.

    Raises:
        BadRequestError: if it has another one.
    """
    included = config.get("name")
    if included is not None and included != name:
        raise BadRequestError(
            f"Connector name configuration ({included}) doesn't match connector name in the URL "
            f"({name})"
        )
    return {**config, "name": name}


def _created(info: ConnectorInfo) -> RestResponse:
    location = f"/connectors/{quote(info.name, safe=_PLAIN)}"
    return RestResponse.json(info, 201, {"location": location})


_ALGORITHM = re.compile(r"hmac(md5|sha1|sha(3-)?(224|256|384|512)|sha512/(224|256))", re.IGNORECASE)
"""The names that Java has for codes that authenticate a message."""
_CONFIG = dict[str, str]
_PATCH = dict[str, str | None]
_SHOWN = {200: ("The connector", ConnectorInfo)}
_CREATED = {201: ("The connector was created", ConnectorInfo)}

CONNECTOR_ROUTES = (
    Route(
        "GET",
        "/connectors",
        _list,
        "List connectors",
        {
            200: (
                "Names of all connectors, or what was requested, by name",
                list[str] | dict[str, Any],
            )
        },
        query=(
            QueryParameter(
                "expand", "status or info: show these instead of the name", repeatable=True
            ),
        ),
    ),
    Route(
        "POST",
        "/connectors",
        _create,
        "Create a connector",
        _CREATED,
        body=CreateConnector,
        runs_plugins=True,
        missing_is_bad_request=True,
    ),
    Route("GET", "/connectors/{connector}", _show, "Show a connector", _SHOWN),
    Route(
        "DELETE",
        "/connectors/{connector}",
        _delete,
        "Delete a connector",
        {204: ("The connector was deleted", None)},
    ),
    Route(
        "GET",
        "/connectors/{connector}/config",
        _config,
        "Show a connector's configuration",
        {200: ("The configuration, references to config providers not resolved", _CONFIG)},
    ),
    Route(
        "PUT",
        "/connectors/{connector}/config",
        _put_config,
        "Create a connector or replace its configuration",
        {**_SHOWN, **_CREATED},
        body=_CONFIG,
        runs_plugins=True,
        missing_is_bad_request=True,
    ),
    Route(
        "PATCH",
        "/connectors/{connector}/config",
        _patch_config,
        "Change some settings of a connector; null removes one",
        _SHOWN,
        body=_PATCH,
        runs_plugins=True,
    ),
    Route(
        "GET",
        "/connectors/{connector}/status",
        _status,
        "Show the states of a connector and its tasks",
        {200: ("The states", ConnectorStatus)},
    ),
    Route(
        "GET",
        "/connectors/{connector}/tasks",
        _tasks,
        "List a connector's tasks with their configurations",
        {200: ("The tasks", list[TaskInfo])},
    ),
    Route(
        "POST",
        "/connectors/{connector}/tasks",
        _put_tasks,
        "Set the configurations of tasks, as workers of Kafka Connect ask each other",
        {},
        internal=True,
        sent_type=ANY_TYPE,
    ),
    Route(
        "PUT",
        "/connectors/{connector}/fence",
        _fence,
        "Fence the producers of former tasks, as workers of Kafka Connect ask each other",
        {},
        internal=True,
        sent_type=ANY_TYPE,
    ),
)
"""Endpoints under ``/connectors`` for configurations and states."""
