"""Storage of files: a file appears as a whole, or not at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from plugwright import ConnectError, Password, RetriableError
from plugwright_lake.local_store import LocalStore
from plugwright_lake.object_store import ObjectStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Store", "open_store", "store_error"]

_LASTING = (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError)


class Store(Protocol):
    """Folders and files below one root; paths are relative to it, with slashes."""

    def prepare(self) -> None:
        """Make the root, or see that it is there."""

    def write(self, path: str, data: bytes) -> None:
        """Make a file, or replace it; durable on return, never seen in part."""

    def names(self, folder: str) -> Sequence[str]:
        """The names of the files of a folder, sorted; empty if the folder does not exist."""

    def walk(self, folder: str, *, by_time: bool) -> Sequence[str]:
        """The paths of all files below a folder, sorted, or the one modified first first."""

    def move(self, path: str, target: str) -> None:
        """Give a file another path; nothing happens if it is not there any more."""

    def read(self, path: str) -> bytes:
        """All bytes of a file."""

    def discard(self, prefix: str) -> None:
        """Remove what an interrupted write has left of files with that beginning."""


def open_store(url: str, options: Mapping[str, str | Password]) -> Store:
    """The store of a URL: the local disk directly, anything else through fsspec.

    Raises:
        ConnectError: if there is no driver for the URL, or an option is wrong.
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        return LocalStore(url)
    if scheme in {"file", "local"}:
        return LocalStore(rest)
    try:
        return ObjectStore.connect(url, {name: _parsed(given) for name, given in options.items()})
    except (ImportError, ValueError, TypeError) as error:
        raise ConnectError(
            f"store.url {scheme}:// cannot be opened: {error}",
            code="lake.no-driver",
            hint="install the fsspec driver of this scheme into the plugin's location, and check "
            "the settings store.option.*",
            facts={"scheme": scheme},
        ) from error


def store_error(error: OSError, what: str, verb: str = "write") -> ConnectError:
    """The error of a store in Connect's terms: to be tried again, unless that cannot help."""
    kind = ConnectError if isinstance(error, _LASTING) else RetriableError
    reason = error.strerror or str(error) or type(error).__name__
    return kind(
        f"cannot {verb} {what}: {reason}",
        code=f"lake.{verb}-failed",
        hint="check rights, room and connection; nothing is lost, the records are delivered again",
        facts={"path": what},
    )


def _parsed(given: str | Password) -> Any:
    """An option of a driver: a secret as it is, JSON where it is some, else text."""
    if isinstance(given, Password):
        return given.value
    try:
        return json.loads(given)
    except ValueError:
        return given
