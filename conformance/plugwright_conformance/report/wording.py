"""Text shared by all reports: outcomes, levels, failures and durations."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from plugwright_conformance.catalogue.profile import WHOLE_CATALOGUE
from plugwright_conformance.checks import PROFILES
from plugwright_conformance.evidence.outcome import Level, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults

WORDS: Final[Mapping[Outcome, str]] = MappingProxyType(
    {
        Outcome.PASS: "passed",
        Outcome.FAIL: "failed",
        Outcome.ERROR: "error",
        Outcome.NOT_RUN: "not run",
        Outcome.WAIVED: "waived",
        Outcome.NOT_APPLICABLE: "not applicable",
    }
)
"""The text of each outcome within a sentence."""

_MINUTE = 60
_URGENCY = (
    Outcome.FAIL,
    Outcome.ERROR,
    Outcome.NOT_RUN,
    Outcome.WAIVED,
    Outcome.PASS,
    Outcome.NOT_APPLICABLE,
)


def headline(results: RunResults) -> str:
    """The reached level as ``C3 Durable``, ``no level``, or ``invalid run``."""
    if results.invalid:
        return "invalid run"
    level = results.level()
    return _named(level) if level else "no level"


def profile_note(results: RunResults) -> str:
    """How much of the catalogue the profile covers; empty without a profile."""
    profile = PROFILES.get(results.profile)
    if profile is None:
        return ""
    level = results.level() or Level.C1
    whole = WHOLE_CATALOGUE[results.plugin.type][level.name]
    has = profile.must_checks(results.plugin.type)[level.name]
    if has >= whole:
        return f"all {whole} must-checks in the catalogue up to {level.name}"
    return f"{profile.name}: {has} of the {whole} must-checks in the catalogue up to {level.name}"


def why_not_more(results: RunResults) -> str:
    """One sentence that states what is missing for the next level."""
    if results.invalid:
        return f"invalid run: {results.invalid}"
    if results.why_no_level:
        return results.why_no_level
    if not results.complete:
        return _why_incomplete(results)
    reached = results.level()
    if reached is Level.C5:
        return "there is no higher level"
    following = Level(reached.value + 1) if reached else Level.C1
    obstacles = [_why_obstructed(results.obstacles())] if results.obstacles() else []
    reasons = [_why_unbuilt(results, following), *obstacles]
    if not any(reasons):
        reasons += _why_short(results, following)
    return "; ".join(filter(None, reasons)) or (
        f"this suite has no checks of level {_named(following)}"
    )


def failure_heading(result: CheckResult) -> str:
    """The first line of a failure: outcome, check, revision, severity and level."""
    weight = f"{result.severity.value}, {result.level.name}"
    return f"{result.outcome.value} {result.label} rev {result.revision} [{weight}]"


def failure_rows(result: CheckResult) -> Sequence[tuple[str, str]]:
    """The labelled lines of a failure, without the empty ones."""
    in_parts = result.expected or result.observed
    rows = (
        ("expected", result.expected),
        ("observed", result.observed),
        ("message", "" if in_parts else result.message),
        ("scenario", result.scenario),
        ("likely", result.likely),
        ("fix", result.mend),
        ("replay", result.replay),
    )
    return [(label, text) for label, text in rows if text]


def tally(results: Iterable[CheckResult]) -> Mapping[Outcome, int]:
    """The number of checks per outcome that occurred, passes first."""
    counts = Counter(r.outcome for r in results)
    return {outcome: counts[outcome] for outcome in WORDS if counts[outcome]}


def in_words(results: Iterable[CheckResult]) -> str:
    """The number of checks per outcome: ``70 passed, 0 failed, 6 not run``."""
    counts = {Outcome.PASS: 0, Outcome.FAIL: 0, **tally(results)}
    return ", ".join(
        f"{counts[outcome]} {WORDS[outcome]}" for outcome in WORDS if outcome in counts
    )


def reasons_not_run(results: Iterable[CheckResult]) -> Sequence[str]:
    """Why checks were not run, with their number: ``12: requires Spark``; most frequent first."""
    reasons = Counter(r.message for r in results if r.outcome is Outcome.NOT_RUN)
    return [f"{count}: {reason}" for reason, count in reasons.most_common()]


def by_group(results: Iterable[CheckResult]) -> Mapping[str, Sequence[CheckResult]]:
    """The results by group, both in catalogue order."""
    groups: dict[str, list[CheckResult]] = {}
    for result in results:
        groups.setdefault(result.group, []).append(result)
    return groups


def worst_first(results: Iterable[CheckResult]) -> Sequence[CheckResult]:
    """The results, failures first, otherwise in catalogue order."""
    return sorted(results, key=lambda r: _URGENCY.index(r.outcome))


def span(seconds: float) -> str:
    """A readable duration: ``4 ms``, ``2.5 s``, ``3 min 07 s``."""
    if round(seconds, 3) < 1:
        return f"{seconds * 1000:.0f} ms"
    if round(seconds, 1) < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes} min {rest:02d} s"


def short_digest(digest: str) -> str:
    """The first twelve hexadecimal digits of a digest."""
    return digest.removeprefix("sha256:")[:12]


def _named(level: Level) -> str:
    return f"{level.name} {level.title}"


def _why_unbuilt(results: RunResults, level: Level) -> str:
    if not (missing := results.unbuilt(level)):
        return ""
    wanted = results.catalogue[level.name]
    return (
        f"{_named(level)} requires {wanted} must-checks; "
        f"this version of the suite implements {wanted - missing}"
    )


def _why_short(results: RunResults, level: Level) -> list[str]:
    """Requirements of a level other than must-checks."""
    reasons = []
    if results.lacks_exactly_once(level):
        reasons.append(f"{_named(level)} is for plugins that declare exactly-once delivery")
    if missing := results.short_of_should(level):
        reasons.append(f"{_named(level)}: {missing}")
    return reasons


def _why_obstructed(obstacles: Sequence[CheckResult]) -> str:
    if not obstacles:
        return ""
    goal = max((r.level for r in obstacles), key=lambda level: level.value)
    count = len(obstacles)
    return f"{_named(goal)} needs {count} more must-check{'' if count == 1 else 's'}"


def _why_incomplete(results: RunResults) -> str:
    executed, registry = Counter(r.label for r in results.results), set(results.registry)
    done = len(registry & executed.keys())
    reasons = [f"the run contains {done} of the suite's {len(registry)} checks"]
    if unknown := executed.keys() - registry:
        reasons.append(f"{len(unknown)} unknown to the suite")
    if repeated := [check for check, count in executed.items() if count > 1]:
        reasons.append(f"{len(repeated)} repeated")
    return f"{', '.join(reasons)}; a level requires each check exactly once"
