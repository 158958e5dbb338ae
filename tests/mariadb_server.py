"""A server of MariaDB from the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pymysql
from tests.e2e.workers import until

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mariadb_server", "missing_programs"]

_SERVER, _INSTALLER = "mariadbd", "mariadb-install-db"
_FOLDERS = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])


def missing_programs() -> list[str]:
    """What is not installed; ``make mariadb`` does it on Debian."""
    return [name for name in (_SERVER, _INSTALLER) if not shutil.which(name, path=_FOLDERS)]


@contextmanager
def mariadb_server() -> Iterator[str]:
    """The path of the socket of a server whose user ``root`` needs no password."""
    with tempfile.TemporaryDirectory(prefix="plugwright-maria-") as name:
        directory = Path(name)
        data, socket = directory / "data", directory / "socket"
        shared = ["--no-defaults", f"--datadir={data}", "--user=root"]
        maker = [_program(_INSTALLER), *shared, "--skip-test-db"]
        subprocess.run(
            [*maker, "--auth-root-authentication-method=normal"], check=True, capture_output=True
        )
        log = directory / "log"
        server = [_program(_SERVER), *shared, "--skip-networking", f"--socket={socket}"]
        with (
            log.open("wb") as errors,
            subprocess.Popen([*server, f"--log-error={log}"], stderr=errors) as running,
        ):
            try:
                assert until(lambda: _answers(socket)), log.read_text("utf-8", "replace")
                yield str(socket)
            finally:
                running.terminate()


def _program(name: str) -> str:
    found = shutil.which(name, path=_FOLDERS)
    assert found, f"{name} is not installed"
    return found


def _answers(socket: Path) -> bool:
    if not socket.exists():
        return False
    try:
        pymysql.connect(unix_socket=str(socket), user="root").close()
    except pymysql.err.OperationalError:
        return False
    return True
