"""The first page: the worker, and every connector with its state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from plugwright.rest.console._rates import rates_of
from plugwright.rest.console._render import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest.console._api import ConsoleApi
    from plugwright.rest.exchange import RestRequest, RestResponse


def overview(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """All connectors with their tasks, classes and rates."""
    found = api.get("connectors", query={"expand": ["status", "info"]})
    rates = rates_of(api.service)
    return page(
        "overview",
        worker=api.get(),
        ready=api.service.herder.is_ready(),
        waiting=api.service.herder.tasks_without_slot(),
        gone=request.option("deleted"),
        connectors=[_row(name, found[name], rates.get(name, {})) for name in sorted(found)],
    )


def _row(name: str, found: Mapping[str, Any], rates: Mapping[int, float]) -> dict[str, object]:
    status = found["status"]
    states = Counter(task["state"] for task in status["tasks"])
    return {
        "name": name,
        "type": status["type"],
        "state": status["connector"]["state"],
        "class": found["info"]["config"].get("connector.class", ""),
        "tasks": [f"{count} {state.lower()}" for state, count in sorted(states.items())],
        "failed": states["FAILED"] > 0,
        "rate": sum(rates.values()) if rates else None,
    }
