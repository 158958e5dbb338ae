"""The endpoints about the worker itself: version, health, metrics and this API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugwright.control_plane import MetricValue, ServerInfo
from plugwright.rest._errors import RestError
from plugwright.rest._stage import described
from plugwright.rest._values import WorkerHealth
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import Route

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service

PROMETHEUS: Final = "text/plain; version=0.0.4"
_HEALTH_TIMEOUT_S: Final = 10.0
_HEALTHY: Final = "Worker has completed startup and is ready to handle requests."
_READY: Final = "Worker has joined its group and can run tasks."
_NOT_READY: Final = "Worker cannot run tasks at the moment."
_STARTING: Final = "Worker is still starting up."
_UNHEALTHY: Final = (
    "Worker was unable to handle this request and may be unable to handle other requests."
)


def _root(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    return RestResponse.json(service.herder.server_info())


def _health(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    service.herder.health_check()
    if not service.herder.is_ready():
        return _no_health(service)  # it leaves, or has not started in all this time
    return RestResponse.json(WorkerHealth("healthy", _HEALTHY))


def _no_health(service: Service) -> RestResponse:
    """The answer when the herder does not respond: still starting, or in trouble (KIP-1017)."""
    starting = not service.herder.is_ready()
    status, text = ("starting", _STARTING) if starting else ("unhealthy", _UNHEALTHY)
    message = " ".join([text, *described(service.herder.stage())])
    return RestResponse.json(WorkerHealth(status, message), 503 if starting else 500)


def _readiness(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    """Responds at once, whatever the herder is doing: load balancers poll every second."""
    if service.herder.is_ready():
        waiting = service.herder.tasks_without_slot()
        remark = [f"Without a slot of Spark: {', '.join(waiting)}."] if waiting else []
        return RestResponse.json(WorkerHealth("ready", " ".join([_READY, *remark])))
    message = " ".join([_NOT_READY, *described(service.herder.stage())])
    return RestResponse.json(WorkerHealth("not_ready", message), 503)


def _metrics(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    if service.metrics is None:
        raise _no_metrics()
    return RestResponse.text(service.metrics(), content_type=PROMETHEUS)


def _figures(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    if service.figures is None:
        raise _no_metrics()
    return RestResponse.json(
        [
            {"group": each.group, "name": each.name, "tags": each.tags, "value": each.value}
            for each in service.figures()
        ]
    )


def _no_metrics() -> RestError:
    return RestError(404, "This worker keeps no metrics", code="rest.no-metrics")


def _openapi(service: Service, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a handler
    return RestResponse.json(service.openapi())


WORKER_ROUTES = (
    Route("GET", "/", _root, "Show the worker's version", {200: ("The worker", ServerInfo)}),
    Route(
        "GET",
        "/health",
        _health,
        "Check the worker's health",
        {
            200: ("The worker is well", WorkerHealth),
            500: ("The worker does not respond", WorkerHealth),
            503: ("The worker is starting", WorkerHealth),
        },
        timeout_s=_HEALTH_TIMEOUT_S,
        timed_out=_no_health,
    ),
)
"""Endpoints about the worker."""

OPERATION_ROUTES = (
    Route(
        "GET",
        "/health/ready",
        _readiness,
        "Check whether the worker can run tasks, without waiting",
        {
            200: ("Tasks can run", WorkerHealth),
            503: ("The worker is starting or leaving", WorkerHealth),
        },
    ),
    Route(
        "GET",
        "/metrics",
        _metrics,
        "Read the worker's metrics in Prometheus' text format",
        {200: ("The metrics", str)},
        content_type="text/plain",
    ),
    Route(
        "GET",
        "/metrics.json",
        _figures,
        "Read the worker's metrics as JSON",
        {200: ("The metrics", list[MetricValue])},
    ),
    Route(
        "GET",
        "/openapi.json",
        _openapi,
        "Read this document",
        {200: ("An OpenAPI 3.1 document", dict[str, Any])},
    ),
)
"""Endpoints that Kafka Connect does not have, on every listener."""
