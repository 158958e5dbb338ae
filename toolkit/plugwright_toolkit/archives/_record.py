"""Whether the files of an archive are those that its RECORD lists."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from plugwright.plugins import LocationKind
from plugwright_toolkit.archives._artifact import SIGNATURES
from plugwright_toolkit.archives._contents import contents
from plugwright_toolkit.archives._errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from plugwright_toolkit.archives._artifact import ArtifactMembers
    from plugwright_toolkit.archives._layout import Placed

__all__ = ["require_record", "verify_record"]

_ALGORITHMS = ("sha256", "sha384", "sha512")
_COLUMNS = 3
_THREADS = 2
_PAYS_FROM = 1 << 20
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Row:
    algorithm: str
    digest: str
    size: str


def verify_record(members: ArtifactMembers) -> Sequence[str]:
    """What of an archive is not as its RECORD says, one sentence each; empty if all is.

    A wheel lists every file with a hash of at least SHA-256 (binary distribution format, "The
    .dist-info directory"), but for RECORD itself and its two signature files. Elsewhere RECORD
    comes from an installation: it may be absent, may leave hashes out, and says nothing of files
    that it does not list or that lie outside. Large archives are hashed by two threads.

    Raises:
        ArtifactError: if a member is damaged, or the archive was replaced meanwhile.
    """
    strict = members.kind is LocationKind.WHEEL
    directory = members.metadata_directory
    record = f"{directory}/RECORD"
    if record not in members.names:
        return [f"{record} is missing"] if strict else []
    try:
        text = members.read(record).decode()
        listed = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        return [f"{record} is not a table in UTF-8: {error}"]
    exempt = {record, *(f"{directory}/{name}" for name in SIGNATURES)}
    rows, problems = _rows(listed, exempt, strict=strict)
    files = members.files()
    problems += _absent(rows, files, strict=strict)
    if strict:
        unlisted = (name for name in files if name not in exempt and name not in rows)
        problems += [f"{name} is not listed" for name in unlisted]
    problems += _different(members, [(rows[name], files[name]) for name in files if name in rows])
    return problems


def require_record(members: ArtifactMembers) -> None:
    """Refuse an archive that is not as its RECORD says, so that new hashes never cover that up.

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
    listed: Iterable[Sequence[str]], exempt: set[str], *, strict: bool
) -> tuple[dict[str, _Row], list[str]]:
    rows: dict[str, _Row] = {}
    problems = []
    for number, row in enumerate(listed, 1):
        if not row or (len(row) == _COLUMNS and row[0] in exempt):
            continue
        if len(row) != _COLUMNS:
            problems.append(f"line {number} of RECORD has {len(row)} fields, expected 3")
            continue
        name, hashed, size = row
        algorithm, _, digest = hashed.partition("=")
        if name in rows:
            problems.append(f"{name} is listed twice")
        elif algorithm in _ALGORITHMS:
            rows[name] = _Row(algorithm, digest, size)
        elif hashed or strict:
            rows[name] = _Row("", "", size)
            problems.append(f"{name} has {algorithm or 'no'} hash, expected sha256 or longer")
    return rows, problems


def _absent(rows: Mapping[str, _Row], files: Mapping[str, Placed], *, strict: bool) -> list[str]:
    return [
        f"{name} is listed and missing"
        for name in rows
        if name not in files and (strict or not name.startswith(("../", "/")))
    ]


def _different(members: ArtifactMembers, work: Sequence[tuple[_Row, Placed]]) -> list[str]:
    """Compare sizes and hashes; sorted, whichever thread is done first."""
    with members.opened() as file:
        if sum(each.info.file_size for _, each in work) < _PAYS_FROM:
            return sorted(_compared(file, work))
        shares = _shares(work)
        with ThreadPoolExecutor(len(shares)) as pool:
            found = pool.map(lambda share: list(_compared(file, share)), shares)
            return sorted(chain.from_iterable(found))


def _shares(work: Sequence[tuple[_Row, Placed]]) -> list[list[tuple[_Row, Placed]]]:
    """The work in parts of about the same number of bytes."""
    shares: list[list[tuple[_Row, Placed]]] = [[] for _ in range(_THREADS)]
    loads = [0] * _THREADS
    for item in sorted(work, key=lambda item: item[1].info.file_size, reverse=True):
        lightest = loads.index(min(loads))
        shares[lightest].append(item)
        loads[lightest] += item[1].info.file_size
    return shares


def _compared(file: int, work: Iterable[tuple[_Row, Placed]]) -> Iterator[str]:
    for row, member in work:
        if row.size and row.size != str(member.info.file_size):
            yield f"{member.name} has {member.info.file_size} bytes, listed are {row.size}"
        elif row.algorithm and _digest(file, member, row.algorithm) != row.digest:
            yield f"{member.name} has another {row.algorithm} hash than listed"


def _digest(file: int, member: Placed, algorithm: str) -> str:
    """A hash as RECORD spells it: URL-safe base64 without padding."""
    digest = hashlib.new(algorithm)
    for piece in contents(file, member):
        digest.update(piece)
    return base64.urlsafe_b64encode(digest.digest()).rstrip(b"=").decode()
