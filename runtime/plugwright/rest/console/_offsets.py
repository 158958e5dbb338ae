"""A connector's committed offsets, shown and altered (KIP-875)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plugwright.rest.console._api import PageError
from plugwright.rest.console._form import form_of, name_of
from plugwright.rest.console._render import connector_page

if TYPE_CHECKING:
    from plugwright.rest.console._api import ConsoleApi
    from plugwright.rest.exchange import RestRequest, RestResponse


def offsets(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """The offsets as a table, and as JSON that can be changed while the connector is stopped."""
    return _page(api, name_of(request))


def alter(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """Change offsets, or reset all of them.

    Raises:
        PageError: if there is no such connector.
    """
    form = form_of(request)
    name, text = form.get("name", ""), form.get("offsets", "")
    try:
        return _page(api, name, message=_altered(api, name, text, form))
    except PageError as error:
        return _page(api, name, problem=str(error), text=text, status=error.status)


def _altered(api: ConsoleApi, name: str, text: str, form: dict[str, str]) -> str:
    if form.get("action") == "reset":
        if form.get("sure") != "yes":
            raise PageError(400, "Nothing was reset: tick the checkbox next to the button first.")
        return str(api.send("DELETE", "connectors", name, "offsets")["message"])
    answer = api.send("PATCH", "connectors", name, "offsets", body=text.encode())
    return str(answer["message"])


def _page(  # noqa: PLR0913  # the parts of the page
    api: ConsoleApi,
    name: str,
    *,
    message: str = "",
    problem: str = "",
    text: str = "",
    status: int = 200,
) -> RestResponse:
    found = api.get("connectors", name, "offsets")
    pretty = json.dumps(found, indent=2, ensure_ascii=False)
    rows = [(_compact(each["partition"]), _compact(each["offset"])) for each in found["offsets"]]
    return connector_page(
        api,
        name,
        "offsets",
        status,
        rows=rows,
        text=text or pretty,
        message=message,
        problem=problem,
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
