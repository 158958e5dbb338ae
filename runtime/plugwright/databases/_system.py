"""What a database system has to tell so that its server can be found and started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


class DatabaseSystem(Protocol):
    """A kind of database server.

    Attributes:
        name: such as ``PostgreSQL``.
        programs: names of the server, of what makes its directory, and of the client.
        own_user: who must run it where this process is root's; empty for anybody.
    """

    name: str
    programs: tuple[str, str, str]
    own_user: str

    def folders(self, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Where it may be installed: a name for the place, and a search path."""

    def commands(self, programs: Sequence[str], home: Path) -> list[list[str]]:
        """Make a data directory, and serve it on a socket in the same home."""

    def client(self, program: str, home: Path) -> list[str]:
        """Runs statements from standard input, and fails if one does."""

    def url(self, home: Path) -> str:
        """The address of the server for SQLAlchemy; no password is needed."""
