"""One connector: its tasks, and what an operator does to it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from plugwright.rest.console._api import PageError
from plugwright.rest.console._form import form_of, name_of
from plugwright.rest.console._rates import rates_of
from plugwright.rest.console._render import connector_page, see

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest.console._api import ConsoleApi
    from plugwright.rest.exchange import RestRequest, RestResponse

_DONE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "created": "The connector was created.",
        "saved": "The settings were saved; the connector restarts with them.",
        "pause": "The connector was asked to pause.",
        "resume": "The connector was asked to resume.",
        "stop": "The connector was asked to stop.",
        "restart": "The connector was restarted, its tasks were left alone.",
        "restart-failed": "What had failed restarts.",
        "restart-all": "The connector and its tasks restart.",
        "restart-task": "The task was restarted.",
    }
)
_PUT: Final = ("pause", "resume", "stop")
_POST: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "restart": {},
        "restart-failed": {"includeTasks": ("true",), "onlyFailed": ("true",)},
        "restart-all": {"includeTasks": ("true",)},
    }
)


def connector(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """State, tasks with traces and rates, topics, and the buttons."""
    name = name_of(request)
    tracked = api.service.settings.topic_tracking
    return connector_page(
        api,
        name,
        "connector",
        done=_DONE.get(request.option("done") or ""),
        info=api.get("connectors", name),
        rates=rates_of(api.service).get(name, {}),
        topics=api.get("connectors", name, "topics")[name]["topics"] if tracked else None,
    )


def change(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """Perform the action of a button.

    Raises:
        PageError: if the API refuses, or the button does not exist.
    """
    form = form_of(request)
    name, action = form.get("name", ""), form.get("action", "")
    if action in _PUT:
        api.send("PUT", "connectors", name, action)
    elif action in _POST:
        api.send("POST", "connectors", name, "restart", query=_POST[action])
    elif action == "restart-task":
        api.send("POST", "connectors", name, "tasks", form.get("task", ""), "restart")
    elif action == "delete":
        return _deleted(api, name, form)
    else:
        raise PageError(400, "The form names no action of this console.")
    return see("connector", name=name, done=action)


def _deleted(api: ConsoleApi, name: str, form: Mapping[str, str]) -> RestResponse:
    if form.get("sure") != "yes":
        raise PageError(400, "Nothing was deleted: tick the checkbox next to the button first.")
    api.send("DELETE", "connectors", name)
    return see("../console", deleted=name)
