"""Which distribution of a location a module belongs to, by the lists of installed files."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from plugwright.plugins._reading import read_regular
from plugwright.plugins._service_load import identity
from plugwright.plugins._versions import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins._location import Location

__all__ = ["Owners"]

_RECORD_LIMIT = 64 << 20


class Owners:
    """The distributions of a location; their lists are read when a module is first asked for."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._names: list[tuple[str, str]] | None = None
        self._files: dict[str, tuple[str, str]] = {}

    def owner(self, module: str, default: tuple[str, str] | None = None) -> tuple[str, str]:
        """Name and version of the distribution that has a module.

        Args:
            module: its dotted name.
            default: what counts where no list of files has it and there are several distributions.
        """
        names = self._read()
        path = module.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in self._files:
                return self._files[file]
        if len(names) == 1:
            return names[0]
        return default or (module.partition(".")[0], UNDEFINED)

    def has_file(self, path: Path) -> bool | None:
        """Whether a distribution lists a file; nothing if none lists any."""
        self._read()
        return path.relative_to(self._location.path).as_posix() in self._files or (
            False if self._files else None
        )

    def _read(self) -> Sequence[tuple[str, str]]:
        if self._names is None:
            self._names = []
            try:
                directories = self._location.metadata_directories()
            except OSError:  # which has been reported when the manifests were looked for
                directories = []
            for directory in directories:
                name, version, _ = identity(directory)
                self._names.append((name, version))
                self._files.update(dict.fromkeys(_recorded(directory), (name, version)))
        return self._names


def _recorded(directory: Path) -> Sequence[str]:
    """The files of a distribution; none if it does not say."""
    try:
        record = read_regular(directory / "RECORD", _RECORD_LIMIT).decode(errors="replace")
        return [row[0] for row in csv.reader(record.splitlines()) if row]
    except (OSError, csv.Error):
        return []
