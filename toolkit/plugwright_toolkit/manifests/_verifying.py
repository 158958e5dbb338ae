"""Reading manifests again after they were written, by our reader and by the standard library's."""

from __future__ import annotations

import importlib.metadata
import zipfile
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import location_at, service_load
from plugwright_toolkit.manifests._files import MANIFEST_LIMIT, content_of
from plugwright_toolkit.manifests._shim import SHIM
from plugwright_toolkit.manifests._values import Action, ArchiveWrite
from plugwright_toolkit.manifests.editing import ManifestLine, find_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from plugwright_toolkit.manifests._values import UnitPlan


class ManifestVerification:
    """Compares what readers see after a sync with what it promised.

    Made before anything changes: where the standard library could not read a manifest then,
    because of somebody else's line in it, it is not asked afterwards.
    """

    def __init__(self, units: Sequence[UnitPlan]) -> None:
        self._units = units
        self._asked = [unit for unit in units if _by_library(unit) is not None]

    def require(self) -> None:
        """Read everything again.

        Raises:
            ConnectError: ``sync.verification-failed``, if a reader sees something else.
        """
        for artifact in dict.fromkeys(unit.artifact for unit in self._units):
            seen = _by_us(artifact)
            for unit in self._units:
                if unit.artifact == artifact:
                    _require(unit, seen, "this tool")
        for unit in self._asked:
            _require(unit, _by_library(unit) or set(), "importlib.metadata")


def _require(unit: UnitPlan, seen: Collection[ManifestLine], reader: str) -> None:
    own = _own_lines(unit)
    for change in unit.changes:
        if change.action is Action.ADD and change.line not in seen:
            raise _mismatch(unit, f"{reader} does not see {change.class_name} in it")
        if change.action is Action.REMOVE and change.line in own:
            raise _mismatch(unit, f"{change.class_name} is still in it")


def _by_us(artifact: Path) -> set[ManifestLine]:
    # A shim beside archives goes with its last line.
    found = service_load(location_at(artifact)[0])[0] if artifact.exists() else ()
    return {ManifestLine(each.type.group, each.module, each.qualname) for each in found}


def _own_lines(unit: UnitPlan) -> list[ManifestLine]:
    if unit.manifest.name != "entry_points.txt":
        return []
    return find_lines(content_of(unit.manifest, MANIFEST_LIMIT) or b"")


def _by_library(unit: UnitPlan) -> set[ManifestLine] | None:
    """What the standard library reads; ``None`` if it fails."""
    try:
        return set(map(_line, _distribution(unit).entry_points))
    except Exception:  # noqa: BLE001  # which errors it raises differs between its versions
        return None


def _distribution(unit: UnitPlan) -> importlib.metadata.Distribution:
    if unit.manifest.name == "entry_points.txt":
        return importlib.metadata.PathDistribution(unit.manifest.parent)
    directory = SHIM
    for write in unit.writes:
        if isinstance(write, ArchiveWrite):
            manifests = (name for name in write.members if name.endswith("/entry_points.txt"))
            directory = next(manifests).rpartition("/")[0]
    if not unit.artifact.exists():
        return importlib.metadata.PathDistribution(unit.artifact)
    return importlib.metadata.PathDistribution(zipfile.Path(unit.artifact, f"{directory}/"))


def _line(entry: importlib.metadata.EntryPoint) -> ManifestLine:
    # Its own split takes no name with combining marks, which Python imports and this tool reads.
    module, _, qualname = entry.value.partition("[")[0].partition(":")
    return ManifestLine(entry.group, module.strip(), qualname.strip())


def _mismatch(unit: UnitPlan, what: str) -> ConnectError:
    return ConnectError(
        f"was written, but {what}; it was put back",
        code="sync.verification-failed",
        hint="report this with the manifest, which is as it was before",
        facts={"path": str(unit.manifest)},
    )
