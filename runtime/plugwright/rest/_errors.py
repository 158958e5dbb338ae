"""Errors with a status of their own, and the two that a herder of a cluster raises."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BadRequestError", "RebalanceNeededError", "RequestTargetError", "RestError"]


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


class BadRequestError(RestError):
    """The request itself is wrong: status 400."""

    default_code = "rest.bad-request"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str = "",
        facts: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(HTTPStatus.BAD_REQUEST, message, code=code, hint=hint, facts=facts)


class RequestTargetError(ConnectError):
    """Another worker has to answer; the API forwards the request there.

    Args:
        message: why this worker cannot.
        forward_url: base URL of the other worker's API, or ``None`` while nobody knows it.
    """

    default_code = "rest.wrong-worker"

    def __init__(self, message: str, forward_url: str | None) -> None:
        super().__init__(message, facts={"forward_url": forward_url})

    @property
    def forward_url(self) -> str | None:
        """Base URL of the other worker's API, or ``None`` while nobody knows it."""
        url = self.facts["forward_url"]
        return None if url is None else str(url)


class RebalanceNeededError(ConnectError):
    """This worker's view of the configurations is behind; the client tries again later: 409."""

    default_code = "rest.rebalance-needed"
