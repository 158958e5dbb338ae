"""Discovery by looking into the modules of a location, compared with its manifests."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.plugins._confirming import confirm
from plugwright.plugins._descriptor import PluginDescriptor
from plugwright.plugins._diagnostic import Diagnostic, Level
from plugwright.plugins._reading import read_regular
from plugwright.plugins._resolving import Resolver
from plugwright.plugins._scan import SCANNED_TYPES, State, scan
from plugwright.plugins._service_load import identity
from plugwright.plugins._syntax import ClassNode, Imported, Reference
from plugwright.plugins._versions import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins._confirming import Confirmed, ConfirmLimits
    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType

__all__ = ["Scanned", "scan_location"]

_RECORD_LIMIT = 64 << 20


@dataclass(frozen=True, slots=True)
class Scanned:
    """What the modules of a location hold.

    Attributes:
        plugins: one for each class and kind, under the module that defines the class.
        lacking: those that no manifest declares.
        stale: declared ones whose class is not there or is no such plugin.
    """

    plugins: list[PluginDescriptor] = field(default_factory=list)
    lacking: list[PluginDescriptor] = field(default_factory=list)
    stale: list[PluginDescriptor] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def scan_location(
    location: Location, declared: Sequence[PluginDescriptor], limits: ConfirmLimits | None = None
) -> Scanned:
    """Find the plugins of a location by their code.

    The text decides which modules are worth an import, and a child process imports them.

    Args:
        location: where to look.
        declared: what its manifests say; their modules are imported too.
        limits: what an import may cost.
    """
    verdicts, findings = scan(location)
    resolver = Resolver(location.path)
    scanned = [plugin for plugin in declared if plugin.type in SCANNED_TYPES]
    targets = [(plugin, _target(plugin, resolver)) for plugin in scanned]
    modules = {v.module for v in verdicts if v.state is not State.NOT}
    modules |= {module for _, (module, _) in targets}
    found, failed = confirm(location, sorted(modules), limits)
    usable = [each for each in found if not each.reason]
    owners = _Owners(location)
    plugins = [owners.descriptor(each, kind) for each in usable for kind in each.kinds]
    known = {(kind, module, name) for kind, (module, name) in _keys(targets)}
    there = {(plugin.type, plugin.module, plugin.qualname) for plugin in plugins}
    misses = [
        _missed(location, each)
        for each in usable
        for verdict in verdicts
        if (verdict.module, verdict.qualname) == (each.module, each.qualname)
        and verdict.state is State.NOT
    ]
    needy = [_needy(location, each) for each in found if each.reason == "needs-arguments"]
    return Scanned(
        plugins,
        [p for p in plugins if (p.type, p.module, p.qualname) not in known],
        [plugin for plugin, target in targets if (plugin.type, *target) not in there],
        [*findings, *failed, *misses, *needy],
    )


def _keys(
    targets: Sequence[tuple[PluginDescriptor, tuple[str, str]]],
) -> list[tuple[PluginType, tuple[str, str]]]:
    return [(plugin.type, target) for plugin, target in targets]


def _target(plugin: PluginDescriptor, resolver: Resolver) -> tuple[str, str]:
    """The module that defines the class that a manifest names, and its name there."""
    first, *rest = plugin.qualname.split(".")
    reference = Reference(Imported(plugin.module, first), first, tuple(rest))
    target = resolver.resolve(reference, plugin.module)
    if isinstance(target, ClassNode):
        return target.module, target.qualname
    return plugin.module, plugin.qualname


def _missed(location: Location, found: Confirmed) -> Diagnostic:
    message = f"{found.module}.{found.qualname} is a plugin although its text does not tell"
    return Diagnostic(Level.NOTE, "static-miss", str(location.origin), message)


def _needy(location: Location, found: Confirmed) -> Diagnostic:
    return Diagnostic(
        Level.WARNING,
        "target-needs-arguments",
        str(location.origin),
        f"{found.module}.{found.qualname} cannot be made without arguments, so it is no plugin",
        hint="give every parameter of its constructor a default, and read settings in start()",
    )


class _Owners:
    """The distributions of a location, and which of them a module belongs to."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._names: list[tuple[str, str]] = []
        self._files: dict[str, tuple[str, str]] = {}
        for directory in location.metadata_directories():
            name, version, _ = identity(directory)
            self._names.append((name, version))
            try:
                record = read_regular(directory / "RECORD", _RECORD_LIMIT).decode(errors="replace")
                rows = [row[0] for row in csv.reader(record.splitlines()) if row]
            except (OSError, csv.Error):
                continue
            self._files.update(dict.fromkeys(rows, (name, version)))

    def descriptor(self, found: Confirmed, kind: PluginType) -> PluginDescriptor:
        """A confirmed class, with its owner's name and version."""
        name, version = self._owner(found.module)
        return PluginDescriptor(
            kind,
            found.module,
            found.qualname,
            f"{found.module}.{found.qualname}",
            name,
            version,
            self._location,
        )

    def _owner(self, module: str) -> tuple[str, str]:
        path = module.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in self._files:
                return self._files[file]
        if len(self._names) == 1:
            return self._names[0]
        return module.partition(".")[0], UNDEFINED
