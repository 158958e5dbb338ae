"""Private copies of archives and single modules, immutable while they are imported."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory
from plugwright.plugins._archive import ArchiveError, checked_members, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHUNK = 1 << 20
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
)


def unpack(archives: Sequence[Path]) -> Path:
    """Unpack archives into a private directory that serves as one import path.

    The directory is named after the contents of the archives, created once, and compared with them
    before reuse. Importing from it is safe from changes to the archive (cpython#63281).

    Raises:
        ArchiveError: if an archive must not be unpacked.
        OSError: if an archive cannot be read, or the copy cannot be written.
        SetupError: if the cache directory cannot be created.
    """
    digest = hashlib.sha256()
    for path in archives:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    target = make_directory(cache_directory() / "plugins") / digest.hexdigest()
    try:
        if target.is_dir():
            if _is_intact(target, archives):
                return target
            _discard(target)
        _publish(archives, target)
    except _DAMAGE as error:
        raise ArchiveError("zip-invalid", f"cannot be unpacked: {error}") from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # an offset outside of the archive
            raise ArchiveError("zip-invalid", "an offset leads out of the archive") from error
        raise
    return target


def link_module(module: Path) -> Path:
    """Create a private directory that contains only a link to one module.

    Raises:
        OSError: if the link cannot be created.
        SetupError: if the cache directory cannot be created.
    """
    real = module.resolve()
    key = hashlib.sha256(os.fsencode(real)).hexdigest()
    target = make_directory(cache_directory() / "plugins" / f"module-{key}")
    link = target / module.name
    if not link.is_symlink() or link.readlink() != real:
        fresh = target / f".{module.name}.{os.getpid()}"
        fresh.symlink_to(real)
        fresh.replace(link)
    return target


def _members(archives: Sequence[Path]) -> Iterator[tuple[zipfile.ZipFile, zipfile.ZipInfo, str]]:
    for path in archives:
        with zipfile.ZipFile(path) as archive:
            for member in checked_members(archive, path):
                if (name := target_of(member)) is not None:
                    yield archive, member, name


def _publish(archives: Sequence[Path], target: Path) -> None:
    fresh = Path(tempfile.mkdtemp(prefix=".tmp-", dir=target.parent))
    try:
        for archive, member, name in _members(archives):
            _write(archive, member, fresh / name)
        try:
            fresh.rename(target)
        except OSError:
            # Another process was first; its copy is the same.
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o755 if (member.external_attr >> 16) & 0o100 else 0o644
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    except FileExistsError:
        if zlib.crc32(file.read_bytes()) == member.CRC:
            return
        message = f"{member.filename} is there twice, with different contents"
        raise ArchiveError("zip-invalid", message) from None
    with os.fdopen(descriptor, "wb") as out, archive.open(member) as packed:
        shutil.copyfileobj(packed, out, _CHUNK)


def _is_intact(target: Path, archives: Sequence[Path]) -> bool:
    """Whether a copy has exactly the archives' files, apart from compiled ones."""
    expected = {name: member for _, member, name in _members(archives)}
    found: set[str] = set()
    for folder, directories, files in os.walk(target):
        directories[:] = [name for name in directories if name != "__pycache__"]
        found.update((Path(folder) / file).relative_to(target).as_posix() for file in files)
    return found == set(expected) and all(
        _matches(target / name, member) for name, member in expected.items()
    )


def _matches(file: Path, member: zipfile.ZipInfo) -> bool:
    if file.is_symlink() or file.stat().st_size != member.file_size:
        return False
    return zlib.crc32(file.read_bytes()) == member.CRC


def _discard(target: Path) -> None:
    """Move a damaged copy away at once, then remove it."""
    aside = Path(tempfile.mkdtemp(prefix=".tmp-", dir=target.parent))
    target.rename(aside / "spoilt")
    shutil.rmtree(aside, ignore_errors=True)
