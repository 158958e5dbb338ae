"""Checks of discovery and of unconfigured instances."""

from __future__ import annotations

import os
import statistics
import threading
from typing import TYPE_CHECKING

import importlib_metadata

from plugwright.config import ConfigDef
from plugwright.plugins import PLUGIN_TYPES, Plugins
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Severity
from plugwright_conformance.processes.cpu_share import Patience

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_REPEATS = 3
_CONSTRUCTOR_BUDGET_S = 0.05


@registered
class ServiceLoadFindsDeclared(Check):
    """The plugin is found by manifests alone."""

    id = "PLG-DSC-02"
    level = Level.C1
    title = "service_load finds exactly the declared plugins"
    why = "Workers with plugin.discovery=service_load find only declared plugins."
    mend = "Declare each class in the entry-point group of its base class, and nothing else."

    def run(self, bench: Bench) -> Evidence:
        """Compare with an independent reader of the same metadata."""
        root = bench.subject.root
        groups = {kind.group for kind in PLUGIN_TYPES}
        declared = {
            (entry.group, entry.value.replace(" ", ""), distribution.version)
            for distribution in importlib_metadata.distributions(path=[str(root)])
            for entry in distribution.entry_points
            if entry.group.startswith("plugwright.")
        }
        if unknown := sorted({group for group, _, _ in declared} - groups):
            raise CheckFailedError(
                expected=f"groups among {', '.join(sorted(groups))}", observed=", ".join(unknown)
            )
        found = {
            (plugin.type.group, f"{plugin.module}:{plugin.qualname}", plugin.version)
            for plugin in Plugins.service_load([root]).descriptors
        }
        if found != declared:
            raise CheckFailedError(expected=f"{sorted(declared)}", observed=f"{sorted(found)}")
        return Evidence(len(declared))


@registered
class AliasesAreFree(Check):
    """The short names of the plugins belong to them alone."""

    id = "PLG-DSC-10"
    severity = Severity.SHOULD
    level = Level.C1
    wave = 2
    title = "Aliases do not collide with built-in plugins"
    why = "A short name of two classes means neither, so that configurations with it stop working."
    mend = "Give the class a name that is not taken."
    origin = "K-tool; kafka#14081"

    def run(self, bench: Bench) -> Evidence:
        """Look for short names that the location shares with the runtime, or has twice."""
        plugins = bench.subject.plugins
        names = [alias for plugin in plugins.descriptors for alias in plugin.aliases]
        for found in plugins.diagnostics:
            if found.code == "alias-ambiguous":
                raise CheckFailedError(expected="each alias of one class", observed=found.message)
        return Evidence(len(names))


@registered
class ConstructorIsPlain(Check):
    """Creating an instance is fast and has no side effects."""

    id = "PLG-DSC-13"
    level = Level.C1
    after = "PLG-PKG-16"
    title = "Constructor takes no argument, starts no thread and is fast"
    why = "Listing and validation instantiate every installed plugin."
    mend = "Move the work from __init__ to start()."

    def run(self, bench: Bench) -> Evidence:
        """Make a few instances."""
        plugin = bench.plugin_class()
        threads, times = threading.active_count(), []
        for _ in range(_REPEATS):
            took = Patience(os.getpid(), 0.0)  # which does not count the queue for a core
            try:
                plugin()
            except Exception as error:
                raise CheckFailedError(
                    expected=f"{plugin.__name__}() to work",
                    observed=f"{type(error).__name__}: {error}",
                    likely="the constructor requires an argument or a resource",
                    mend="Let __init__ take no argument but self, and do its work in start().",
                ) from error
            times.append(-took.left_s())
        if threading.active_count() != threads:
            raise CheckFailedError(
                expected="no thread", observed=f"{threading.active_count() - threads} more threads"
            )
        if (median := statistics.median(times)) > _CONSTRUCTOR_BUDGET_S:
            raise CheckFailedError(
                expected=f"under {_CONSTRUCTOR_BUDGET_S:g} s", observed=f"{median:.3f} s"
            )
        return Evidence(_REPEATS)


@registered
class UnconfiguredInstanceAnswers(Check):
    """A new instance returns its version and definition."""

    id = "PLG-DSC-14"
    level = Level.C1
    after = "PLG-DSC-13"
    title = "version() and config() work on an unconfigured instance and never raise"
    why = "They are called before any configuration exists, for listing and validation."
    mend = "Do not let either depend on start()."

    def run(self, bench: Bench) -> Evidence:
        """Ask fresh instances several times and compare."""
        answers: list[tuple[str, tuple[str, ...]]] = []
        for _ in range(_REPEATS):
            connector = bench.connector()
            try:
                version = connector.version()
                definition: object = connector.config()
            except Exception as error:
                raise CheckFailedError(
                    expected="an answer", observed=f"{type(error).__name__}: {error}"
                ) from error
            if not isinstance(definition, ConfigDef) or not version:
                raise CheckFailedError(
                    expected="a version and a ConfigDef", observed=f"{version!r}, {definition!r}"
                )
            answers.append((version, tuple(definition.names)))
        if len(set(answers)) != 1:
            raise CheckFailedError(expected="equal answers", observed=f"{answers}")
        return Evidence(_REPEATS)
