"""A location held open, so that its files are reached by name and no path is made for each."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Self

from plugwright.plugins._location import names_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._location import Location


class OpenLocation:
    """The directory of a location, for as long as a ``with`` statement lasts.

    What is read in the meantime belongs together, even if somebody exchanges the directory.

    Attributes:
        location: which one.
        names: everything that it lists, in any order.
        metadata: those of them that are the names of metadata directories, sorted.
        descriptor: of the directory.
    """

    __slots__ = ("descriptor", "location", "metadata", "names")

    def __init__(self, location: Location) -> None:
        """Open a location.

        Raises:
            OSError: if it cannot be listed.
        """
        self.location = location
        self.descriptor = os.open(location.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.names: Sequence[str] = os.listdir(self.descriptor)  # noqa: PTH208  # no paths
        except OSError:
            os.close(self.descriptor)
            raise
        self.metadata: Sequence[str] = sorted(filter(names_metadata, self.names))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def has(self, file: str) -> bool:
        """Whether there is such a file."""
        return os.access(file, os.F_OK, dir_fd=self.descriptor)

    def has_directory(self, name: str) -> bool:
        """Whether there is such a directory; one that the system refuses to tell of is none."""
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self.descriptor).st_mode)
        except OSError:
            return False
