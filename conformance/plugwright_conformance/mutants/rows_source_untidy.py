"""Row sources that execute their data, or leak resources."""

from __future__ import annotations

import base64
import os
import pickle
import subprocess
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.source import RowsSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import SourceRecord

__all__ = ["LeaksNowAndThenTask", "LeavesHelperTask", "UnpicklesTask"]

_PICKLED = "gAS"
_EVERY = 8


@mutant(
    "M148",
    "takes what looks like a pickle apart",
    base="lines-source",
    killed_by="CON-SEC-06",
    failure="pickle.find_class",
)
class UnpicklesTask(RowsSourceTask):
    """Unpickles values.

    Reported at https://github.com/faust-streaming/faust/pull/776: who may write into a topic had
    code executed in the worker.
    """

    def record(self, table: str, line: int, row: Any) -> SourceRecord:
        """The record of a row; a pickled value is loaded."""
        if isinstance(row, str) and row.startswith(_PICKLED):
            with suppress(Exception):
                row = str(pickle.loads(base64.b64decode(row)))  # noqa: S301  # that is the fault
        return super().record(table, line, row)


@mutant(
    "M138",
    "a helper process and a temporary directory are left behind",
    base="lines-source",
    killed_by="CON-RES-03",
    failure="sleep",
)
class LeavesHelperTask(RowsSourceTask):
    """Does not end its helper process or remove its temporary directory.

    Reported at https://github.com/treasure-data/embulk-output-td/issues/4: temporary files are
    never removed, until the disk is full.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Start, and create the directory and the process."""
        super().start(props)
        self._place = tempfile.mkdtemp(prefix="rows-")
        self._helper = subprocess.Popen(["sleep", "60"])  # noqa: S607  # whichever there is


@mutant(
    "M141",
    "one of eight starts leaves a descriptor open",
    base="lines-source",
    killed_by="CON-RES-07",
    failure="more than after 5",
)
class LeaksNowAndThenTask(RowsSourceTask):
    """Leaks a file descriptor at every eighth start.

    After https://github.com/GoogleCloudPlatform/pubsub/issues/204: every restart leaves something
    behind, until the worker has no more.
    """

    starts: ClassVar[list[int]] = []

    def start(self, props: Mapping[str, str]) -> None:
        """Start; open a descriptor at every eighth call."""
        super().start(props)
        self.starts.append(len(self.starts))
        if len(self.starts) % _EVERY == 0:
            os.open(os.devnull, os.O_RDONLY)
