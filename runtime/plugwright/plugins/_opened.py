"""An open location directory, in which files are accessed by name without full paths."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Self

from plugwright.plugins._location import names_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._location import Location


class OpenLocation:
    """The open directory of a location, for the duration of a ``with`` statement.

    All reads see the same directory, even if it is replaced meanwhile.

    Attributes:
        location: the location.
        names: its entries, in any order.
        metadata: the names of metadata directories among them, sorted.
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
        """Whether such a file exists."""
        return os.access(file, os.F_OK, dir_fd=self.descriptor)

    def has_directory(self, name: str) -> bool:
        """Whether such a directory exists; false if the system denies access."""
        try:
            return stat.S_ISDIR(os.stat(name, dir_fd=self.descriptor).st_mode)
        except OSError:
            return False
