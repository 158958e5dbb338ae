"""The endpoints that restart, pause, resume and stop connectors and tasks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugwright.control_plane import (
    ConnectorStatus,
    RestartRequest,
    TaskId,
    TaskState,
)
from plugwright.rest._errors import RestError
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import QueryParameter, Route

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)
_HIGHEST_INT: Final = 2**31 - 1


def _restart(service: Service, request: RestRequest) -> RestResponse:
    """Without options 204 and no body, as before KIP-745; with one of them 202 and the states."""
    plan = RestartRequest(
        connector=request["connector"],
        only_failed=request.flag("onlyFailed"),
        include_tasks=request.flag("includeTasks"),
    )
    if not plan.only_failed and not plan.include_tasks:
        service.herder.restart_connector(plan.connector)
        return RestResponse(204)
    return RestResponse.json(service.herder.restart_connector_and_tasks(plan), 202)


def _pause(service: Service, request: RestRequest) -> RestResponse:
    service.herder.pause_connector(request["connector"])
    return RestResponse(202)


def _resume(service: Service, request: RestRequest) -> RestResponse:
    service.herder.resume_connector(request["connector"])
    return RestResponse(202)


def _stop(service: Service, request: RestRequest) -> RestResponse:
    service.herder.stop_connector(request["connector"])
    return RestResponse(204)


def _task_status(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.task_status(_task(request)))


def _restart_task(service: Service, request: RestRequest) -> RestResponse:
    service.herder.restart_task(_task(request))
    return RestResponse(204)


def _task(request: RestRequest) -> TaskId:
    """The task that the path names; a number that Java's ``Integer`` does not hold is a 404."""
    text = request["task"]
    if not _NUMBER.fullmatch(text) or abs(int(text)) > _HIGHEST_INT:
        raise RestError(404, "HTTP 404 Not Found", code="rest.no-such-task")
    return TaskId(request["connector"], int(text))


LIFECYCLE_ROUTES = (
    Route(
        "POST",
        "/connectors/{connector}/restart",
        _restart,
        "Restart a connector, or also its tasks",
        {
            202: ("The restart is planned; what restarts is RESTARTING", ConnectorStatus),
            204: ("The connector instance was restarted", None),
        },
        query=(
            QueryParameter("includeTasks", "Restart the tasks as well", "boolean"),
            QueryParameter("onlyFailed", "Restart only what has failed", "boolean"),
        ),
    ),
    Route(
        "PUT",
        "/connectors/{connector}/pause",
        _pause,
        "Pause a connector and its tasks",
        {202: ("The connector will pause", None)},
    ),
    Route(
        "PUT",
        "/connectors/{connector}/resume",
        _resume,
        "Resume a paused or stopped connector",
        {202: ("The connector will resume", None)},
    ),
    Route(
        "PUT",
        "/connectors/{connector}/stop",
        _stop,
        "Stop a connector and remove its tasks",
        {204: ("The connector is stopped", None)},
    ),
    Route(
        "GET",
        "/connectors/{connector}/tasks/{task}/status",
        _task_status,
        "Show the state of a task",
        {200: ("The state", TaskState)},
    ),
    Route(
        "POST",
        "/connectors/{connector}/tasks/{task}/restart",
        _restart_task,
        "Restart a task",
        {204: ("The task was restarted", None)},
    ),
)
"""Endpoints under ``/connectors`` that change states."""
