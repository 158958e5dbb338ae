"""The endpoint driver: the author's access to the external system."""

from __future__ import annotations

import hashlib
import random
import socket
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from plugwright.errors import DiscoveryError
from plugwright.plugins import import_from
from plugwright_conformance.subject.kits import kit_driver
from plugwright_conformance.subject.row_driver import with_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright_conformance.subject.subject import Subject

__all__ = [
    "Endpoint",
    "EndpointError",
    "OpenEndpoint",
    "asked",
    "load_driver",
    "open_endpoint",
    "own_random_numbers",
]

_T = TypeVar("_T")
_SHOWN = 100
_QUEUE = 4096


class EndpointError(Exception):
    """The endpoint driver failed; the connector is not at fault."""


class Endpoint(Protocol):
    """The class that an author writes so that the suite can access the external system.

    The class is called with one argument, an empty directory of its own. Endpoint kits are such
    classes too.
    """

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""

    def stop(self) -> None:
        """Take the endpoint down."""

    def seed(self, values: Sequence[Any]) -> None:
        """Add values on the far side, without the connector."""

    def read_back(self) -> Sequence[Any]:
        """Every value on the far side, in order where there is one."""

    def read_rows(self) -> Sequence[Any]:
        """The same, of a plugin whose values are rows: the rows and not the texts in them.

        A driver need not have this method.
        """

    def seeded(self, value: Any) -> Any:
        """The seeded value of a source's record value.

        A driver need not have this method. Without it the record holds what was seeded, as it was.
        """

    @property
    def unwraps(self) -> bool:
        """Whether the driver has a method ``seeded`` of its own; a driver need not have this."""

    def hook(self, name: str, *given: Any) -> Sequence[Any] | None:
        """Do what an optional method of the driver does; ``None`` if the driver has no such method.

        A driver need not have this method itself. It may have ``seed_foreign``, which adds a value
        of a type that the plugin does not declare and returns the words that the error must have;
        ``refuse``, which makes the endpoint turn everybody away and returns the words in which it
        says so; and ``recover``, which ends that, with everything there that was there before, and
        returns an empty sequence. The first two return one if that cannot be. ``seed_corrupt``,
        of a source, adds a value that cannot be read and returns the words by which the error tells
        where it is, none if the source is to pass over it. ``read_headers``, of
        a sink that declares ``headers = "stored"``, returns for every value its headers, as pairs
        of name and value in their order. ``read_timestamps`` returns for every value the timestamp
        of its record, in milliseconds since 1970; ``read_keys``, of a source, the key that its
        record must have, a struct as a mapping; ``read_topics``, of a sink that stores each topic
        in a place of its own, the topic under which it is stored. ``seed_at_once`` seeds values
        that all have the same time there. ``add_field``, of a source that declares ``evolution``,
        is given a name and a text: every value that is seeded from then on has one more optional
        field of that name, with that text. ``deny`` makes the endpoint refuse for good, as it does
        without a permission or a table. ``reject_some``, of a sink, makes the endpoint take only
        some items of the next request that has several, and turn the others away as it does when
        it is busy. The last four return an empty sequence. ``read_offsets``, of a sink that
        stores Kafka's offsets with its records, returns them as topic, partition and offset.
        ``attach``, called with the settings that ``start`` has returned, on a new object in another
        process, is for drivers whose ``read_back`` needs more than the directory.
        """


@dataclass(frozen=True, slots=True)
class OpenEndpoint:
    """A running endpoint.

    Attributes:
        settings: lead to it.
        directory: is its own.
    """

    driver: Endpoint
    settings: Mapping[str, str]
    directory: Path

    def files(self) -> Mapping[str, str]:
        """Every file of its directory, by its digest."""
        return {
            str(path.relative_to(self.directory)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.directory.rglob("*"))
            if path.is_file()
        }


