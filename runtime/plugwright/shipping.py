"""Plugin locations as archives that other machines unpack.

An archive is named by the SHA-256 digest of its bytes, and the same files always give the same
bytes. So a location is sent once for each content, and the receiver can verify it.

This module needs the standard library only: an executor unpacks locations before they are on its
import path, and what it imports until then would hide the libraries that a plugin brings along.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["contents_stamp", "local_directory", "pack_location", "received"]

_SUFFIX = ".location.zip"
_LEVEL = 1  # the network is faster than a better compression
_YEAR_ZERO = (1980, 1, 1, 0, 0, 0)
_EXECUTABLE = 0o755
_PLAIN = 0o644
_ANY_EXECUTES = 0o111
_MODE_SHIFT = 16


def contents_stamp(location: Path) -> str:
    """A digest of names, sizes and times, which is cheap and changes with the files.

    Raises:
        SetupError: ``plugin.location-unreadable``.
    """
    stamp = hashlib.sha256()
    try:
        for name, path in _files(location, "", frozenset()):
            status = path.stat()
            stamp.update(os.fsencode(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\0"))
    except OSError as error:
        raise _unreadable(location, error) from error
    return stamp.hexdigest()


def pack_location(location: Path, directory: Path) -> Path:
    """Archive a location; links are followed, compiled files are left out.

    Args:
        location: directory that plugins are imported from.
        directory: takes the archive.

    Raises:
        SetupError: ``plugin.location-unreadable`` if a file cannot be read, or has a name that is
            not valid Unicode.
    """
    fresh = directory / f"packing-{os.getpid()}{_SUFFIX}"
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            for name, path in _files(location, "", frozenset()):
                member = zipfile.ZipInfo(name, _YEAR_ZERO)
                member.compress_type = zipfile.ZIP_DEFLATED
                mode = _EXECUTABLE if path.stat().st_mode & _ANY_EXECUTES else _PLAIN
                member.external_attr = mode << _MODE_SHIFT
                with path.open("rb") as source, archive.open(member, "w") as target:
                    shutil.copyfileobj(source, target)
        return fresh.rename(directory / f"{_digest(fresh)}{_SUFFIX}")
    except (OSError, UnicodeEncodeError) as error:
        fresh.unlink(missing_ok=True)
        raise _unreadable(location, error) from error


def received(archive: Path) -> Path:
    """Unpack an archive beside itself, once, and return the directory.

    Raises:
        SetupError: ``task.location-damaged`` if the archive is not what its name promises, or
            cannot be unpacked.
    """
    target = archive.with_name(archive.name.removesuffix(_SUFFIX))
    if target.is_dir():
        return target
    try:
        if _digest(archive) != target.name:
            raise _damaged(archive, "its SHA-256 digest is not the one in its name")
        _unpack(archive, target)
    except (OSError, zipfile.BadZipFile) as error:
        raise _damaged(archive, str(error)) from error
    return target


def local_directory(entry: str) -> str:
    """The directory for an entry of an executor's list of locations: itself, or what it unpacks to.

    An archive that cannot be used is left as it is; the task that needs it reports why.
    """
    if not entry.endswith(_SUFFIX):
        return entry
    try:
        return str(received(Path(entry).resolve()))
    except SetupError:
        return entry


def _files(directory: Path, prefix: str, above: frozenset[Path]) -> Iterator[tuple[str, Path]]:
    """Names and paths of all files below, sorted; a link to a directory above is skipped."""
    real = directory.resolve()
    if real in above:
        return
    for entry in sorted(directory.iterdir()):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry, f"{prefix}{entry.name}/", above | {real})
        elif entry.is_file():
            yield f"{prefix}{entry.name}", entry


def _unpack(archive: Path, target: Path) -> None:
    """Unpack into a directory of its own, then rename: other processes see all of it or nothing."""
    fresh = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=target.parent))
    try:
        with zipfile.ZipFile(archive) as members:
            for member in members.infolist():
                path = Path(members.extract(member, fresh))
                path.chmod(member.external_attr >> _MODE_SHIFT)
        try:
            fresh.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _unreadable(location: Path, error: Exception) -> SetupError:
    return SetupError(
        f"the plugin location {location} cannot be sent to executors: {error}",
        code="plugin.location-unreadable",
        hint="make its files readable and free some space for temporary files, or set "
        "plugin.distribution=present and install the location on every machine",
        facts={"location": str(location)},
    )


def _damaged(archive: Path, why: str) -> SetupError:
    return SetupError(
        f"the plugin location that Spark brought as {archive} cannot be used: {why}",
        code="task.location-damaged",
        hint="free some space in the executor's working directory, then restart the task",
        facts={"archive": str(archive)},
    )
