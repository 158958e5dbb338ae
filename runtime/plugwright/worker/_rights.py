"""Hints about missing rights when Kafka's authorizer refuses a request."""

from __future__ import annotations

_REFUSED = "AUTHORIZATION_FAILED"


def right_hint(reason: object, operation: str, kind: str, name: str) -> str:
    """The hint about a missing right; empty if the reason is another one.

    The client reports only that something is not authorized, not the operation or resource.

    Args:
        reason: the error that the client reports.
        operation: the requested ACL operation, such as ``Write``.
        kind: type of the resource: ``Topic``, ``Group`` or ``TransactionalId``.
        name: name of the resource.
    """
    if _REFUSED not in str(reason):
        return ""
    return (
        f"grant {operation} on {kind} {name} to the client's principal (an ACL); the page about "
        "rights in a secured Kafka lists all that are needed"
    )
