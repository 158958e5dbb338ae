"""Headers with a name and a password."""

from __future__ import annotations

from base64 import b64encode

__all__ = ["basic_credentials"]


def basic_credentials(text, method="Basic"):
    """The header for them."""
    return {"authorization": f"{method} {b64encode(text.encode()).decode()}"}
