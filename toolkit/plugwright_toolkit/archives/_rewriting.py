"""Changes members of an archive: copies what precedes them, and compresses the rest again."""

from __future__ import annotations

import copy
import os
import re
import stat
import unicodedata
import zipfile
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError
from plugwright.plugins import LocationKind
from plugwright_toolkit.archives._artifact import open_artifact
from plugwright_toolkit.archives._errors import ArtifactError, invalid, missing, refusing
from plugwright_toolkit.archives._writing import created
from plugwright_toolkit.archives.contents import contents
from plugwright_toolkit.archives.layout import read_layout, without_sizes
from plugwright_toolkit.record import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from plugwright_toolkit.archives._artifact import ArtifactMembers
    from plugwright_toolkit.archives._writing import NewFile
    from plugwright_toolkit.archives.layout import Placed

_UNIX = 3
_FIRST_YEAR, _LAST_YEAR = 1980, 2107
_FIRST_MOMENT = (_FIRST_YEAR, 1, 1, 0, 0, 0)
_NEW_NAME = re.compile(r"(?!.*(?:^|/)\.\.?(?:/|$))[\w.+!-]+(?:/[\w.+!-]+)*")

_Moment = tuple[int, int, int, int, int, int]


def rewrite(path: Path, changes: Mapping[str, bytes | None], target: Path) -> None:
    """Write a copy of an archive with some files changed, added or removed.

    All other members keep their contents, order, date, attributes and comment. Those before the
    first change keep their very bytes, which in a wheel are nearly all; the others are packed
    again, and so are those with data descriptors. What is changed or new comes last, a wheel's
    RECORD very last, dated like the RECORD before (``SOURCE_DATE_EPOCH`` overrides), with mode
    0644. A zip application keeps its ``#!`` line. The same input gives the same bytes.

    The new file is on the disk when this returns; only its owner may read it. The original is only
    read. Memory does not grow with the archive, only with its directory. RECORD is the caller's to
    verify before and to change along.

    Args:
        path: a wheel, zip archive, zip application or egg.
        changes: new contents by name; ``None`` drops a file.
        target: where no file is yet.

    Raises:
        ArtifactError: if the archive is refused as by `open_artifact`, is a PEX or shiv
            application, would keep a signature that no longer holds, or the target cannot be
            written. No target is left then.
        ConfigError: if ``SOURCE_DATE_EPOCH`` is not a number of seconds.
        NotFoundError: if a file to be dropped is not there.
    """
    members = open_artifact(path)
    _require_rewritable(members, changes)
    moment = _moment(members)
    with created(target) as out:
        with members.opened() as source:
            names = _write(members, changes, source, out, moment)
        out.sync()
        _require_written(target, names)


def _require_rewritable(members: ArtifactMembers, changes: Mapping[str, bytes | None]) -> None:
    path = members.path
    if members.is_pex_or_shiv:
        raise ArtifactError(
            f"{path} is a PEX or shiv application, whose start-up code refuses or misses a change",
            code="archive.unsupported",
            hint="build it again from distributions that have their manifest",
            facts={"path": str(path)},
        )
    for name, data in changes.items():
        if data is None and name not in members.names:
            raise missing(path, name)
    signatures = {f"{members.metadata_directory}/{name}" for name in SIGNATURES}
    stale = sorted(signatures.intersection(members.names).difference(changes))
    if stale and changes:
        raise ArtifactError(
            f"{path} is signed: {', '.join(stale)} would no longer match its RECORD",
            code="archive.signed",
            hint="drop the signature on purpose with --invalidate-signatures",
            facts={"path": str(path), "signatures": tuple(stale)},
        )
    _require_names(members, changes)


