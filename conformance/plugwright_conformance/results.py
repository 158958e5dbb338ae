"""All that one certification run found, as one value that every report is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright_conformance.outcome import Level, Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.outcome import CheckResult

__all__ = ["FORMAT", "PluginUnderTest", "RunResults"]

FORMAT = "plugwright-results/1"
"""Name and version of the layout of ``results.json``."""


@dataclass(frozen=True, slots=True)
class PluginUnderTest:
    """What was certified.

    Attributes:
        name: the distribution's name.
        version: the distribution's version.
        plugin_class: dotted name of the connector class.
        type: ``source`` or ``sink``.
        location: the path that was given.
        digest: SHA-256 of the wheel, or of the sorted file digests of a directory.
        capabilities: what the plugin declares of itself.
    """

    name: str
    version: str
    plugin_class: str
    type: str
    location: str
    digest: str
    capabilities: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResults:
    """The whole of one run over one plugin.

    Attributes:
        environment: versions and machine facts, by name.
        seed: the master seed; every check's own seed derives from it.
        started: ISO 8601 time of the start, UTC.
        duration_s: wall-clock seconds.
        command: the command line that makes the run again.
        selection: ids that were asked for, empty for the whole registry.
        catalogue: how many must-checks the catalogue lists up to each level, by its name; a level
            is not awarded while the suite has fewer.
        registry: ids of every check that this suite has for this kind of plugin.
    """

    plugin: PluginUnderTest
    environment: Mapping[str, str]
    seed: str
    started: str
    duration_s: float
    command: str
    results: Sequence[CheckResult]
    registry: Sequence[str]
    selection: Sequence[str] = ()
    catalogue: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> Sequence[CheckResult]:
        """Checks that ended in FAIL or ERROR, in catalogue order."""
        return [r for r in self.results if r.outcome in {Outcome.FAIL, Outcome.ERROR}]

    @property
    def complete(self) -> bool:
        """Whether the executed ids are exactly those of the registry (rule 3)."""
        return sorted(r.id for r in self.results) == sorted(self.registry)

    def level(self) -> Level | None:
        """The highest level of which every must-check so far in the suite is fulfilled.

        ``None`` for a partial run, or when even the first level is not reached.
        """
        if not self.complete:
            return None
        reached: Level | None = None
        for level in Level:
            due = [r for r in self.results if r.level is level]
            if not due or self._in_the_way(level) or self.unbuilt(level):
                break
            reached = level
        return reached

    def unbuilt(self, level: Level) -> int:
        """How many must-checks of the catalogue, up to a level, this suite does not have."""
        built = [
            r for r in self.results if r.level.value <= level.value and r.severity is Severity.MUST
        ]
        return max(self.catalogue.get(level.name, 0) - len(built), 0)

    def _in_the_way(self, level: Level) -> Sequence[CheckResult]:
        return [
            result
            for result in self.results
            if result.level.value <= level.value
            and result.severity is Severity.MUST
            and not result.outcome.fulfils
        ]

    def obstacles(self) -> Sequence[CheckResult]:
        """The must-checks between the reached level and the next one that has checks."""
        reached = self.level()
        floor = reached.value if reached else 0
        for level in Level:
            if level.value > floor and (found := self._in_the_way(level)):
                return found
        return []
