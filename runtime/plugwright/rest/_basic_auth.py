"""Basic authentication with names and passwords from a properties file."""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugwright._version import __version__
from plugwright.config import parse_properties
from plugwright.errors import ConfigError
from plugwright.rest._values import ErrorMessage
from plugwright.rest.exchange import RestResponse
from plugwright.rest.failures import ERROR_CODE_HEADER
from plugwright.rest_extension import RestExtension

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.rest._extension import RestExtensionContext
    from plugwright.rest.exchange import RestRequest

log = logging.getLogger("plugwright.rest")

FILE_KEY: Final = "rest.basic.auth.credentials.file"


class BasicAuthSecurityRestExtension(RestExtension):
    """Accepts requests with a name and password that a file contains.

    The file has lines ``name=password``, as for Kafka's ``PropertyFileLoginModule``; it is read
    once. An empty file lets everyone in, as in Kafka, and logs a warning. The worker's setting
    ``rest.basic.auth.credentials.file`` names it, in place of Java's JAAS configuration.
    """

    def __init__(self) -> None:
        self._passwords: dict[str, bytes] = {}

    def version(self) -> str:
        """The version of the runtime."""
        return __version__

    def configure(self, settings: Mapping[str, str]) -> None:
        """Read the file.

        Raises:
            ConfigError: if none is named, or it cannot be read.
        """
        name = settings.get(FILE_KEY, "").strip()
        if not name:
            raise _wrong(f"Property Credentials file must be specified: set {FILE_KEY}")
        try:
            passwords = parse_properties(Path(name).read_text(encoding="utf-8"))
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise _wrong(f"Error loading Property Credentials file {name}: {reason}") from error
        if not passwords:
            log.warning("credentials file %s is empty; all requests will be permitted", name)
        self._passwords = {user: password.encode() for user, password in passwords.items()}

    def register(self, context: RestExtensionContext) -> None:
        """Examine every request."""
        context.add_filter(self._examine)

    def _examine(self, request: RestRequest) -> RestResponse | None:
        if not self._passwords or self._knows(request.headers.get("authorization")):
            return None
        return RestResponse.json(
            ErrorMessage(401, "User cannot access the resource."),
            401,
            {"www-authenticate": 'Basic realm="connect"', ERROR_CODE_HEADER: "rest.unauthorized"},
        )

    def _knows(self, authorization: str | None) -> bool:
        credentials = _credentials(authorization)
        if credentials is None:
            return False
        user, password = credentials
        expected = self._passwords.get(user)
        # An unknown user takes as long as a wrong password.
        same = hmac.compare_digest(password, expected or b"")
        return same and expected is not None


def _credentials(authorization: str | None) -> tuple[str, bytes] | None:
    """Name and password of a header ``Basic …``, or ``None`` if it is anything else."""
    method, _, encoded = (authorization or "").partition(" ")
    if method.lower() != "basic":
        return None
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode()
    except (binascii.Error, UnicodeError):
        return None
    user, colon, password = decoded.partition(":")
    return (user, password.encode()) if user and colon else None


def _wrong(message: str) -> ConfigError:
    return ConfigError(message, facts={"key": FILE_KEY, "problems": ((FILE_KEY, message),)})
