"""Checks of the four discovery modes, with and without manifests."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import importlib_metadata

from plugwright.errors import DiscoveryError
from plugwright.plugins import DiscoveryMode, Plugins
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks.places import Places
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright_conformance.catalogue.bench import Bench

_Found = frozenset[tuple[str, str, str]]


def _declared(root: Path) -> _Found:
    """Kind, class and version of every entry, as another reader of the metadata has them."""
    return frozenset(
        (entry.group, _resolved(entry), distribution.version)
        for distribution in importlib_metadata.distributions(path=[str(root)])
        for entry in distribution.entry_points
        if entry.group.startswith("plugwright.")
    )


def _resolved(entry: importlib_metadata.EntryPoint) -> str:
    """The class under the module that defines it, if it loads."""
    try:
        found = entry.load()
    except Exception:  # noqa: BLE001  # another check reports it
        return entry.value.replace(":", ".")
    return f"{found.__module__}.{found.__qualname__}" if isinstance(found, type) else entry.value


def _in_mode(root: Path, mode: str, bench: Bench) -> tuple[_Found, list[str]]:
    """Plugins and diagnostics of a mode; cached per run for the location itself."""
    if root != bench.subject.root:
        return look_in(root, mode, bench)
    return bench.once(f"mode {mode}", lambda: look_in(root, mode, bench))


def look_in(root: Path, mode: str, bench: Bench) -> tuple[_Found, list[str]]:
    plugins = Plugins.discover([root], mode)
    found = set()
    for plugin in plugins.descriptors:
        name = plugin.class_name
        if root == bench.subject.root:
            try:
                cls = plugins.load(plugin)
                name = f"{cls.__module__}.{cls.__qualname__}"
            except DiscoveryError:
                pass
        found.add((plugin.type.group, name, plugin.version))
    # A path to the location itself is no mistake, and neither is a finding that all is well.
    quiet = {"location-not-container", "manifests-complete"}
    remarks = [d for d in plugins.diagnostics if d.code not in quiet]
    return frozenset(found), [f"{d.code}: {d.message}" for d in remarks]


def _texts(found: _Found) -> str:
    return ", ".join(f"{name} {version}" for _, name, version in sorted(found)) or "nothing"


def _require_declared(bench: Bench, mode: str) -> int:
    """Find exactly the declared plugins in a mode; how many there are."""
    bench.plugin_class()
    root = bench.subject.root
    declared = _declared(root)
    try:
        found, _ = _in_mode(root, mode, bench)
    except DiscoveryError as error:
        raise CheckFailedError(
            expected=_texts(declared),
            observed=str(error) or repr(error),
            scenario=f"plugin.discovery={mode}",
            likely="a plugin class without manifest, or a manifest without class",
        ) from error
    if found != declared:
        raise CheckFailedError(
            expected=_texts(declared), observed=_texts(found), scenario=f"plugin.discovery={mode}"
        )
    return len(declared)


@registered
class OnlyScanFindsDeclared(Check):
    """A scan finds the same plugins as the manifests declare."""

    id = "PLG-DSC-01"
    level = Level.C1
    title = "only_scan finds exactly the declared plugins"
    why = "Clusters that scan would offer other plugins than clusters that read manifests."
    mend = "Define plugin classes at module level, and declare each of them."
    origin = "K-disc; DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Compare with an independent reader of the metadata."""
        return Evidence(_require_declared(bench, "only_scan"))


@registered
class HybridWarnIsSilent(Check):
    """The default mode reports no warnings."""

    id = "PLG-DSC-03"
    level = Level.C1
    title = "hybrid_warn finds the same set with zero warnings"
    why = (
        "It is the default mode; plugins with a warning are missing after a switch to service_load."
    )
    mend = "Declare the class named by the warning: connect-plugin-path sync-manifests."
    origin = "K-disc; DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Compare the set, then look for diagnostics that name this distribution."""
        count = _require_declared(bench, "hybrid_warn")
        _, findings = _in_mode(bench.subject.root, "hybrid_warn", bench)
        if findings:
            raise CheckFailedError(
                expected="no warning", observed=findings[0], scenario="plugin.discovery=hybrid_warn"
            )
        return Evidence(count)


@registered
class HybridFailStarts(Check):
    """The strict mode lets the worker start."""

    id = "PLG-DSC-04"
    level = Level.C1
    title = "hybrid_fail lets the worker start"
    why = "One undeclared class prevents a worker from starting."
    mend = "Declare every plugin class, including helpers of other types."
    origin = "K-disc; DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Discover in that mode; the listing equals the declared set."""
        return Evidence(_require_declared(bench, "hybrid_fail"))


