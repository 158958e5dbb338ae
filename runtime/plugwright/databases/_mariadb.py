"""Where MariaDB is found, and how it is started."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_SERVERS = ("/usr/sbin", "/usr/local/sbin")
_DATABASE = "test"


class MariaDb:
    """MariaDB, of the system."""

    name = "MariaDB"
    programs = ("mariadbd", "mariadb-install-db", "mariadb")
    own_user = ""

    def folders(self, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The search path, with the directories of servers, which not every user has on it."""
        yield "the system", os.pathsep.join([environ.get("PATH", ""), *_SERVERS])

    def commands(self, programs: Sequence[str], home: Path) -> list[list[str]]:
        """Make a data directory whose root needs no password, and serve it on a socket alone."""
        server, installer, _ = programs
        shared = ["--no-defaults", f"--datadir={home / 'data'}"]
        if os.geteuid() == 0:
            shared.append("--user=root")
        make = [installer, *shared, "--auth-root-authentication-method=normal"]
        return [make, [server, *shared, "--skip-networking", f"--socket={home / 'socket'}"]]

    def client(self, program: str, home: Path) -> list[str]:
        """``mariadb`` without the user's own settings, as the server's root."""
        return [program, "--no-defaults", f"--socket={home / 'socket'}", "--user=root", _DATABASE]

    def url(self, home: Path) -> str:
        """The database ``test``, which the installer makes."""
        socket = quote(str(home / "socket"), safe="")
        return f"mysql+pymysql://root@/{_DATABASE}?unix_socket={socket}"
