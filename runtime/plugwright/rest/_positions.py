"""The endpoints for a connector's offsets (KIP-875) and active topics (KIP-558)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.control_plane import ActiveTopics, ConnectorOffsets, Message
from plugwright.errors import DataError
from plugwright.rest._bodies import offsets_of
from plugwright.rest._errors import RestError
from plugwright.rest.exchange import RestResponse
from plugwright.rest.route import Route

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest
    from plugwright.rest.service import Service


def _offsets(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.connector_offsets(request["connector"]))


def _alter(service: Service, request: RestRequest) -> RestResponse:
    offsets = offsets_of(request)
    try:
        done = service.herder.alter_connector_offsets(request["connector"], offsets)
    except DataError as error:  # offsets that no store takes: a 500, as in Kafka Connect
        raise RestError(500, str(error), code=error.code, hint=error.hint) from error
    return RestResponse.json(done)


def _reset(service: Service, request: RestRequest) -> RestResponse:
    return RestResponse.json(service.herder.alter_connector_offsets(request["connector"], None))


def _topics(service: Service, request: RestRequest) -> RestResponse:
    _require_tracking(service)
    active = service.herder.connector_active_topics(request["connector"])
    return RestResponse.json({active.connector: {"topics": active.topics}})


def _reset_topics(service: Service, request: RestRequest) -> RestResponse:
    _require_tracking(service)
    if not service.settings.topic_tracking_reset:
        raise _forbidden("Topic tracking reset is disabled.", "topic.tracking.allow.reset")
    service.herder.reset_connector_active_topics(request["connector"])
    return RestResponse(202)


def _require_tracking(service: Service) -> None:
    if not service.settings.topic_tracking:
        raise _forbidden("Topic tracking is disabled.", "topic.tracking.enable")


def _forbidden(message: str, key: str) -> RestError:
    hint = f"the worker's setting {key} turns it on"
    return RestError(403, message, code="rest.topic-tracking-disabled", hint=hint)


_ALTERED = {200: ("The result, and any manual steps that remain", Message)}

POSITION_ROUTES = (
    Route(
        "GET",
        "/connectors/{connector}/offsets",
        _offsets,
        "Show a connector's committed offsets",
        {200: ("The offsets", ConnectorOffsets)},
    ),
    Route(
        "PATCH",
        "/connectors/{connector}/offsets",
        _alter,
        "Change offsets of a stopped connector; a null offset resets its partition",
        _ALTERED,
        body=ConnectorOffsets,
        runs_plugins=True,
    ),
    Route(
        "DELETE",
        "/connectors/{connector}/offsets",
        _reset,
        "Reset all offsets of a stopped connector",
        _ALTERED,
        runs_plugins=True,
    ),
    Route(
        "GET",
        "/connectors/{connector}/topics",
        _topics,
        "List the topics that a connector has used",
        {200: ("The topics by connector", dict[str, ActiveTopics])},
    ),
    Route(
        "PUT",
        "/connectors/{connector}/topics/reset",
        _reset_topics,
        "Forget the topics that a connector has used",
        {202: ("The topics will be forgotten", None)},
    ),
)
"""Endpoints under ``/connectors`` for offsets and topics."""
