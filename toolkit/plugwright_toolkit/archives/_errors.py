"""The errors for archives that are not read or rewritten."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, NotFoundError
from plugwright.plugins import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CODES = {"zip-unsafe-name": "archive.unsafe-name", "zip-bomb": "archive.bomb"}
_AGAIN = "build it again with a current tool, or take it again from where it was published"
# What zipfile raises, apart from its own error, on bytes that are not an archive.
_MALFORMED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ValueError,
    OverflowError,
    EOFError,
    NotImplementedError,
)


class ArtifactError(ConnectError):
    """An archive is not read or rewritten.

    Codes: ``archive.invalid``, ``archive.unsafe-name``, ``archive.bomb``, ``archive.unsupported``,
    ``archive.signed``, ``archive.record-mismatch``, ``archive.changed``, ``archive.unreadable``,
    ``archive.unwritable``, ``archive.target-exists``, ``archive.miswritten``.
    """

    default_code = "archive.invalid"


def flaw(reason: str) -> ArchiveError:
    """The error for a flaw, raised where the archive's path is unknown."""
    return ArchiveError("zip-invalid", reason)


def invalid(path: Path, reason: str, code: str = "archive.invalid") -> ArtifactError:
    """The error for an archive that cannot be trusted."""
    return ArtifactError(
        f"{path} is not an archive that every reader understands alike: {reason}",
        code=code,
        hint=_AGAIN,
        facts={"path": str(path), "reason": reason},
    )


def missing(path: Path, name: str) -> NotFoundError:
    """The error for a missing member."""
    return NotFoundError(
        f"{path} has no member {name!r}",
        code="archive.member-missing",
        hint=f"list its members: python -m zipfile -l {path.name}",
        facts={"path": str(path), "member": name},
    )


def unreadable(path: Path, error: OSError) -> ArtifactError:
    """The error for a file that the system does not let us read."""
    hint = "check that it exists and that this user may read it"
    return _refused(path, error, ("archive.unreadable", "read", hint))


def unwritable(path: Path, error: OSError) -> ArtifactError:
    """The error for a file that the system does not let us write."""
    hint = "free some space on that disk or let this user write there, then repeat the command"
    return _refused(path, error, ("archive.unwritable", "written", hint))


def _refused(path: Path, error: OSError, words: tuple[str, str, str]) -> ArtifactError:
    code, doing, hint = words
    reason = os.strerror(error.errno) if error.errno else str(error)
    return ArtifactError(
        f"{path} cannot be {doing}: {reason}",
        code=code,
        hint=hint,
        facts={"path": str(path), "errno": error.errno, "reason": reason},
    )


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Convert exceptions from reading an archive to an `ArtifactError` that names it."""
    try:
        yield
    except ArchiveError as error:
        raise invalid(path, str(error), _CODES.get(error.code, "archive.invalid")) from error
    except _MALFORMED as error:
        raise invalid(path, str(error)) from error
    except OSError as error:
        raise unreadable(path, error) from error
