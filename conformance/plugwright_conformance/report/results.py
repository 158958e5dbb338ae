"""The results of one run, from which all reports are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from plugwright_conformance.checks import PROFILES
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.report.badges import badges_of
from plugwright_conformance.subject.plugin_under_test import PluginUnderTest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.subject.waivers import Waiver

__all__ = ["FORMAT", "FORMER_FORMAT", "PluginUnderTest", "RunResults"]

_SHOULD_PERCENT = {Level.C1: 0, Level.C2: 0, Level.C3: 60, Level.C4: 75, Level.C5: 75}

FORMAT = "plugwright-results/4"
"""Name and version of the layout of ``results.json``."""

FORMER_FORMAT = "plugwright-results/3"
"""The previous layout, without engines, which is still read."""


@dataclass(frozen=True, slots=True)
class RunResults:
    """The results of one run on one plugin.

    Attributes:
        environment: versions and machine facts, by name.
        seed: the master seed; every check's own seed derives from it.
        started: ISO 8601 time of the start, UTC.
        duration_s: wall-clock seconds.
        command: the command line that repeats the run.
        selection: the selected ids or labels; empty for the whole registry.
        catalogue: how many must-checks the catalogue lists up to each level, by its name; a level
            is not awarded while the suite has fewer.
        registry: labels of every check that this suite has for this kind of plugin, once for each
            engine that the plugin claims.
        profile: name of the frozen list of checks by which the level is awarded; empty for none.
        waivers: the waivers that were applied.
        why_no_level: why runs of this kind never award a level; empty if they may.
        workers: how many checks may have run at a time.
        setup_s: seconds that Spark and Kafka took to start, before the run; none without them.
        quality: measurements of the suite itself, such as mutants and how many it kills.
        invalid: why the run is invalid, such as a failed control; it then awards neither a level
            nor badges. Empty for a valid run.
    """

    why_no_level: ClassVar[str] = ""

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
    profile: str = ""
    waivers: Sequence[Waiver] = ()
    workers: int = 1
    setup_s: float = 0.0
    quality: Mapping[str, int | str] = field(default_factory=dict)
    invalid: str = ""

    @property
    def failed(self) -> Sequence[CheckResult]:
        """Checks with the outcome FAIL or ERROR, in catalogue order."""
        return [r for r in self.results if r.outcome in {Outcome.FAIL, Outcome.ERROR}]

    def missed(self, declined: Collection[str] = ()) -> Sequence[CheckResult]:
        """The must-checks that were not run although they were not declined.

        Args:
            declined: ids of checks that the user left out.
        """
        return [
            result
            for result in self.results
            if result.outcome is Outcome.NOT_RUN
            and result.severity is Severity.MUST
            and result.id not in declined
        ]

    @property
    def complete(self) -> bool:
        """Whether exactly the checks of the registry were run, on every engine (rule 3)."""
        return sorted(r.label for r in self.results) == sorted(self.registry)

    def level(self) -> Level | None:
        """The highest level whose implemented must-checks are all satisfied.

        ``None`` for a partial or invalid run, or when even the first level is not reached.
        """
        if self.why_no_level or self.invalid or not self.complete:
            return None
        reached: Level | None = None
        for level in Level:
            if not self._is_asked_for(level) or self._in_the_way(level) or self.unbuilt(level):
                break
            if self.lacks_exactly_once(level) or self.short_of_should(level):
                break
            reached = level
        return reached

    def _is_asked_for(self, level: Level) -> bool:
        """Whether the level has checks, or requires no more than the previous level."""
        if any(result.level is level for result in self.results):
            return True
        lower = self.catalogue.get(f"C{level.value - 1}")
        return lower is not None and self.catalogue.get(level.name) == lower

    def lacks_exactly_once(self, level: Level) -> bool:
        """Whether the level requires exactly-once delivery, and the plugin does not claim it.

        Without a profile the requirements of levels are unknown.
        """
        claimed = self.plugin.capabilities.get("delivery") == "exactly-once"
        return bool(self.profile) and level is Level.C5 and not claimed

    def short_of_should(self, level: Level) -> str:
        """The missing share of should-checks for a level; empty if none."""
        applicable: dict[str, bool] = {}
        for result in self.results:
            if (
                result.severity is Severity.SHOULD
                and result.level.value <= level.value
                and result.outcome is not Outcome.NOT_APPLICABLE
            ):
                well = result.outcome is Outcome.PASS
                applicable[result.id] = applicable.get(result.id, True) and well
        passed, share = sum(applicable.values()), _SHOULD_PERCENT[level]
        if passed * 100 >= share * len(applicable):
            return ""
        return f"{passed} of {len(applicable)} should-checks, {share} % are required"

    def unbuilt(self, level: Level) -> int:
        """How many must-checks of the catalogue, up to a level, this suite does not have."""
        built = {
            r.id
            for r in self.results
            if r.level.value <= level.value and r.severity is Severity.MUST
        }
        return max(self.catalogue.get(level.name, 0) - len(built), 0)

    def _in_the_way(self, level: Level) -> Sequence[CheckResult]:
        return [
            result
            for result in self.results
            if result.level.value <= level.value
            and result.severity is Severity.MUST
            and not self._counts(result)
        ]

    def _counts(self, result: CheckResult) -> bool:
        """Whether a must-check permits its level: it is fulfilled, or it may be and is waived."""
        if result.outcome is Outcome.WAIVED:
            return self.profile in PROFILES and result.id in PROFILES[self.profile].waivable
        return result.outcome.fulfils

    def badges(self) -> Sequence[str]:
        """The names of the badges awarded in addition to the level."""
        whole = self.complete and not self.invalid
        return badges_of(self.results, self.plugin) if whole else ()

    def obstacles(self) -> Sequence[CheckResult]:
        """The must-checks between the reached level and the next one that has checks."""
        reached = self.level()
        floor = reached.value if reached else 0
        for level in Level:
            if level.value > floor and (found := self._in_the_way(level)):
                return found
        return []
