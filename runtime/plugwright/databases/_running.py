"""Runs a private database server until a block ends."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory
from plugwright.errors import SetupError
from plugwright.guarded import GuardedProcess, new_log, tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.databases._installed import DatabaseServer

_PATIENCE_S = 120.0
_LOOK_S = 0.1
_LINES = 5


@dataclass(frozen=True, slots=True)
class RunningDatabase:
    """A database on a socket of its own.

    Attributes:
        url: its address for SQLAlchemy, without a password.
        client: a command that runs statements from standard input.
    """

    url: str
    client: tuple[str, ...]

    def run(self, statements: str) -> str:
        """Run statements of SQL; returns what the client prints.

        Raises:
            SetupError: ``environment.database-failed`` if one fails.
        """
        done = self._ask(statements)
        if done.returncode:
            raise _failed(f"a statement failed: {done.stderr.strip()}")
        return done.stdout

    @property
    def answers(self) -> bool:
        """Whether it takes statements."""
        return self._ask("SELECT 1;").returncode == 0

    def _ask(self, statements: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603  # the client of the installed server
            self.client,
            input=statements,
            capture_output=True,
            encoding="utf-8",
            errors="replace",  # messages may be in the encoding of the user's locale
            check=False,
        )


@contextmanager
def running_database(server: DatabaseServer) -> Iterator[RunningDatabase]:
    """Run a server with an empty database; nothing of it is left but its log in the cache.

    It listens on a socket in a directory of this user's, and nowhere else. Root's servers of
    systems that refuse root are run by their own user, or by ``nobody``.

    Raises:
        SetupError: ``environment.database-failed`` if it does not start.
    """
    system = server.system
    with tempfile.TemporaryDirectory(prefix="plugwright-db-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        log = new_log(cache_directory(), system.name.lower())
        user = _other_user(system.own_user)
        if user:
            shutil.chown(home, user)
        commands = system.commands(server.programs, home)
        process = GuardedProcess(commands, scratch=home, log=log, environ=os.environ, user=user)
        try:
            client = system.client(server.programs[2], home)
            database = RunningDatabase(system.url(home), tuple(client))
            _await(database, process, log)
            yield database
        finally:
            process.stop()


def _other_user(wanted: str) -> str | None:
    """Who runs a server that root must not run; ``None`` for this user."""
    if not wanted or os.geteuid():
        return None
    try:
        return pwd.getpwnam(wanted).pw_name
    except KeyError:
        return "nobody"


def _await(database: RunningDatabase, process: GuardedProcess, log: Path) -> None:
    ends = time.monotonic() + _PATIENCE_S
    while not database.answers:
        if process.poll() is not None or time.monotonic() > ends:
            said = " / ".join(tail(log, _LINES)) or "nothing"
            raise _failed(f"it did not start; it said: {said}; its log is {log}")
        time.sleep(_LOOK_S)


def _failed(problem: str) -> SetupError:
    return SetupError(
        f"the database server: {problem}",
        code="environment.database-failed",
        hint="correct what the message names, or use SQLite, which needs no server",
        facts={"problem": problem},
    )
