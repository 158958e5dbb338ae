"""Opens an archive: verifies it strictly, then gives access to its members."""

from __future__ import annotations

import os
import re
import stat
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from plugwright.plugins import LocationKind, checked_members
from plugwright_toolkit.archives._errors import ArtifactError, flaw, invalid, missing, refusing
from plugwright_toolkit.archives.contents import contents
from plugwright_toolkit.archives.layout import read_layout
from plugwright_toolkit.record import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from plugwright_toolkit.archives.layout import Layout, Placed

_KINDS = {
    ".whl": LocationKind.WHEEL,
    ".zip": LocationKind.ZIP,
    ".pyz": LocationKind.PYZ,
    ".egg": LocationKind.EGG,
}
_SIDECARS = (".asc", ".sigstore", ".sigstore.json", ".attestation", ".provenance")
_LIMITS = {"entry_points.txt": 1 << 20}
_LIMIT = 64 << 20
_SHIV = re.compile(r"(_bootstrap|site-packages)/")


@dataclass(frozen=True, slots=True)
class ArtifactMembers:
    """The members of an archive that passed verification.

    Attributes:
        path: the archive.
        kind: wheel, zip archive, zip application or egg, by its name.
        names: its files in the order of their bytes; directories are left out.
        metadata_directory: the one ``*.dist-info`` or ``EGG-INFO`` at its top, if there is one.
        signed: signatures that a change would void: signature files inside, and files
            next to it.
        is_pex_or_shiv: whether its start-up code verifies or caches it by a build identifier.
        layout: the positions of all parts in the file.
        identity: identifies the file, to detect a replacement.
    """

    path: Path
    kind: LocationKind
    names: Sequence[str]
    metadata_directory: str | None
    signed: Sequence[str]
    is_pex_or_shiv: bool
    layout: Layout = field(repr=False)
    identity: tuple[int, ...] = field(repr=False)

    def read(self, name: str) -> bytes:
        """A file of the archive, its checksum verified.

        Raises:
            ArtifactError: if it is damaged or larger than such a file may be (1 MiB for
                ``entry_points.txt``, 64 MiB for others), or the archive was replaced meanwhile.
            NotFoundError: if there is no such file.
        """
        member = self.files().get(name)
        if member is None:
            raise missing(self.path, name)
        limit = _LIMITS.get(name.rpartition("/")[2], _LIMIT)
        if member.info.file_size > limit:
            reason = f"{name} has {member.info.file_size} bytes, at most {limit} are read"
            raise invalid(self.path, reason, "archive.bomb")
        with self.opened() as file:
            return b"".join(contents(file, member))

    def files(self) -> dict[str, Placed]:
        """The positions of its files, by name."""
        return {each.name: each for each in self.layout.members if not each.info.is_dir()}

    @contextmanager
    def opened(self) -> Iterator[int]:
        """A descriptor of the archive for the duration of the block.

        Raises:
            ArtifactError: if it cannot be read, is damaged, or is not the file that was verified,
                before or after the block.
        """
        with refusing(self.path):
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                self._require_unchanged(file)
                yield file
                self._require_unchanged(file)
            finally:
                os.close(file)

    def _require_unchanged(self, file: int) -> None:
        if _identity(os.fstat(file)) != self.identity:
            raise ArtifactError(
                f"{self.path} was replaced or changed while it was read",
                code="archive.changed",
                hint="make sure that nothing else writes there, then repeat the command",
                facts={"path": str(self.path)},
            )


def open_artifact(path: Path) -> ArtifactMembers:
    """Verify an archive and list its members.

    An archive that two readers could understand differently is refused: names that lead elsewhere
    or collide, links, encryption, members twice or in each other, headers that contradict the
    directory, bytes before, between or behind (only a zip application may begin with its ``#!``
    line), unpacked sizes out of proportion, two metadata directories.

    Raises:
        ArtifactError: if it is refused, is of another kind, or cannot be read.
    """
    kind = _kind(path)
    with refusing(path):
        identity = _identity(path.stat())
        with zipfile.ZipFile(path) as archive:
            files = {info.filename for info in checked_members(archive, path)}
            layout = read_layout(archive, _descriptor(archive))
        names = [member.name for member in layout.members if member.name in files]
        return ArtifactMembers(
            path=path,
            kind=kind,
            names=names,
            metadata_directory=(directory := _metadata_directory(path, kind, names)),
            signed=[*_signatures(directory, files), *_sidecars(path)],
            is_pex_or_shiv=_is_pex_or_shiv(names),
            layout=layout,
            identity=identity,
        )


def require_unsigned(members: ArtifactMembers) -> None:
    """Reject a signed archive: rewriting it would void the signature.

    Raises:
        ArtifactError: if it carries a signature, or one lies beside it.
    """
    if members.signed:
        listed = ", ".join(members.signed)
        raise ArtifactError(
            f"{members.path} is signed and is left alone: {listed} would no longer match it",
            code="archive.signed",
            hint="ask its publisher for a manifest, or give up the signature on purpose with "
            "--invalidate-signatures",
            facts={"path": str(members.path), "signatures": tuple(members.signed)},
        )


def _kind(path: Path) -> LocationKind:
    kind = _KINDS.get(path.suffix.lower())
    with refusing(path):
        regular = stat.S_ISREG(path.stat().st_mode)
    if kind is None or not regular:
        raise ArtifactError(
            f"{path} is not a regular file called *.whl, *.zip, *.pyz or *.egg",
            code="archive.unsupported",
            hint="only such archives are rewritten; build others again with their manifest",
            facts={"path": str(path)},
        )
    return kind


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _descriptor(archive: zipfile.ZipFile) -> int:
    return archive.fp.fileno() if archive.fp else -1


def _metadata_directory(path: Path, kind: LocationKind, names: Sequence[str]) -> str | None:
    tops = {name.partition("/")[0] for name in names if "/" in name}
    found = sorted(top for top in tops if top.lower().endswith(".dist-info") or top == "EGG-INFO")
    if len(found) > 1:
        raise flaw(f"it has {len(found)} metadata directories: {', '.join(found)}")
    if kind is LocationKind.WHEEL:
        _require_own_metadata(path, found)
    return found[0] if found else None


def _require_own_metadata(path: Path, found: Sequence[str]) -> None:
    """Check that a wheel's metadata match its file name."""
    try:
        name, version, *_ = parse_wheel_filename(f"{path.stem}.whl")
    except InvalidWheelFilename as error:
        raise flaw(f"a wheel is not called like that: {error}") from error
    found_name, _, found_version = (found[0] if found else "").rpartition(".")[0].rpartition("-")
    try:
        same = canonicalize_name(found_name) == name and Version(found_version) == version
    except InvalidVersion:
        same = False
    if not same:
        has = found[0] if found else "none"
        raise flaw(f"its name asks for metadata of {name} {version}, it has {has}")


def _signatures(directory: str | None, files: set[str]) -> list[str]:
    return [name for each in SIGNATURES if (name := f"{directory}/{each}") in files]


def _sidecars(path: Path) -> list[str]:
    """Files next to an archive that sign it, including ``x.whl.publish.attestation``."""
    with os.scandir(path.parent) as siblings:
        names = [sibling.name for sibling in siblings]
    beside = (name for name in names if name.startswith(f"{path.name}."))
    return sorted(name for name in beside if name.endswith(_SIDECARS))


def _is_pex_or_shiv(names: Sequence[str]) -> bool:
    return "PEX-INFO" in names or ("environment.json" in names and any(map(_SHIV.match, names)))
