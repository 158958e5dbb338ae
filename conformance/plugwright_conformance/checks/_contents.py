"""Checks of the package's contents and of the effects of its import."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import importlib_metadata

import plugwright
from plugwright.plugins import PLUGIN_TYPES, Plugins, record_rows
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.isolated import run_alone, run_isolated
from plugwright_conformance.subject.subject import artifact_digest
from plugwright_toolkit.record import entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from plugwright_conformance.catalogue.bench import Bench

_RESERVED = frozenset(
    {
        "plugwright",
        "plugwright_toolkit",
        "plugwright_conformance",
        "plugwright_templates",
        "pyspark",
        "py4j",
        "confluent_kafka",
        "kafka",
    }
)
_TEST_PARTS = frozenset({"test", "tests", "testing", "conftest"})


@registered
class InstallsAlone(Check):
    """The package runs with its declared dependencies only."""

    id = "PLG-PKG-01"
    level = Level.C1
    title = "Installs alone into an empty environment and imports"
    why = "Packages that happen to be on the developer's machine are missing on the worker."
    mend = "List every imported package in dependencies, and ship every module."
    origin = "G-Pkg; QA"

    def run(self, bench: Bench) -> Evidence:
        """Load every entry point where only the API and the declared dependencies are."""
        entries = [f"{p.module}:{p.qualname}" for p in bench.subject.plugins.descriptors]
        report = run_alone(
            bench.subject,
            bench.directory(),
            "load-entries",
            "an environment with only the API package and the declared dependencies",
            entries=entries,
        )
        return Evidence(int(report["loaded"]))


def _top_levels(root: Path) -> Iterator[str]:
    """Names that the location makes importable."""
    for path in sorted(root.iterdir()):
        if path.suffix == ".py":
            yield path.stem
        elif path.is_dir() and (path / "__init__.py").is_file():
            yield path.name


def _walk(bench: Bench) -> Iterator[type]:
    """Every class that the location's own modules define."""
    bench.plugin_class()
    for top in _top_levels(bench.subject.root):
        if top in _RESERVED or top in sys.stdlib_module_names:
            continue
        package = import_module(top)
        names = [top]
        path = getattr(package, "__path__", ())
        names += [found.name for found in pkgutil.walk_packages(path, f"{top}.")]
        for name in names:
            if not _TEST_PARTS & set(name.split(".")):
                module = import_module(name)
                own = vars(module).values()
                yield from (c for c in own if inspect.isclass(c) and c.__module__ == name)


@registered
class EveryPluginIsDeclared(Check):
    """Every plugin class has a manifest entry."""

    id = "PLG-PKG-02"
    level = Level.C1
    title = "Every concrete plugin class has a manifest entry for every plugin type it implements"
    why = "Workers with plugin.discovery=service_load do not find undeclared classes."
    mend = "Add an entry point for the class in the group of each of its base classes."
    origin = "K-disc; TP"

    def run(self, bench: Bench) -> Evidence:
        """Compare the classes of an import walk with the entry points."""
        bases = {kind.group: getattr(plugwright, kind.base) for kind in PLUGIN_TYPES}
        written = {
            (group, cls)
            for cls in _walk(bench)
            for group, base in bases.items()
            if issubclass(cls, base) and not inspect.isabstract(cls)
        }
        root = [str(bench.subject.root)]
        declared = {
            (entry.group, entry.load())
            for distribution in importlib_metadata.distributions(path=root)
            for entry in distribution.entry_points
            if entry.group in bases
        }
        for group, cls in sorted(written - declared, key=repr):
            raise CheckFailedError(
                expected=f"an entry point for {cls.__module__}:{cls.__qualname__} in [{group}]",
                observed="none",
                scenario="every module of the location was imported",
            )
        return Evidence(len(written))


