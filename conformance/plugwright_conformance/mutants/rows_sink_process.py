"""Sinks that change the state of the process."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkConnector, RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigValue

__all__ = ["ChangesDirectoryTask", "ChangesUmaskTask", "WatchesValidations"]


@mutant(
    "M235",
    "start makes the directory of its tables that of the process",
    base="lines-sink",
    killed_by="CON-RES-09",
    failure="the working directory",
)
class ChangesDirectoryTask(RowsSinkTask):
    """Changes the working directory."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and change to the directory of the tables."""
        super().start(props)
        os.chdir(directory_of(props["rows.url"]))


@mutant(
    "M235b",
    "start sets the umask of the process",
    base="lines-sink",
    killed_by="CON-RES-09",
    failure="the umask",
)
class ChangesUmaskTask(RowsSinkTask):
    """Changes the umask."""

    def start(self, props: Mapping[str, str]) -> None:
        """Set the umask, then start."""
        os.umask(0o177)
        super().start(props)


@mutant(
    "M238",
    "validate() starts a thread that stays",
    base="lines-sink",
    killed_by="CON-CFG-09",
    failure="threads as before",
)
class WatchesValidations(RowsSinkConnector):
    """Starts a thread at each validation."""

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Validate, and leave a thread behind."""
        threading.Thread(target=threading.Event().wait, args=(30.0,), daemon=True).start()
        return super().validate(props)
