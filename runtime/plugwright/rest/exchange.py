"""A request and its answer, independent of the server that carries them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.rest._json import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class RestRequest:
    """A request of a client.

    Attributes:
        method: GET, POST, PUT, PATCH or DELETE; HEAD arrives as GET.
        path: as it was sent, percent-encoded.
        query: values by name, in the order sent.
        headers: values by lower-case name.
        body: as it was sent.
        parameters: the decoded parts of the path that the route names.
    """

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    parameters: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, parameter: str) -> str:
        return self.parameters[parameter]

    def option(self, name: str) -> str | None:
        """The first value of a query parameter, or ``None`` if it is absent."""
        return next(iter(self.query.get(name, ())), None)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A query parameter as JAX-RS reads booleans: only ``true``, in any case, is true."""
        value = self.option(name)
        return default if value is None else value.lower() == "true"


@dataclass(frozen=True, slots=True)
class RestResponse:
    """A response to the client.

    Attributes:
        headers: in addition to Content-Type.
    """

    status: int
    body: bytes = b""
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(
        cls, value: object, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> RestResponse:
        """An answer with a JSON body; the value may hold dataclasses."""
        return cls(status, to_json(value), JSON, headers or {})

    @classmethod
    def text(cls, text: str, status: int = 200, content_type: str = "text/plain") -> RestResponse:
        """An answer with a text as body."""
        return cls(status, text.encode("utf-8", "replace"), f"{content_type}; charset=utf-8")
