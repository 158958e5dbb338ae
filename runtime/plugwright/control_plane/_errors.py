"""Errors of the control plane, including redirects to other workers."""

from __future__ import annotations

from plugwright.errors import ConnectError


class BadRequestError(ConnectError):
    """The request itself is wrong."""

    default_code = "rest.bad-request"


class OperationDisabledError(ConnectError):
    """The settings of the worker do not allow the operation."""

    default_code = "herder.operation-disabled"


class RequestTargetError(ConnectError):
    """Another worker has to answer; the REST API forwards the request there.

    Args:
        message: why this worker cannot.
        forward_url: base URL of the other worker's API, or ``None`` while it is unknown.
    """

    default_code = "rest.wrong-worker"

    def __init__(self, message: str, forward_url: str | None) -> None:
        super().__init__(message, facts={"forward_url": forward_url})

    @property
    def forward_url(self) -> str | None:
        """Base URL of the other worker's API, or ``None`` while it is unknown."""
        url = self.facts["forward_url"]
        return None if url is None else str(url)


class RebalanceNeededError(ConnectError):
    """This worker's view of the configurations is behind; the client tries again later."""

    default_code = "rest.rebalance-needed"
