"""Archives of the classes that a Java program loads, with which it starts twice as fast.

Java calls this class-data sharing (JEP 350). Java itself verifies an archive, and loads
classes as usual if it does not fit.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory
from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plugwright.java import Java

__all__ = ["ClassArchive"]

_QUIET = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""Every class that cannot be in an archive, and every archive that does not fit, is a warning."""

_KEPT = 6
"""Archives of a program; each has 50 to 160 MB, and there is one for each installation of Spark."""


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """The archive of one program, for one Java and one set of jars.

    Attributes:
        file: the archive; it may not exist.
    """

    file: Path

    @classmethod
    def of(
        cls,
        program: str,
        java: Java,
        jars: Iterable[Path],
        environ: Mapping[str, str] = os.environ,
    ) -> ClassArchive | None:
        """The archive of a program; ``None`` if this Java has none of its own to add to.

        Args:
            program: the name of the program, for the file's name.
            java: runs the program.
            jars: those of the program, which need not exist.
            environ: the environment with the cache.
        """
        base = java.home / "lib" / "server" / "classes.jsa"
        if not base.is_file():
            return None
        content = "\n".join(map(_identity, [base, *sorted(jars)]))
        key = hashlib.sha256(content.encode()).hexdigest()[:16]
        return cls(cache_directory(environ) / "classes" / f"{program}-{key}.jsa")

    @property
    def exists(self) -> bool:
        """Whether it has been made."""
        return self.file.is_file()

    def options(self) -> Sequence[str]:
        """The options with which Java uses the archive; none if it does not exist."""
        try:
            os.utime(self.file)  # it is in use, so it is not among the oldest
        except FileNotFoundError:
            return ()
        except OSError:
            pass  # another user's
        return (f"-XX:SharedArchiveFile={self.file}", *_QUIET)

    @contextmanager
    def recording(self) -> Iterator[Sequence[str]]:
        """Options with which Java writes the archive when it ends, which is to be in the block.

        Raises:
            SetupError: if Java has not written it, or the cache directory cannot be made.
        """
        directory = make_directory(self.file.parent)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".recording-") as scratch:
            written = Path(scratch, self.file.name)
            yield (f"-XX:ArchiveClassesAtExit={written}", *_QUIET)
            if not _is_whole(written):
                raise SetupError(
                    f"Java has not written an archive of its classes to {written}",
                    code="environment.no-class-archive",
                    hint="programs start without one, only more slowly; see whether there is space "
                    f"for it in {directory}",
                    facts={"file": str(written)},
                )
            written.replace(self.file)
        self._remove_others()

    def _remove_others(self) -> None:
        """Remove the archives of this program that were used longest ago."""
        program = self.file.stem.rpartition("-")[0]
        found = [*self.file.parent.glob(f"{program}-*{self.file.suffix}")]
        for old in sorted(found, key=_last_used, reverse=True)[_KEPT:]:
            with suppress(OSError):  # another process removes it, too
                old.unlink()


def _is_whole(file: Path) -> bool:
    """Whether Java got to the end: it writes the first bytes of an archive last."""
    try:
        with file.open("rb") as archive:
            return any(archive.read(4))
    except FileNotFoundError:
        return False


def _identity(file: Path) -> str:
    """A text that is another one when the file is."""
    try:
        found = file.stat()
    except OSError:
        return str(file)
    return f"{file} {found.st_size} {found.st_mtime_ns}"


def _last_used(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
