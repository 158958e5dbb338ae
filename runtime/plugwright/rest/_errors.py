"""Errors with an HTTP status of their own."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping


class RestError(ConnectError):
    """A request fails with a certain HTTP status; the message is shown to the client as it is."""

    default_code = "rest.failed"

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        hint: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint, facts={**(facts or {}), "status": status})

    @property
    def status(self) -> int:
        """The HTTP status, 400 or higher; a fact, so that it survives pickling."""
        return int(str(self.facts["status"]))


class UnreadableBodyError(RestError):
    """The body does not have the form that the endpoint expects: status 500, as in Connect."""

    default_code = "rest.unreadable-body"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> None:
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        super().__init__(status, message, code=code, hint=hint, facts=facts)
