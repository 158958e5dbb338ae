"""Calls endpoints, on the worker of the cluster that can answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.control_plane import RequestTargetError
from plugwright.rest._forwarding import forward
from plugwright.rest.failures import failure

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest, RestResponse
    from plugwright.rest.route import Match, Route, RouteTable
    from plugwright.rest.service import Service


def called(service: Service, route: Route, request: RestRequest) -> RestResponse:
    """Call an endpoint, here or on the worker that must answer; blocks."""
    try:
        return route.answer(service, request)
    except RequestTargetError as target:
        return forward(request, target, service.settings)


def answered(table: RouteTable, service: Service, request: RestRequest) -> RestResponse:
    """The response that a client would get for a request, including errors; blocks."""
    match: Match | None = None
    try:
        match = table.find(request.method, request.path)
        found = replace(request, parameters=match.parameters)
        return called(service, match.route, found)
    except Exception as error:  # noqa: BLE001  # every error becomes an answer
        return failure(error, match.route if match else None)