@registered
class HelpersAreNotExposed(Check):
    """Only plugins for users are found."""

    id = "PLG-PKG-04"
    level = Level.C1
    title = "Bases, test doubles and helpers are not exposed as plugins"
    why = "Users may configure a listed base class, which cannot run."
    mend = "Make the class abstract, or move test doubles out of the package."
    origin = "K-disc"

    def run(self, bench: Bench) -> Evidence:
        """Look at what a scan finds."""
        found = Plugins.discover([bench.subject.root], "only_scan").descriptors
        declared = {(p.module, p.qualname) for p in bench.subject.plugins.descriptors}
        exposed = {p.class_name: bench.subject.plugins.load(p) for p in found}
        for plugin in found:
            cls = exposed[plugin.class_name]
            heirs = [c for c in exposed.values() if c is not cls and issubclass(c, cls)]
            helper = heirs and (cls.__module__, cls.__qualname__) not in _resolved(bench, declared)
            if helper or inspect.isabstract(cls) or _TEST_PARTS & set(plugin.module.split(".")):
                raise CheckFailedError(
                    expected="only plugins for users",
                    observed=f"{plugin.class_name} is found as a {plugin.type.name}",
                    scenario="plugin.discovery=only_scan",
                    likely="it is a base class of a plugin" if helper else "it is a test double",
                )
        return Evidence(len(found))


def _resolved(bench: Bench, declared: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The declared classes under the modules that define them."""
    loaded = [bench.subject.plugins.load(p) for p in bench.subject.plugins.descriptors]
    return declared | {(cls.__module__, cls.__qualname__) for cls in loaded}


@registered
class OwnNamespacesOnly(Check):
    """The package uses no reserved top-level names."""

    id = "PLG-PKG-05"
    level = Level.C1
    title = "Ships no file in a namespace of the runtime, Spark, the Kafka client or Python"
    why = "A bundled copy of the API or of Spark breaks other plugins in the same location."
    mend = "Depend on the package instead of bundling it, and rename modules with standard names."
    origin = "G-Pkg"

    def run(self, bench: Bench) -> Evidence:
        """Compare the importable names of the location with the reserved ones."""
        names = list(_top_levels(bench.subject.root))
        for name in names:
            if name in _RESERVED or name in sys.stdlib_module_names:
                raise CheckFailedError(
                    expected="top-level names that the worker does not use",
                    observed=f"{name} in the package",
                )
        return Evidence(max(len(names), 1))


@registered
class ImportHasNoSideEffect(Check):
    """Importing the package has no side effects."""

    id = "PLG-PKG-11"
    level = Level.C1
    title = "Import has no side effects"
    why = "Listing and scanning import every installed plugin."
    mend = "Move the work from module level to start()."
    origin = "TP (static initialiser); NEW"

    def run(self, bench: Bench) -> Evidence:
        """Import every declared module in a process of its own, under an audit hook."""
        modules = sorted({p.module for p in bench.subject.plugins.descriptors})
        for module in modules:
            report = run_isolated(
                bench.subject, "watch-import", f"the import of {module}", module=module
            )
            if report["events"]:
                raise CheckFailedError(
                    expected="an import without side effects",
                    observed=", ".join(report["events"]),
                    scenario=f"the import of {module} in a process of its own",
                )
        return Evidence(len(modules))


@registered
class BytesStayAsInstalled(Check):
    """The installed files are the tested ones."""

    id = "PLG-PKG-14"
    level = Level.C1
    after = "CON-CAP-03"
    title = "Installed bytes are the bytes under test"
    why = "A verdict about other bytes than the shipped ones is worthless."
    mend = "Do not modify the package's files in code; rebuild the wheel."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Hash everything again, against RECORD and against the beginning of the run."""
        subject = bench.subject
        if (now := artifact_digest(subject.given)) != subject.digest:
            raise CheckFailedError(
                expected=f"digest {subject.digest[:12]}, as at the beginning",
                observed=f"digest {now[:12]}",
                scenario="after the checks before this one",
                likely="the plugin modifies its own package",
            )
        compared = 1
        for record in sorted(subject.root.glob("*.dist-info/RECORD")):
            compared += _compare_record(record, subject.root)
        return Evidence(compared)


def _compare_record(record: Path, root: Path) -> int:
    """The number of files whose digest is that of RECORD."""
    compared = 0
    for row in record_rows(record.read_bytes()):
        entry = entry_of(row)
        if entry is None or entry.hash_ is None:
            continue
        path = root / entry.path
        data = path.read_bytes() if path.is_file() else None
        if data is None or not entry.hash_.validate(data):
            raise CheckFailedError(
                expected=f"{entry.path} as RECORD has it",
                observed="no such file" if data is None else "other bytes",
            )
        compared += 1
    return compared
