"""The endpoints that show and change log levels at run time (KIP-495, KIP-976)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from plugwright.control_plane import BadRequestError, LoggerLevel
from plugwright.errors import NotFoundError
from plugwright.rest._bodies import TRIMMED, settings_of
from plugwright.rest._errors import UnreadableBodyError
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import QueryParameter, Route

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service

log = logging.getLogger("plugwright.rest")

_LEVELS: Final = frozenset(("OFF", "FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE", "ALL"))
_WORKER: Final = "worker"
_CLUSTER: Final = "cluster"


def _list(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    levels = service.herder.all_logger_levels()
    return RestResponse.json({name: levels[name] for name in sorted(levels)})


def _show(service: Service, request: RestRequest) -> RestResponse:
    name = request["logger"]
    level = service.herder.logger_level(name)
    if level is None:
        raise NotFoundError(f"Logger {name} not found.", code="rest.no-such-logger")
    return RestResponse.json(level)


def _set(service: Service, request: RestRequest) -> RestResponse:
    level = settings_of(request).get("level")
    if level is None:
        raise BadRequestError("Desired 'level' parameter was not specified in request.")
    if not level:
        raise UnreadableBodyError("The level is empty")
    if level.strip(TRIMMED).upper() not in _LEVELS:
        raise NotFoundError(f"invalid log level '{level}'.", code="rest.no-such-level")
    scope = (request.option("scope") or _WORKER).lower()
    if scope == _CLUSTER:
        service.herder.set_cluster_logger_level(request["logger"], level.strip(TRIMMED))
        return RestResponse(204)
    if scope != _WORKER:
        log.warning("Received invalid scope %r in request to adjust logging level", scope)
    changed = service.herder.set_worker_logger_level(request["logger"], level.strip(TRIMMED))
    return RestResponse.json(changed)


LOGGER_ROUTES = (
    Route(
        "GET",
        "/admin/loggers",
        _list,
        "List the loggers that have a level of their own",
        {200: ("Levels by logger", dict[str, LoggerLevel])},
    ),
    Route(
        "GET",
        "/admin/loggers/{logger}",
        _show,
        "Show the level of a logger",
        {200: ("The level", LoggerLevel)},
    ),
    Route(
        "PUT",
        "/admin/loggers/{logger}",
        _set,
        "Set the level of a logger and of those below it",
        {
            200: ("Names of the loggers that changed", list[str]),
            204: ("All workers of the cluster will change", None),
        },
        query=(QueryParameter("scope", "worker or cluster"),),
        body=dict[str, str],
    ),
)
"""Endpoints under ``/admin/loggers``."""