@registered
class AllModesAgree(Check):
    """All discovery modes find the same plugins."""

    id = "PLG-DSC-05"
    level = Level.C1
    title = "All four modes agree"
    why = "Changing plugin.discovery must not change the available plugins or versions."
    mend = "State the version once, in the metadata, and declare every plugin."
    origin = "K-disc"

    def run(self, bench: Bench) -> Evidence:
        """Compare kind, class, version and location over the four results."""
        bench.plugin_class()
        results = {}
        for mode in DiscoveryMode:
            try:
                found, findings = _in_mode(bench.subject.root, mode.value, bench)
            except DiscoveryError as error:
                found, findings = frozenset(), [str(error)]
            results[mode.value] = found
            if odd := [text for text in findings if text.startswith("version-")]:
                raise CheckFailedError(
                    expected="one version of each class", observed=odd[0], scenario=mode.value
                )
        first = results["service_load"]
        for mode_name, found in results.items():
            if found != first:
                raise CheckFailedError(
                    expected=f"{_texts(first)}, as under service_load",
                    observed=_texts(found),
                    scenario=f"plugin.discovery={mode_name}",
                )
        self._require_one_version(bench)
        return Evidence(len(results) * max(len(first), 1))

    @staticmethod
    def _require_one_version(bench: Bench) -> None:
        for plugin in bench.subject.plugins.descriptors:
            said = bench.subject.plugins.load(plugin)().version()
            if said != plugin.version:
                raise CheckFailedError(
                    expected=f"{plugin.class_name} in version {plugin.version}, as declared",
                    observed=f"version {said} from its code",
                    scenario="manifest against code",
                )


def stripped_copy(bench: Bench) -> Path:
    """A copy of the location without manifests."""
    copy = bench.directory() / bench.subject.root.name
    shutil.copytree(bench.subject.root, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for manifest in copy.rglob("entry_points.txt"):
        manifest.unlink()
    return copy


@registered
class StrippedCopyBehaves(Check):
    """Without manifests, each mode behaves as documented."""

    id = "PLG-DSC-06"
    level = Level.C1
    title = "A copy without manifests behaves as each mode specifies"
    why = "Old packages look like this, and each mode handles them differently."
    mend = "Do not write manifests or register plugins on import."
    origin = "K-disc; DUCK"

    def run(self, bench: Bench) -> Evidence:
        """Four modes, intact and stripped: eight cells, all looked at."""
        bench.plugin_class()
        root, copy = bench.subject.root, stripped_copy(bench)
        names = {name for _, name, _ in _declared(root)}
        places = Places("discovery", f"of {len(names)} seen")
        for mode in DiscoveryMode:
            with places.at(mode.value, "intact", len(names)):
                self._intact(bench, mode, names)
            with places.at(mode.value, "manifests removed", len(names) if mode.scans else 0):
                self._stripped(bench, copy, mode, names)
        return Evidence(2 * len(DiscoveryMode), cells=places.cells())

    @staticmethod
    def _intact(bench: Bench, mode: DiscoveryMode, names: set[str]) -> None:
        found, _ = _in_mode(bench.subject.root, mode.value, bench)
        if {name for _, name, _ in found} != names:
            raise CheckFailedError(
                expected=f"{', '.join(sorted(names))} visible",
                observed=_texts(found),
                scenario=f"intact, plugin.discovery={mode.value}",
            )

    @staticmethod
    def _stripped(bench: Bench, copy: Path, mode: DiscoveryMode, names: set[str]) -> None:
        scenario = f"manifests removed, plugin.discovery={mode.value}"
        refusal: DiscoveryError | None = None
        try:
            found, findings = _in_mode(copy, mode.value, bench)
        except DiscoveryError as error:
            refusal = error
        if list(copy.rglob("entry_points.txt")):
            raise CheckFailedError(
                expected="a copy without manifests",
                observed="a recreated manifest",
                scenario=scenario,
                likely="the package writes its manifest when it is imported",
            )
        if refusal is not None:
            if mode is not DiscoveryMode.HYBRID_FAIL:
                raise CheckFailedError("no refusal", str(refusal), scenario) from refusal
            return
        seen = {name for _, name, _ in found}
        expected = names if mode.scans else set()
        if mode is DiscoveryMode.HYBRID_FAIL:
            raise CheckFailedError("a refusal that names the class", _texts(found), scenario)
        if seen != expected:
            raise CheckFailedError(
                ", ".join(sorted(expected)) + " visible" if expected else "nothing visible",
                _texts(found),
                scenario,
            )
        warned = any(name.rpartition(".")[2] in text for name in names for text in findings)
        if mode is DiscoveryMode.HYBRID_WARN and not warned:
            raise CheckFailedError("a warning that names the class", str(findings), scenario)
