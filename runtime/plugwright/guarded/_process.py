"""The owner's side of commands that run under a guardian."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.guarded._logs import hold
from plugwright.processes import await_or_kill

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GUARDIAN = Path(__file__).with_name("_guardian.py")
# The guardian gives its command ten seconds for an orderly end.
_STOP_SECONDS = 15.0


class GuardedProcess:
    """Commands that run in sequence and never outlive the process that started them.

    Args:
        commands: the commands; each starts when the previous one has succeeded.
        scratch: a directory that is removed when the last command has ended.
        log: receives the output of all commands.
        environ: the environment of the commands.
        user: who runs the commands, by name; by default who runs this process.
    """

    def __init__(
        self,
        commands: Sequence[Sequence[str]],
        *,
        scratch: Path,
        log: Path,
        environ: Mapping[str, str],
        user: str | None = None,
    ) -> None:
        self._owner = os.getpid()
        self._scratch = scratch
        order = {
            "owner": self._owner,
            "scratch": str(scratch),
            "commands": [list(command) for command in commands],
            "user": user,
        }
        with log.open("ab") as output:
            hold(output)
            # The write end of the pipe is close-on-exec (PEP 446): no other child keeps it open.
            self._guardian = subprocess.Popen(  # noqa: S603  # our own program
                [sys.executable, "-I", str(_GUARDIAN), json.dumps(order)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=dict(environ),
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Process id of the guardian."""
        return self._guardian.pid

    def poll(self) -> int | None:
        """The exit status once the commands have ended, ``None`` while one runs."""
        return self._guardian.poll()

    def restart(self, *, kill: bool = False) -> None:
        """Ask for the running command to be ended and run again.

        Args:
            kill: with SIGKILL instead of an orderly end.
        """
        if os.getpid() == self._owner and self._guardian.stdin is not None:
            self._guardian.stdin.write(b"k" if kill else b"r")
            self._guardian.stdin.flush()

    def stop(self) -> None:
        """End the running command and wait for its end; does nothing in a fork of the owner."""
        if os.getpid() != self._owner:
            return
        if self._guardian.stdin is not None:
            self._guardian.stdin.close()
        await_or_kill(self._guardian, _STOP_SECONDS)
        shutil.rmtree(self._scratch, ignore_errors=True)
