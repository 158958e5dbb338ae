"""Checks of ``connect-plugin-path`` list and sync-manifests on the location."""

from __future__ import annotations

from typing import TYPE_CHECKING

import importlib_metadata

from plugwright.errors import DiscoveryError
from plugwright.plugins import location_at, survey
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._modes import stripped_copy
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.subject.subject import artifact_digest
from plugwright_toolkit.listing import rows_of, totals
from plugwright_toolkit.manifests import SyncOptions, render_text, sync_manifests

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright.plugins import PluginDescriptor
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_toolkit.manifests import SyncResult


@registered
class ListRowIsRight(Check):
    """connect-plugin-path list shows the plugin correctly."""

    id = "PLG-DSC-07"
    level = Level.C1
    title = "The row of connect-plugin-path list is correct"
    why = (
        "Operators decide by the list; a plugin that is not loadable there does not load anywhere."
    )
    mend = "Make the module importable without environment variables."
    origin = "K-tool"

    def run(self, bench: Bench) -> Evidence:
        """Survey the location as the tool does; look at every column and the totals."""
        root = bench.subject.root
        location, _ = location_at(root)
        rows = [row for each in survey([location]) for row in rows_of(each)]
        for plugin in bench.subject.plugins.descriptors:
            wanted = (
                plugin.class_name,
                *(*plugin.aliases, "N/A")[:2],
                plugin.version,
                plugin.type.name,
                "true",
                "true",
                str(root),
            )
            found = [row for row in rows if row.cells == wanted]
            if not found:
                near = [row for row in rows if row.name == plugin.class_name]
                observed = (
                    " ".join(near[0].cells[:7]) + f" ({near[0].found.reason})" if near else "no row"
                )
                raise CheckFailedError(expected=" ".join(wanted[:7]), observed=observed)
        counts = totals(rows)
        if len(set(counts.values())) != 1:
            raise CheckFailedError("equal totals: all loadable, all declared", f"{counts}")
        return Evidence(len(rows) + len(counts))


def _sync(location: Path, *, dry_run: bool) -> SyncResult:
    """Run sync-manifests on a location, even if a worker uses it.

    A dry run writes nothing, and any other one is of a copy.
    """
    found, _ = location_at(location)
    options = SyncOptions(
        (found,), dry_run=dry_run, edit_unrecorded=True, force_managed=True, in_use_ok=True
    )
    return sync_manifests(options)


@registered
class DrySyncHasNothingToDo(Check):
    """The shipped manifests are those that sync-manifests would write."""

    id = "PLG-DSC-08"
    level = Level.C1
    title = "sync-manifests in dry-run has nothing to do and writes nothing"
    why = "A manifest that the tool would change is wrong in at least one discovery mode."
    mend = "Run connect-plugin-path sync-manifests --dry-run and make the listed changes."
    origin = "K-tool"

    def run(self, bench: Bench) -> Evidence:
        """Dry-run it; look at its plan and at the files."""
        root = bench.subject.root
        before = artifact_digest(root)
        result = _sync(root, dry_run=True)
        if result.needed or result.failed:
            text = render_text(result)
            plan = [line.strip() for line in text.splitlines() if "\t" in line] or [text.strip()]
            raise CheckFailedError("No changes required.", "; ".join(plan).replace("\t", " "))
        if artifact_digest(root) != before:
            raise CheckFailedError("an unchanged location", "other bytes after the dry run")
        return Evidence(2)


def _entries(location: Path) -> set[tuple[str, str]]:
    """Group and class of every entry of a location."""
    return {
        (entry.group, entry.value.replace(":", "."))
        for distribution in importlib_metadata.distributions(path=[str(location)])
        for entry in distribution.entry_points
        if entry.group.startswith("plugwright.")
    }


def _defined_as(bench: Bench, plugin: PluginDescriptor) -> str:
    """The class under the module that defines it; as it is declared, if it cannot be loaded."""
    try:
        found = bench.subject.plugins.load(plugin)
    except DiscoveryError:
        return plugin.class_name
    return f"{found.__module__}.{found.__qualname__}"


@registered
class SyncRestoresManifests(Check):
    """sync-manifests can restore the manifests from the code."""

    id = "PLG-DSC-09"
    level = Level.C1
    title = "sync-manifests on a stripped copy restores exactly the shipped manifests, once"
    why = "A manifest that the tool cannot restore declares a class that does not exist."
    mend = "Declare only classes of this distribution."
    origin = "K-tool; TP"

    def run(self, bench: Bench) -> Evidence:
        """Strip, sync, compare as classes; sync again, compare digests."""
        plugins = bench.subject.plugins
        exported = {p.class_name: _defined_as(bench, p) for p in plugins.descriptors}
        shipped = {(p.type.group, exported[p.class_name]) for p in plugins.descriptors}
        copy = stripped_copy(bench)
        result = _sync(copy, dry_run=False)
        restored = {(group, exported.get(name, name)) for group, name in _entries(copy)}
        if restored != shipped:
            raise CheckFailedError(
                expected=", ".join(sorted(name for _, name in shipped)),
                observed=", ".join(sorted(name for _, name in restored)) or "nothing",
                scenario="manifests removed, then sync-manifests",
            )
        once = artifact_digest(copy)
        again = _sync(copy, dry_run=False)
        if artifact_digest(copy) != once or again.needed or result.failed:
            raise CheckFailedError("a second run that changes nothing", render_text(again))
        return Evidence(len(shipped) + 1)
