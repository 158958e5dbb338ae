"""Check of a plugin location shared with broken distributions."""

from __future__ import annotations

import re
import shutil
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.plugins import DiscoveryMode
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._modes import look_in
from plugwright_conformance.checks.places import Places
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from plugwright_conformance.catalogue.bench import Bench

_Plugin = tuple[str, str, str]

_CLASS = '''
from plugwright import ConfigDef, SinkConnector
{head}

class {name}({base}):
    """A connector of somebody else."""
{init}
    def version(self):
        return "1.0"

    def start(self, props):
        pass

    def stop(self):
        pass

    def task_class(self):
        return None

    def task_configs(self, max_tasks):
        return []

    def config(self):
        return ConfigDef()
'''
_FAULTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "import": {"head": "\nraise RuntimeError('broken at import')\n"},
        "constructor": {
            "init": "\n    def __init__(self):\n        raise RuntimeError('broken')\n"
        },
        "base": {"head": "\nfrom package_of_nobody import Base\n", "base": "Base"},
    }
)
"""What is broken in each neighbour."""
_METADATA = "Metadata-Version: 2.3\nName: {name}\nVersion: 1.0\nRequires-Dist: plugwright>=0.1,<1\n"
_MODES = (DiscoveryMode.ONLY_SCAN, DiscoveryMode.HYBRID_WARN, DiscoveryMode.SERVICE_LOAD)


@registered
class SurvivesBrokenNeighbours(Check):
    """Broken distributions in the same location do not affect the plugin."""

    id = "PLG-DSC-11"
    level = Level.C1
    wave = 2
    title = "Broken neighbours in one location do not hide the plugin"
    why = "Locations often hold many packages; one bad upgrade must not hide the others."
    mend = "Import only required modules at module level; look for other plugins at run time."
    origin = "TP"

    def run(self, bench: Bench) -> Evidence:
        """Put three broken distributions beside the plugin; the modes find what they found."""
        bench.plugin_class()
        copy = bench.directory() / bench.subject.root.name
        shutil.copytree(bench.subject.root, copy, ignore=shutil.ignore_patterns("__pycache__"))
        declared = frozenset(
            (plugin.type.group, plugin.class_name, plugin.version)
            for plugin in bench.subject.plugins.descriptors
            if plugin.location is not None
        )
        neighbours = [_settle(copy, fault) for fault in _FAULTS]
        places = Places("discovery", f"of {len(declared)} seen")
        for mode in _MODES:
            with places.at(mode.value, "broken neighbours", len(declared)):
                found, findings = look_in(copy, mode.value, bench)
                _require_reported(neighbours, [*(name for _, name, _ in found), *findings])
                ours = frozenset(each for each in found if _package(each) not in neighbours)
                _require_unharmed(declared, ours, findings, mode.value)
        return Evidence(len(_MODES) * len(_FAULTS), cells=places.cells())


def _package(plugin: _Plugin) -> str:
    return plugin[1].partition(".")[0]


def _plain(plugins: Iterable[_Plugin]) -> set[_Plugin]:
    """A manifest may name another module than that which defines the class."""
    return {(kind, name.rpartition(".")[2], version) for kind, name, version in plugins}


def _require_unharmed(
    declared: frozenset[_Plugin], found: frozenset[_Plugin], findings: list[str], mode: str
) -> None:
    packages = "|".join(re.escape(_package(each)) for each in declared)
    blamed = [text for text in findings if re.search(rf"\b({packages})\b", text)]
    if blamed or _plain(found) != _plain(declared):
        raise CheckFailedError(
            expected=f"{_names(declared)}, and nothing wrong with it",
            observed="; ".join([_names(found), *blamed]),
            scenario=f"plugin.discovery={mode}; of three neighbouring distributions one raises "
            "on import, one on instantiation, and one lacks the package of its base class",
            likely="the package imports other packages of its location when it is imported",
        )


def _names(plugins: Iterable[_Plugin]) -> str:
    return ", ".join(sorted(name for _, name, _ in plugins)) or "nothing"


def _settle(location: Path, fault: str) -> str:
    """Add a distribution that is broken in this way; the name of its package."""
    name, of_class = f"neighbour_broken_{fault}", f"Neighbour{fault.title()}SinkConnector"
    parts = {"head": "", "base": "SinkConnector", "init": "", **_FAULTS[fault], "name": of_class}
    (location / name).mkdir()
    (location / name / "__init__.py").write_text(_CLASS.format(**parts), encoding="utf-8")
    metadata = location / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(_METADATA.format(name=name), encoding="utf-8")
    entry = f"[plugwright.SinkConnector]\n{fault} = {name}:{of_class}\n"
    (metadata / "entry_points.txt").write_text(entry, encoding="utf-8")
    return name


def _require_reported(neighbours: list[str], words: list[str]) -> None:
    """Each is listed, or named in a finding: otherwise it is not the plugin that is at fault."""
    for neighbour in neighbours:
        if not any(neighbour in text for text in words):
            raise AssertionError(f"discovery neither lists nor names {neighbour}")
