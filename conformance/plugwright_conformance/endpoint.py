"""The plugin's own access to the system it connects, without the connector."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from plugwright.errors import DiscoveryError
from plugwright.plugins import import_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.subject import Subject

__all__ = ["Endpoint", "OpenEndpoint", "open_endpoint"]


class Endpoint(Protocol):
    """What an author writes so that the suite can fill and read the connector's other side.

    The class is called with one argument, an empty directory of its own.
    """

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""

    def stop(self) -> None:
        """Take the endpoint down."""

    def seed(self, values: Sequence[Any]) -> None:
        """Add values on the far side, without the connector."""

    def read_back(self) -> Sequence[Any]:
        """Every value on the far side, in order where there is one."""


@dataclass(frozen=True, slots=True)
class OpenEndpoint:
    """A running endpoint and the settings that lead to it."""

    driver: Endpoint
    settings: Mapping[str, str]


@contextmanager
def open_endpoint(subject: Subject, directory: Path) -> Iterator[OpenEndpoint]:
    """Load the declared driver and run it in a directory of its own.

    Raises:
        DiscoveryError: if the declared class cannot be loaded.
    """
    module, _, name = subject.declaration.endpoint.partition(":")
    try:
        loaded = import_from(subject.descriptor.location, module)
        driver: Endpoint = getattr(loaded, name)(directory)
    except (ImportError, AttributeError) as error:
        raise DiscoveryError(
            f"the endpoint driver {subject.declaration.endpoint} cannot be loaded: {error}",
            code="declaration.endpoint-not-loadable",
            hint="correct endpoint in conformance.toml",
        ) from error
    try:
        yield OpenEndpoint(driver, driver.start())
    finally:
        driver.stop()
