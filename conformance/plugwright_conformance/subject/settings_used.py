"""The settings passed to connectors in a run, for the detection of secrets."""

from __future__ import annotations

import json
import os
import re
import tempfile
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["SECRET_NAME", "SettingsUsed"]

SECRET_NAME = re.compile(
    r"(^|[._-])(password|passwd|passphrase|secret|token|(api|access|private|secret)[._-]?key)$",
    re.IGNORECASE,
)
"""Settings whose name ends in a word for a secret."""


class SettingsUsed:
    """Every value of a setting during a run; its repr shows none of them.

    They are kept in a file without a name, which every process that is forked from this one writes
    into as well.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryFile("a+b") as file:
            self._kept = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._kept)

    def note(self, settings: Mapping[str, str]) -> None:
        """Remember settings that a connector is given."""
        self._keep({"values": {name: [str(value)] for name, value in settings.items()}})

    def note_all(self, settings: Mapping[str, Sequence[str]]) -> None:
        """Add the values that another process recorded, as returned by `everything`."""
        self._keep({"values": {name: list(values) for name, values in settings.items()}})

    def everything(self) -> Mapping[str, Sequence[str]]:
        """All settings with their values, including secrets; for the parent process."""
        found: dict[str, set[str]] = {}
        for entry in self._entries():
            for name, values in entry.get("values", {}).items():
                found.setdefault(name, set()).update(values)
        return {name: sorted(values) for name, values in found.items()}

    def mark(self, names: Collection[str]) -> None:
        """Say which settings have the type of secrets."""
        self._keep({"secret": list(names)})

    def secrets(self) -> Mapping[str, Sequence[str]]:
        """The values of every setting that is secret by its type or by its name."""
        marked = {name for entry in self._entries() for name in entry.get("secret", ())}
        return {
            name: values
            for name, values in sorted(self.everything().items())
            if name in marked or SECRET_NAME.search(name)
        }

    def _keep(self, entry: Mapping[str, object]) -> None:
        os.write(self._kept, f"{json.dumps(entry)}\n".encode())

    def _entries(self) -> Sequence[Mapping[str, Any]]:
        size = os.fstat(self._kept).st_size
        lines = os.pread(self._kept, size, 0).decode().splitlines()
        return [json.loads(line) for line in lines]
