"""Making and changing connectors by a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from plugwright.config import parse_properties, properties_text
from plugwright.errors import ConnectError
from plugwright.rest.console._api import PageError
from plugwright.rest.console._form import form_of
from plugwright.rest.console._render import page, see
from plugwright.rest.console.settings_form import (
    OTHERS,
    changes,
    groups_of,
    merged,
    misplaced_errors,
    other_settings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest.console._api import ConsoleApi
    from plugwright.rest.exchange import RestRequest, RestResponse

_CLASS: Final = "connector.class"
_STATES: Final = ("RUNNING", "PAUSED", "STOPPED")


def choose(api: ConsoleApi, request: RestRequest) -> RestResponse:  # noqa: ARG001  # a page
    """The connectors that one can be made of."""
    return page("new", plugins=api.get("connector-plugins"))


def edit(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """The form of a connector that there is, or of a new one of a class.

    Raises:
        PageError: 404 if the address names neither.
    """
    name, chosen = request.option("name"), request.option("class")
    if name:
        return _form(api, name, api.get("connectors", name, "config"), is_new=False)
    if not chosen:
        raise PageError(404, "The address names neither a connector nor a class.")
    return _form(api, "", {_CLASS: chosen}, is_new=True)


def save(api: ConsoleApi, request: RestRequest) -> RestResponse:
    """Validate the form, and store the configuration if requested and valid.

    Raises:
        PageError: if the form cannot be parsed, or its connector no longer exists.
    """
    form = form_of(request)
    name, is_new = form.get("name", "").strip(), form.get("new") == "yes"
    config = {_CLASS: form.get(_CLASS, "")} if is_new else api.get("connectors", name, "config")
    patch = changes(form, _others(form), config)
    whole = merged(config, patch)
    if is_new:
        whole["name"] = name
    validated = _validated(api, whole)
    problem = ""
    if form.get("action") == "save" and not validated["error_count"]:
        try:
            return _saved(api, name, whole if is_new else patch, form, is_new=is_new)
        except PageError as error:
            problem = str(error)
    wrong = bool(problem or validated["error_count"])
    return _form(
        api,
        name,
        whole,
        is_new=is_new,
        validated=validated,
        problem=problem,
        state=form.get("state", ""),
        status=400 if wrong and form.get("action") == "save" else 200,
    )


def _saved(
    api: ConsoleApi,
    name: str,
    settings: Mapping[str, str | None],
    form: Mapping[str, str],
    *,
    is_new: bool,
) -> RestResponse:
    if is_new:
        new = {"name": name, "config": settings, "initial_state": form.get("state") or None}
        api.send("POST", "connectors", body=new)
    elif settings:
        api.send("PATCH", "connectors", name, "config", body=settings)
    return see("connector", name=name, done="created" if is_new else "saved")


def _form(  # noqa: PLR0913  # the parts of the page
    api: ConsoleApi,
    name: str,
    config: Mapping[str, str],
    *,
    is_new: bool,
    validated: Mapping[str, Any] | None = None,
    problem: str = "",
    state: str = "",
    status: int = 200,
) -> RestResponse:
    checked = validated is not None
    result = _validated(api, config) if validated is None else validated
    others = other_settings(result, config)
    return page(
        "edit",
        status,
        name=name,
        is_new=is_new,
        is_checked=checked,
        chosen=config.get(_CLASS, ""),
        groups=groups_of(result, config),
        others=others,
        others_text=properties_text(others),
        problems=[*([problem] if problem else []), *(misplaced_errors(result) if checked else [])],
        error_count=result["error_count"],
        state=state,
        states=_STATES,
    )


def _validated(api: ConsoleApi, config: Mapping[str, str]) -> Any:
    plugin = config.get(_CLASS, "")
    return api.send("PUT", "connector-plugins", plugin, "config", "validate", body=config)


def _others(form: Mapping[str, str]) -> dict[str, str]:
    try:
        return dict(parse_properties(form.get(OTHERS, "")))
    except ConnectError as error:
        raise PageError(400, f"The other settings cannot be read: {error}") from error
