"""Combines static information about a location's plugins with import results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel
from plugwright.plugins._location_notes import is_editable
from plugwright.plugins._owners import Owners
from plugwright.plugins._scan import ScanState, scan
from plugwright.plugins._service_load import service_load
from plugwright.plugins._sources import find_source, is_excluded
from plugwright.plugins._surveyed import SurveyedPlugin, is_loadable
from plugwright.plugins.confirming import Inquiry
from plugwright.plugins.resolving import HostModules, Resolver
from plugwright.plugins.syntax import ClassNode, Imported, Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType
    from plugwright.plugins.confirming import Confirmed, ImportOutcome

_STATIC = "static"
_BEFORE_KINDS = frozenset({"host-copy", "import-error", "name-missing", "name-taken", "not-class"})


class View:
    """The plugins of one location.

    Attributes:
        declared: the plugins in its manifests.
    """

    def __init__(
        self, location: Location, host: HostModules, exclude: Sequence[str], *, manifests: bool
    ) -> None:
        self._location = location
        self.declared, findings = service_load(location)
        self._asked = self.declared if manifests else []
        self._resolver = Resolver(location.path, host)
        self._verdicts, notes = scan(location, exclude, self._resolver)
        self._findings = [*findings, *notes]
        self._owners = Owners(location)
        self._exclude = exclude

    def inquiry(self) -> Inquiry:
        """The modules worth importing: plugin candidates, and names in manifests."""
        names: dict[str, list[str]] = {
            verdict.module: [] for verdict in self._verdicts if verdict.state is not ScanState.NOT
        }
        for plugin in self._asked:
            if not plugin.obstacle:
                names.setdefault(plugin.module, []).append(plugin.qualname)
        return Inquiry(self._location, dict(sorted(names.items())))

    def plugins(self, outcome: ImportOutcome | None) -> list[SurveyedPlugin]:
        """Every plugin once, declared ones before undeclared ones."""
        rows: dict[tuple[object, ...], SurveyedPlugin] = {}
        for row in (*self._by_manifest(outcome), *self._by_code(outcome), *self._by_text(outcome)):
            rows.setdefault((row.plugin.type, row.plugin.class_name), row)
        return sorted(rows.values(), key=_place)

    def _by_manifest(self, outcome: ImportOutcome | None) -> Iterator[SurveyedPlugin]:
        for plugin in self._asked:
            home, reason = self._judged(plugin, outcome)
            owner = self._owners.owner(home[0], (plugin.distribution, plugin.version))
            yield SurveyedPlugin(_moved(plugin, home, owner), plugin, is_loadable(reason), reason)

    def _judged(
        self, plugin: PluginDescriptor, outcome: ImportOutcome | None
    ) -> tuple[tuple[str, str], str]:
        """The defining module and name of a declared class, and why it is not a plugin."""
        if plugin.obstacle:
            return self._target(plugin), "requires-python"
        failure = outcome.failures.get(plugin.module) if outcome else _STATIC
        named = outcome.named.get((plugin.module, plugin.qualname)) if outcome else None
        if named is None:
            home, asked = self._target(plugin), (plugin.module, plugin.qualname)
            found = {(each.module, each.qualname) for each in outcome.found} if outcome else set()
            if failure == "module-missing" and self._is_elsewhere(plugin):
                failure = "editable"
            # A class that another module re-exports successfully is not at fault here.
            return asked if home in found else home, failure or "import-crash"
        reason = named.reason
        if plugin.type not in named.kinds and reason not in _BEFORE_KINDS:
            reason = "wrong-base"
        return (named.module, named.qualname), reason

    def _is_elsewhere(self, plugin: PluginDescriptor) -> bool:
        """Whether the code of its distribution lies outside of the location."""
        identity = plugin.distribution, plugin.version
        own = [each for each in self._owners.all if each.identity == identity]
        return any(is_editable(each.directory) for each in own)

    def _target(self, plugin: PluginDescriptor) -> tuple[str, str]:
        """The defining module and name of a declared class."""
        first, *rest = plugin.qualname.split(".")
        reference = Reference(Imported(plugin.module, first), first, tuple(rest))
        target = self._resolver.resolve(reference, plugin.module)
        if isinstance(target, ClassNode):
            return target.module, target.qualname
        return plugin.module, plugin.qualname

    def _by_code(self, outcome: ImportOutcome | None) -> Iterator[SurveyedPlugin]:
        for found in outcome.found if outcome else ():
            if not found.reason and not is_excluded(found.module, "", self._exclude):
                for kind in found.kinds:
                    yield self._undeclared(kind, (found.module, found.qualname), "")

    def _by_text(self, outcome: ImportOutcome | None) -> Iterator[SurveyedPlugin]:
        for verdict in self._verdicts:
            reason = outcome.failures.get(verdict.module) if outcome else _STATIC
            if verdict.state is ScanState.NOT or not verdict.qualname or not reason:
                continue
            if outcome is None:
                reason = verdict.reason or _STATIC
            for kind in verdict.kinds:
                yield self._undeclared(kind, (verdict.module, verdict.qualname), reason)

    def _undeclared(self, kind: PluginType, home: tuple[str, str], reason: str) -> SurveyedPlugin:
        (module, qualname), owner = home, self._owners.find(home[0])
        name, version = self._owners.owner(module)
        plugin = PluginDescriptor(
            type=kind,
            module=module,
            qualname=qualname,
            entry_name=f"{module}.{qualname}",
            distribution=name,
            version=version,
            location=self._location,
            obstacle=owner.metadata.obstacle if owner else "",
        )
        reason = "requires-python" if plugin.obstacle else reason
        return SurveyedPlugin(plugin, None, is_loadable(reason), reason)

    def diagnostics(self, outcome: ImportOutcome | None) -> list[Diagnostic]:
        """Diagnostics about the location, and differences between source and import results."""
        denied = {
            (verdict.module, verdict.qualname)
            for verdict in self._verdicts
            if verdict.state is ScanState.NOT
        }
        found = outcome.found if outcome else []
        usable = [each for each in found if not each.reason]
        modules = {each.module for each in usable}
        named = {(plugin.module, plugin.qualname) for plugin in self._asked}
        needy = [
            each
            for each in found
            if each.reason == "needs-arguments" and (each.module, each.qualname) not in named
        ]
        return [
            *self._findings,
            *(outcome.findings if outcome else ()),
            *(self._missed(each) for each in usable if (each.module, each.qualname) in denied),
            *(self._needy(each) for each in needy),
            *(note for module in sorted(modules) for note in self._unrecorded(module)),
        ]

    def _missed(self, found: Confirmed) -> Diagnostic:
        message = (
            f"{found.module}.{found.qualname} is a plugin, which its source code does not show"
        )
        return Diagnostic(DiagnosticLevel.NOTE, "static-miss", str(self._location.origin), message)

    def _unrecorded(self, module: str) -> Iterator[Diagnostic]:
        source = find_source([self._location.path], module)
        if source is None or self._owners.has_file(source.path) is not False:
            return
        file = source.path.relative_to(self._location.path).as_posix()
        message = "has plugins, but no distribution lists it among its files"
        yield Diagnostic(
            DiagnosticLevel.NOTE, "unrecorded", str(self._location.origin), message, file
        )

    def _needy(self, found: Confirmed) -> Diagnostic:
        return Diagnostic(
            DiagnosticLevel.WARNING,
            "target-needs-arguments",
            str(self._location.origin),
            f"{found.module}.{found.qualname} cannot be made without arguments, so it is no plugin",
            hint="give every parameter of its constructor a default, and read settings in start()",
        )


def _moved(
    plugin: PluginDescriptor, home: tuple[str, str], owner: tuple[str, str]
) -> PluginDescriptor:
    (module, qualname), (name, version) = home, owner
    return replace(plugin, module=module, qualname=qualname, distribution=name, version=version)


def _place(row: SurveyedPlugin) -> tuple[str, str, str]:
    return row.plugin.class_name, row.plugin.type.name, row.plugin.version
