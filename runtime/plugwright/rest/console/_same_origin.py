"""Whether a form was sent by a page of this very server."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright.rest.console._api import PageError

if TYPE_CHECKING:
    from plugwright.rest.exchange import RestRequest

_REFUSED = (
    "This change did not come from a page of this console, so it was not made. "
    "Open the console itself and try again; programs use the REST API."
)


def require_same_origin(request: RestRequest) -> None:
    """Check that the browser reports this server's own page as the origin of a change.

    A browser adds a visitor's password to the requests of any page, so a password alone proves
    nothing. It does say where a form comes from: in ``Sec-Fetch-Site``, which cannot be made up by
    a page, or in ``Origin``, which is compared with ``Host``.

    Raises:
        PageError: 403 if it says otherwise, or nothing.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site == "same-origin"
    else:
        host = request.headers.get("host", "").lower()
        same = host != "" and _authority(request.headers.get("origin", "")) == host
    if not same:
        raise PageError(403, _REFUSED)


def _authority(origin: str) -> str:
    return urlsplit(origin).netloc.lower()
