"""Verifies the files of an archive against its RECORD."""

from __future__ import annotations

import base64
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from plugwright.plugins import LocationKind, record_rows
from plugwright_toolkit.archives._errors import ArtifactError
from plugwright_toolkit.archives.contents import contents
from plugwright_toolkit.record import SIGNATURES, entry_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from installer.records import RecordEntry

    from plugwright_toolkit.archives._artifact import ArtifactMembers
    from plugwright_toolkit.archives.layout import Placed

_ALGORITHMS = ("sha256", "sha384", "sha512")
_THREADS = 2
_SHOWN = 3


def verify_record(members: ArtifactMembers) -> Sequence[str]:
    """The differences between an archive and its RECORD, one sentence each; empty if none.

    A wheel lists every file with a hash of at least SHA-256 (binary distribution format, "The
    .dist-info directory"), except for RECORD itself and its two signature files. Elsewhere RECORD
    comes from an installation: it may be absent, may omit hashes, and does not cover files
    that it does not list or that lie outside. Large archives are hashed by two threads.

    Raises:
        ArtifactError: if a member is damaged, or the archive was replaced meanwhile.
    """
    strict = members.kind is LocationKind.WHEEL
    directory = members.metadata_directory
    record = f"{directory}/RECORD"
    if record not in members.names:
        return [f"{record} is missing"] if strict else []
    data = members.read(record)
    exempt = {record, *(f"{directory}/{name}" for name in SIGNATURES)}
    rows, problems = _rows(data, exempt, strict=strict)
    files = members.files()
    problems += [
        f"{name} is listed and missing"
        for name in rows
        if name not in files and (strict or not name.startswith(("../", "/")))
    ]
    if strict:
        unlisted = (name for name in files if name not in exempt and name not in rows)
        problems += [f"{name} is not listed" for name in unlisted]
    both = [(rows[name], files[name]) for name in files if name in rows]
    return [*problems, *_different(members, both)]


def require_record(members: ArtifactMembers) -> None:
    """Reject an archive that does not match its RECORD, so that new hashes never hide a change.

    Raises:
        ArtifactError: if a file is changed, missing or not listed; or as `verify_record`.
    """
    problems = verify_record(members)
    if problems:
        more = f" and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise ArtifactError(
            f"{members.path} is not what its RECORD lists: {'; '.join(problems[:_SHOWN])}{more}",
            code="archive.record-mismatch",
            hint="it was changed after it was built; take it again from where it was published",
            facts={"path": str(members.path), "problems": tuple(problems)},
        )


def _rows(
    data: bytes, exempt: set[str], *, strict: bool
) -> tuple[dict[str, RecordEntry], list[str]]:
    rows: dict[str, RecordEntry] = {}
    problems = []
    for number, row in enumerate(record_rows(data), 1):
        if not row.text.strip() or (row.is_whole and row.cells[0] in exempt):
            continue
        if (entry := entry_of(row)) is None:
            problems.append(f"line {number} of RECORD is none: {row.text.strip()!r}")
            continue
        algorithm = entry.hash_.name if entry.hash_ else ""
        if entry.path in rows:
            problems.append(f"{entry.path} is listed twice")
            continue
        rows[entry.path] = entry
        if algorithm not in _ALGORITHMS and (algorithm or strict):
            found = algorithm or "no"
            problems.append(f"{entry.path} has {found} hash, expected sha256 or longer")
    return rows, problems


def _different(
    members: ArtifactMembers, work: Sequence[tuple[RecordEntry, Placed]]
) -> Sequence[str]:
    """Compare sizes and hashes; sorted, whichever thread is done first."""
    with members.opened() as file, ThreadPoolExecutor(_THREADS) as pool:
        return sorted(filter(None, pool.map(lambda each: _compared(file, *each), work)))


def _compared(file: int, entry: RecordEntry, member: Placed) -> str:
    if entry.size not in {None, member.info.file_size}:
        return f"{member.name} has {member.info.file_size} bytes, listed are {entry.size}"
    listed = entry.hash_
    if listed and listed.name in _ALGORITHMS and listed.value != _digest(file, member, listed.name):
        return f"{member.name} has another {listed.name} hash than listed"
    return ""


def _digest(file: int, member: Placed, algorithm: str) -> str:
    """A hash as RECORD spells it: URL-safe base64 without padding."""
    digest = hashlib.new(algorithm)
    for piece in contents(file, member):
        digest.update(piece)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
