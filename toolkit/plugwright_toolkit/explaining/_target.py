"""Finds the class and location that a name refers to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError, NotFoundError
from plugwright.plugins import SINK, SOURCE, Plugins, scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.plugins import (
        Diagnostic,
        Location,
        PluginDescriptor,
        PluginType,
        ScanVerdict,
        Survey,
        SurveyedPlugin,
    )
    from plugwright_toolkit.explaining._traces import Mention, Traces

_CONNECTORS = (SOURCE, SINK)


@dataclass(frozen=True, slots=True)
class Target:
    """The class that a name refers to.

    Attributes:
        traces: mentions of the name in its location.
        findings: diagnostics about its location.
        others: the other plugins of the location.
        row: its survey result; ``None`` if there is nothing to load.
        verdict: the scan's verdict, if there is no survey result.
        copies: the same class in other locations.
        used: the copy that a worker uses; ``None`` if it uses none.
        refusal: why it uses none although it finds some.
    """

    traces: Traces
    findings: Sequence[Diagnostic]
    others: Sequence[SurveyedPlugin]
    module: str
    qualname: str
    row: SurveyedPlugin | None = None
    verdict: ScanVerdict | None = None
    copies: Sequence[PluginDescriptor] = ()
    used: PluginDescriptor | None = None
    refusal: DiscoveryError | NotFoundError | None = None

    @property
    def location(self) -> Location:
        """The location of the class."""
        return self.traces.location

    @property
    def class_name(self) -> str:
        """Its dotted name."""
        return f"{self.module}.{self.qualname}"

    @property
    def declaration(self) -> PluginDescriptor | None:
        """Its declaration in a manifest."""
        return self.row.manifest if self.row else None

    @property
    def mention(self) -> Mention | None:
        """An entry of a manifest that names it, whatever its group."""
        declared = self.declaration
        names = {self.class_name, declared.class_name if declared else ""}
        exact = [each for each in self.traces.mentions if each.class_name in names]
        return next(iter([*exact, *self.traces.mentions]), None)


def find_target(
    name: str, traces: Sequence[Traces], surveys: Sequence[Survey], version: str | None = None
) -> Target:
    """Find the copy of the class that a worker would use, else the nearest match.

    Args:
        name: as in a configuration.
        traces: mentions of the name in each location; at least one.
        surveys: of the same locations.
        version: the version requirement.

    Raises:
        ConfigError: if the version requirement is invalid.
    """
    rows = [row for each in surveys for row in each.plugins if _answers(row, name)]
    if rows:
        best = min(rows, key=lambda row: (row.loadable is not True, row.loadable is False))
        seen = [r.manifest or r.plugin for r in rows if r.manifest or r.loadable]
        kinds = _family(best.plugin.type)
        try:
            used = Plugins([], seen, []).find(name, *kinds, version=version)
        except (DiscoveryError, NotFoundError) as error:
            target = _surveyed(best, rows, traces, surveys)
            return replace(target, refusal=error)
        row = next((r for r in rows if used in (r.plugin, r.manifest)), best)
        return replace(_surveyed(row, rows, traces, surveys), used=used)
    trace, found = next(zip(traces, surveys, strict=True))
    verdicts, _ = scan(trace.location)
    if trace.definitions:
        module, qualname = trace.definitions[0].module, trace.definitions[0].name
    else:
        module, qualname = trace.mentions[0].entry.module, trace.mentions[0].entry.qualname
    same = (each for each in verdicts if (each.module, each.qualname) == (module, qualname))
    verdict = next(same, None)
    return Target(trace, found.diagnostics, found.plugins, module, qualname, verdict=verdict)


def _answers(row: SurveyedPlugin, name: str) -> bool:
    return any(
        each.answers_to(name) or each.is_exported_as(name)
        for each in (row.plugin, row.manifest)
        if each is not None
    )


def _surveyed(
    row: SurveyedPlugin,
    rows: Sequence[SurveyedPlugin],
    traces: Sequence[Traces],
    surveys: Sequence[Survey],
) -> Target:
    index = next(i for i, each in enumerate(surveys) if row in each.plugins)
    copies = [
        each.plugin
        for each in rows
        if each.plugin.type == row.plugin.type
        and each.plugin.class_name == row.plugin.class_name
        and each.plugin.location != row.plugin.location
    ]
    return Target(
        traces[index],
        surveys[index].diagnostics,
        surveys[index].plugins,
        row.plugin.module,
        row.plugin.qualname,
        row,
        copies=copies,
    )


def _family(kind: PluginType) -> tuple[PluginType, ...]:
    """The types that compete for a name: a connector's class may be a source or a sink."""
    return _CONNECTORS if kind in _CONNECTORS else (kind,)