def _require_names(members: ArtifactMembers, changes: Mapping[str, bytes | None]) -> None:
    """New names are plain, and no file system takes them for others of the archive."""
    new = [name for name in changes if name not in members.names]
    if not new:
        return
    files = {*members.names, *new}
    paths = (member.name for member in members.layout.members)
    spelt = {_folded(each): each for name in paths for each in _prefixes(name)}
    for name in new:
        *parents, _ = _prefixes(name)
        taken = name in spelt.values() or not files.isdisjoint(parents)
        others = [spelt.setdefault(_folded(each), each) for each in _prefixes(name)]
        if taken or others != _prefixes(name) or not _NEW_NAME.fullmatch(name):
            reason = f"{name!r} cannot be added, the name is unsafe or taken by another spelling"
            raise invalid(members.path, reason, "archive.unsafe-name")


def _prefixes(name: str) -> list[str]:
    """The directories of a path, outermost first, and the path."""
    parts = name.rstrip("/").split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _moment(members: ArtifactMembers) -> _Moment:
    """The date of new members: from the environment, else RECORD's, else the latest of all."""
    if seconds := os.environ.get("SOURCE_DATE_EPOCH"):
        return _moment_since_1970(seconds)
    dates = {member.name: member.info.date_time for member in members.layout.members}
    latest = max(dates.values(), default=_FIRST_MOMENT)
    return dates.get(f"{members.metadata_directory}/RECORD", latest)


def _moment_since_1970(seconds: str) -> _Moment:
    """A date as zip archives can hold it, from 1980 to 2107, with even seconds."""
    try:
        moment = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ConfigError(
            f"SOURCE_DATE_EPOCH is {seconds!r}, expected seconds since 1970",
            hint="unset it, or set it to what `git log -1 --format=%ct` prints",
            facts={"name": "SOURCE_DATE_EPOCH", "value": seconds},
        ) from error
    if moment.year < _FIRST_YEAR:
        return _FIRST_MOMENT
    if moment.year > _LAST_YEAR:
        return (_LAST_YEAR, 12, 31, 23, 59, 58)
    return (*moment.timetuple()[:5], moment.second & ~1)


def _write(
    members: ArtifactMembers,
    changes: Mapping[str, bytes | None],
    source: int,
    out: NewFile,
    moment: _Moment,
) -> list[str]:
    """Write everything; returns the names in file order."""
    last = f"{members.metadata_directory}/RECORD" if members.kind is LocationKind.WHEEL else None
    moved = {name for name in changes if name in members.names} | {last}
    same = list(takewhile(lambda each: _stays(each, moved), members.layout.members))
    rest = [each for each in members.layout.members[len(same) :] if each.name not in changes]
    out.copy(source, same[-1].stop if same else members.layout.prefix)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = members.layout.comment
        archive.filelist += [each.info for each in same]
        for each in rest:
            if each.name != last:
                _repack(archive, each, source)
        for name in sorted(changes, key=lambda name: (name == last, name)):
            if (data := changes[name]) is not None:
                archive.writestr(_plain(name, moment), data)
        for each in rest:
            if each.name == last:
                _repack(archive, each, source)
        return [info.filename for info in archive.filelist]


def _stays(member: Placed, moved: Collection[str | None]) -> bool:
    """Whether a member can be copied, if all before it were."""
    return member.name not in moved and not member.has_descriptor


def _repack(archive: zipfile.ZipFile, member: Placed, source: int) -> None:
    """Unpack a member and pack it again under the same header, as far as zipfile has its fields."""
    info = copy.copy(member.info)
    info.extra = without_sizes(info.extra)
    with archive.open(info, "w") as out:
        for piece in contents(source, member):
            out.write(piece)


def _plain(name: str, moment: _Moment) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, moment)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = _UNIX
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def _require_written(target: Path, names: Sequence[str]) -> None:
    """Read the new archive back, and check that it has the expected members in order."""
    with refusing(target), zipfile.ZipFile(target) as archive, target.open("rb") as file:
        layout = read_layout(archive, file.fileno())
    if [member.name for member in layout.members] != names:
        raise ArtifactError(
            f"{target} does not hold what was written there",
            code="archive.miswritten",
            hint="check the disk, then repeat the command",
            facts={"path": str(target)},
        )
