"""What to allow where the authorizer of a Kafka refuses a request."""

from __future__ import annotations

_REFUSED = "AUTHORIZATION_FAILED"


def right_hint(reason: object, operation: str, kind: str, name: str) -> str:
    """The hint about a missing right; empty if the reason is something else.

    The client says that something is not authorized, and neither which operation nor on what.

    Args:
        reason: what the client reports.
        operation: what was asked for, in the words of ACLs, such as ``Write``.
        kind: of the resource: ``Topic``, ``Group`` or ``TransactionalId``.
        name: of the resource.
    """
    if _REFUSED not in str(reason):
        return ""
    return (
        f"grant {operation} on {kind} {name} to the login of the client (an ACL); the page about "
        "rights in a secured Kafka lists all that are needed"
    )
