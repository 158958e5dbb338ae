"""Calls of endpoints, wherever in the cluster the answer is known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.control_plane import RequestTargetError
from plugwright.rest._failures import failure
from plugwright.rest._forwarding import forward

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest, RestResponse
    from plugwright.rest.route import Match, Route, RouteTable
    from plugwright.rest.service import Service


def called(service: Service, route: Route, request: RestRequest) -> RestResponse:
    """The endpoint's answer, or that of the worker that has to give it; blocks."""
    try:
        return route.answer(service, request)
    except RequestTargetError as target:
        return forward(request, target, service.settings)


def answered(table: RouteTable, service: Service, request: RestRequest) -> RestResponse:
    """What a client of the API would get for a request, errors included; blocks."""
    match: Match | None = None
    try:
        match = table.find(request.method, request.path)
        found = replace(request, parameters=match.parameters)
        return called(service, match.route, found)
    except Exception as error:  # noqa: BLE001  # every error becomes an answer
        return failure(error, match.route if match else None)
