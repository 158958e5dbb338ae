"""Converts errors to responses: status, message, and no internal details."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from plugwright.control_plane import (
    BadRequestError,
    OperationDisabledError,
    RebalanceNeededError,
)
from plugwright.errors import (
    AlreadyExistsError,
    ConfigError,
    ConnectError,
    DataError,
    IllegalWorkerStateError,
    NotFoundError,
    PluginError,
)
from plugwright.rest._errors import RestError
from plugwright.rest._values import ErrorMessage
from plugwright.rest.exchange import RestResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.rest.route import Route

log = logging.getLogger("plugwright.rest")

ERROR_CODE_HEADER: Final = "plugwright-error-code"
"""Header with an error's stable code, for which Kafka's body has no field."""

_STALE: Final = (
    "Cannot complete request momentarily due to stale configuration "
    "(typically caused by a concurrent config change)"
)
_ENDPOINT: Final = "`/connector-plugins/{connectorType}/config/validate`"
_PROVIDER: Final = "config.provider-"
"""The codes of config provider errors, which are not the request's fault."""
_STATUS: Final = (
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (AlreadyExistsError, HTTPStatus.CONFLICT),
    (RebalanceNeededError, HTTPStatus.CONFLICT),
    (BadRequestError, HTTPStatus.BAD_REQUEST),
    (OperationDisabledError, HTTPStatus.FORBIDDEN),
    (IllegalWorkerStateError, HTTPStatus.CONFLICT),
    (ConfigError, HTTPStatus.BAD_REQUEST),
    (DataError, HTTPStatus.BAD_REQUEST),
)


def failure(error: Exception, route: Route | None = None) -> RestResponse:
    """The response for an error, in the form ``{"error_code", "message"}``.

    The message of a status below 500 is the error's own; that of a 500 ends with the error's code.
    The message of an unexpected exception is logged but not sent, because it may contain secrets.

    Args:
        error: the exception of the endpoint.
        route: the endpoint, if the request got that far.
    """
    if not isinstance(error, ConnectError):
        log.error("unexpected error in the REST API", exc_info=error)
        error = ConnectError(
            f"The request failed unexpectedly ({type(error).__name__}); "
            "the log of the worker has the details",
            code="rest.internal-error",
        )
    if isinstance(error, PluginError):
        log.error("a plugin failed in the REST API", exc_info=error)
    status = _status(error, route)
    message = _message(error)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        message = f"{message} [{error.code}]"
    return RestResponse.json(ErrorMessage(status, message), status, _headers(error))


def _status(error: ConnectError, route: Route | None) -> int:
    if isinstance(error, RestError):
        return error.status
    if isinstance(error, NotFoundError) and route is not None and route.missing_is_bad_request:
        return HTTPStatus.BAD_REQUEST.value
    if error.code.startswith(_PROVIDER):
        return HTTPStatus.INTERNAL_SERVER_ERROR.value
    known = (status.value for kind, status in _STATUS if isinstance(error, kind))
    return next(known, HTTPStatus.INTERNAL_SERVER_ERROR.value)


def _message(error: ConnectError) -> str:
    if isinstance(error, RebalanceNeededError):
        return _STALE
    problems = error.facts.get("problems")
    if isinstance(error, ConfigError) and isinstance(problems, tuple | list) and problems:
        return _all_problems(problems)
    return str(error)


def _all_problems(problems: Sequence[tuple[str, str]]) -> str:
    """All problems of a configuration, in the words of Kafka's ``AbstractHerder``."""
    count = f"{len(problems)} error(s):"
    first = f"Connector configuration is invalid and contains the following {count}"
    last = f"You can also find the above list of errors at the endpoint {_ENDPOINT}"
    return "\n".join([first, *(message for _, message in problems), last])


def _headers(error: ConnectError) -> dict[str, str]:
    headers = {ERROR_CODE_HEADER: error.code}
    if isinstance(error, RestError) and error.status == HTTPStatus.REQUEST_TIMEOUT:
        headers["connection"] = "close"  # the rest of the body must not be read as a request
    allow = error.facts.get("allow")
    if isinstance(allow, tuple):
        headers["allow"] = ", ".join(allow)
    return headers
