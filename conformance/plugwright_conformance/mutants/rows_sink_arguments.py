"""A row sink whose password every user of the machine may read."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.sink import RowsSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PassesPasswordAsArgumentTask"]


@mutant(
    "M152",
    "a child process gets the password as an argument",
    killed_by="CON-SEC-10",
    failure="in the cmdline of a process",
)
class PassesPasswordAsArgumentTask(RowsSinkTask):
    """Starts a client program of the endpoint."""

    def start(self, props: Mapping[str, str]) -> None:
        """Start the client with its arguments."""
        super().start(props)
        client = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        self._client = subprocess.Popen(  # noqa: S603  # this interpreter
            [*client, f"--password={props['rows.password']}"], stdin=subprocess.PIPE
        )

    def stop(self) -> None:
        """End the client."""
        super().stop()
        self._client.communicate()