@contextmanager
def open_endpoint(subject: Subject, directory: Path, problem: str = "") -> Iterator[OpenEndpoint]:
    """Load the declared driver and run it in a directory of its own.

    Args:
        subject: declares the driver.
        directory: an empty one.
        problem: why nothing that the driver reads back can be believed.

    Raises:
        DiscoveryError: if the declared class cannot be loaded.
    """
    # http.server sends an answer in two parts, of which the second waits 40 ms on each connection
    # that is kept: for the first to be acknowledged (Nagle's algorithm and delayed ACKs).
    # And a server whose queue of 5 connections is full lets the next one wait for a second, which
    # a task in virtual time that connects again and again fills at once.
    TCPServer.request_queue_size = _QUEUE
    BaseHTTPRequestHandler.disable_nagle_algorithm = property(_has_tcp)  # type: ignore[assignment]  # read like an attribute
    kind = load_driver(subject)
    guarded = _Guarded(lambda: kind(directory), subject.declaration.visible_after_s, problem)
    try:
        yield OpenEndpoint(guarded, guarded.start(), directory)
    finally:
        guarded.stop()


def _has_tcp(handler: BaseHTTPRequestHandler) -> bool:
    """Whether its connection can send small parts at once; Unix domain sockets always do."""
    return handler.connection.family in {socket.AF_INET, socket.AF_INET6}


def load_driver(subject: Subject) -> Callable[[Path], Endpoint]:
    """The declared class or kit, which is called with an empty directory.

    Raises:
        DiscoveryError: if it cannot be loaded.
    """
    if subject.declaration.kit:
        return kit_driver(subject.declaration.kit)
    module, _, name = subject.declaration.endpoint.partition(":")
    try:
        found: Callable[[Path], Endpoint] = getattr(
            import_from(subject.descriptor.location, module), name
        )
    except (ImportError, AttributeError) as error:
        raise DiscoveryError(
            f"the endpoint driver {subject.declaration.endpoint} cannot be loaded: {error}",
            code="declaration.endpoint-not-loadable",
            hint="correct endpoint in conformance.toml",
        ) from error
    return with_rows(found, subject.declaration)


@contextmanager
def own_random_numbers() -> Iterator[None]:
    """Leave the random numbers of the process to the connector: a driver gets others."""
    outside = random.getstate()
    random.seed()
    try:
        yield
    finally:
        random.setstate(outside)


def asked(call: Callable[[], _T]) -> _T:
    """Call a driver; its failures become `EndpointError`.

    Raises:
        EndpointError: if it fails.
    """
    try:
        return call()
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise EndpointError(
            f"the endpoint driver failed: {type(error).__name__}: {error} "
            f"in {Path(last.filename).name}:{last.lineno}"
        ) from error


def _example(values: Sequence[Any]) -> str:
    """The number of values, and the first of them."""
    first = repr(values[0]) if values else "nothing"
    shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…"
    return f"{len(values)} values, the first is {shown}"


class _Guarded:
    """A driver whose failures and random numbers are distinguished from the connector's.

    Args:
        make: makes the driver.
        settling_s: the declared seconds after which the endpoint shows what was written.
        problem: why nothing that it reads back can be believed.
    """

    def __init__(self, make: Callable[[], Endpoint], settling_s: float, problem: str = "") -> None:
        self._driver = self._asked(make)
        self._problem = problem
        self._settling_s = settling_s
        self._stopped = False

    def start(self) -> Mapping[str, str]:
        return self._asked(self._driver.start)

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._asked(self._driver.stop)

    def seed(self, values: Sequence[Any]) -> None:
        try:
            self._asked(lambda: self._driver.seed(values))
        except EndpointError as error:
            raise EndpointError(f"{error}; seed() was given {_example(values)}") from error
        self._settle()

    def read_back(self) -> Sequence[Any]:
        if self._problem:
            raise EndpointError(self._problem)
        self._settle()
        return self._asked(self._driver.read_back)

    def read_rows(self) -> Sequence[Any]:
        self._settle()
        return self._asked(getattr(self._driver, "read_rows", self._driver.read_back))

    @property
    def unwraps(self) -> bool:
        return hasattr(self._driver, "seeded")

    def seeded(self, value: Any) -> Any:
        found = getattr(self._driver, "seeded", None)
        return value if found is None else asked(lambda: found(value))

    def hook(self, name: str, *given: Any) -> Sequence[Any] | None:
        found = getattr(self._driver, name, None)
        return None if found is None else self._asked(lambda: found(*given))

    @staticmethod
    def _asked(call: Callable[[], _T]) -> _T:
        with own_random_numbers():
            return asked(call)

    def _settle(self) -> None:
        if self._settling_s:
            time.sleep(self._settling_s)
