"""The subject of a certificate: a wheel by its digest, or a location by its files."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from typing import TYPE_CHECKING

from installer.records import Hash

from plugwright.errors import ConnectError
from plugwright.plugins import record_rows
from plugwright_conformance.certificate.statement import NamedArtifact
from plugwright_conformance.subject.subject import artifact_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

WHEEL = "sha256"
"""Digest of a wheel's bytes."""

DIRECTORY = "dirHash"
"""Digest over the files of a location: in-toto's name for Go's Hash1, in hexadecimal."""

RECORD = "RECORD"
"""Name of the second subject: the files that a distribution records, however they are packed."""

# The exceptions that the standard library raises for an unreadable archive.
_NO_ARCHIVE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)

# Installers rewrite these, so they are not part of the release.
_INSTALLERS = frozenset(
    {"INSTALLER", "RECORD", "RECORD.jws", "RECORD.p7s", "REQUESTED", "direct_url.json"}
)


def name_artifact(path: Path) -> tuple[NamedArtifact, ...]:
    """The subjects of a certificate for this wheel or location.

    Raises:
        ConnectError: ``certificate.artifact`` if it cannot be read.
    """
    name = path.resolve().name
    try:
        path.stat()  # raises the system's error if it does not exist
        kind = WHEEL if path.is_file() else DIRECTORY
        digest = {kind: artifact_digest(path)}
        record = _record_of_wheel(path) if kind == WHEEL else _record_of_location(path)
    except OSError as error:
        raise ConnectError(
            f"{path} cannot be read as a wheel or location: {error}",
            code="certificate.artifact",
            hint="name the wheel that was certified, or its unpacked directory",
            facts={"path": str(path)},
        ) from error
    second = (NamedArtifact(RECORD, {WHEEL: record}),) if record else ()
    return (NamedArtifact(name, digest), *second)


def matches(subjects: Sequence[NamedArtifact], path: Path) -> str:
    """Why the artifact is not the subject; empty if it is.

    A wheel must have the same bytes. A directory must have the files of the certified location, or
    those that the certified wheel records.

    Raises:
        ConnectError: ``certificate.artifact`` if it cannot be read.
    """
    found = name_artifact(path)
    for index in range(min(len(found), len(subjects))):
        expected, own = subjects[index].digest, found[index].digest
        for kind in expected.keys() & own.keys():
            if expected[kind] == own[kind]:
                return ""
            return f"{path.name} has the digest {own[kind]}, the subject has {expected[kind]}"
    return f"{path.name} cannot be compared with the subject {subjects[0].name}"


def _files(root: Path) -> Iterable[str]:
    for path in root.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(root).as_posix()


def _record_of_wheel(wheel: Path) -> str:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            return _record_digest(names, archive.read)
    except _NO_ARCHIVE:
        return ""


def _record_of_location(root: Path) -> str:
    return _record_digest(list(_files(root)), lambda name: (root / name).read_bytes())


def _record_digest(names: Sequence[str], read: Callable[[str], bytes]) -> str:
    """SHA-256 over the sorted lines of a RECORD, or empty if the RECORD is wrong."""
    records = [name for name in names if name.endswith(".dist-info/RECORD")]
    if len(records) != 1:
        return ""
    try:
        rows = [row.cells for row in record_rows(read(records[0]))]
        kept = {row[0]: row[1] for row in rows if _released(row[0])}
        truthful = all(_truthful(read(name), digest) for name, digest in kept.items())
    except (LookupError, OSError, ValueError):
        return ""
    if not truthful or kept.keys() != {name for name in names if _released(name)}:
        return ""
    lines = "".join(f"{name},{digest}\n" for name, digest in sorted(kept.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _released(name: str) -> bool:
    first, _, last = name.partition("/")
    installed = first.endswith(".dist-info") and last in _INSTALLERS
    return not installed and "__pycache__" not in name.split("/")


def _truthful(data: bytes, digest: str) -> bool:
    return digest.startswith("sha256=") and Hash.parse(digest).validate(data)
