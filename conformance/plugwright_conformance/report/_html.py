"""``report.html``: the results as one self-contained page without scripts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.report import wording
from plugwright_conformance.report._claims import capability_matrix
from plugwright_conformance.report._durations import level_times, set_up
from plugwright_conformance.report._gaps import days_left, missing, not_run, unbuilt_note
from plugwright_conformance.report._measured import (
    crash_map,
    discovery_matrix,
    fault_map,
    live_kills,
    performance,
    scenarios,
    type_table,
    withheld,
)
from plugwright_conformance.report._tables import why_absent
from plugwright_conformance.report.engines import engine_table
from plugwright_conformance.report.neutral import clip
from plugwright_conformance.report.pages import page_environment
from plugwright_conformance.report.picture import WIDTH as BAR_WIDTH
from plugwright_conformance.report.picture import delivery_bars
from plugwright_conformance.report.results import FORMAT
from plugwright_conformance.report.timeline import WIDTH, timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Template

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report._note import CertificateNote
    from plugwright_conformance.report.results import RunResults

_DELIVERY = ("in", "out", "dead-lettered", "lost", "duplicated")
_FIELD_LIMIT = 6000
_LIVE = ("CON-DLV-01", "CON-REB-01", "CON-REB-02", "CON-SPK-05")
_MEASURED_BY: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "crashes": ("CON-DLV-03", "CON-DLV-05"),
        "delivery": ("CON-DLV-01", "CON-DLV-03"),
        "discovery": ("PLG-DSC-06",),
        "faults": ("CON-ERR-05",),
        "kills": ("CON-REB-01", "CON-SPK-05"),
        "live": _LIVE,
        "types": ("SRC-TYP-02", "SNK-TYP-01"),
    }
)
_SYMBOLS = {
    Outcome.PASS: "✓",
    Outcome.FAIL: "✗",
    Outcome.ERROR: "!",
    Outcome.NOT_RUN: "○",
    Outcome.WAIVED: "~",
    Outcome.NOT_APPLICABLE: "·",
}
_ROW_NAMES = {
    "expected": "Expected",
    "observed": "Observed",
    "message": "Message",
    "scenario": "Scenario",
    "likely": "Likely cause",
    "fix": "How to fix",
    "replay": "Replay",
}


@dataclass(frozen=True, slots=True)
class HtmlReport:
    """Writes the HTML page; failures first, every check an anchor under its id.

    Attributes:
        certificate: the summary of the certificate, or ``None`` without one.
    """

    file_name: str = "report.html"
    certificate: CertificateNote | None = None

    def render(self, results: RunResults) -> bytes:
        """The page, with text of the plugin and invisible characters escaped."""
        page = _template().render(
            format=FORMAT,
            results=results,
            headline=wording.headline(results),
            why_not=wording.why_not_more(results),
            profile=wording.profile_note(results),
            badges=results.badges(),
            ladder=_ladder(results),
            tally=wording.tally(results.results),
            passed=wording.tally(results.results).get(Outcome.PASS, 0),
            failed=wording.worst_first(results.failed),
            groups=_groups(results),
            delivery=_deliveries(results),
            delivery_columns=_DELIVERY,
            environment=dict(sorted(results.environment.items())),
            certificate=self.certificate,
            **_sections(results),
        )
        return page.encode()


@dataclass(frozen=True, slots=True)
class _Group:
    """One group of checks, failures first."""

    anchor: str
    name: str
    checks: Sequence[CheckResult]
    tally: Mapping[Outcome, int]


@dataclass(frozen=True, slots=True)
class _Delivery:
    """The record counts of one check, and its other measurements."""

    check: CheckResult
    figures: Mapping[str, str]
    others: Mapping[str, str]


@cache
def _template() -> Template:
    """The template, compiled once, because it depends only on packaged files."""
    environment = page_environment(__package__, "report.css")
    environment.filters.update(
        clip=lambda text: clip(text, _FIELD_LIMIT),
        digest=wording.short_digest,
        number=_number,
        span=wording.span,
    )
    environment.globals.update(
        failure_rows=wording.failure_rows,
        names=_ROW_NAMES,
        symbols=_SYMBOLS,
        words=wording.WORDS,
    )
    return environment.get_template("report.html.j2")


def _number(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _ladder(results: RunResults) -> Sequence[tuple[Level, bool]]:
    reached = results.level()
    return [(level, reached is not None and level.value <= reached.value) for level in Level]


def _groups(results: RunResults) -> Sequence[_Group]:
    groups = [
        _Group(f"group-{number}", name, wording.worst_first(checks), wording.tally(checks))
        for number, (name, checks) in enumerate(wording.by_group(results.results).items(), 1)
    ]
    worst = wording.worst_first([group.checks[0] for group in groups])
    return sorted(groups, key=lambda group: worst.index(group.checks[0]))


def _deliveries(results: RunResults) -> Sequence[_Delivery]:
    found = [_delivery(check) for check in wording.worst_first(results.results)]
    return [delivery for delivery in found if delivery.figures]


def _delivery(check: CheckResult) -> _Delivery:
    figures = {name.replace("_", "-"): _number(value) for name, value in check.figures.items()}
    return _Delivery(
        check,
        {name: text for name, text in figures.items() if name in _DELIVERY},
        {name: text for name, text in figures.items() if name not in _DELIVERY},
    )


def _sections(results: RunResults) -> Mapping[str, object]:
    """The data of the sections on measurements and gaps."""
    by_id = {result.label: result for result in results.results}
    kills = live_kills(results)
    return {
        "bar_width": BAR_WIDTH,
        "bars": delivery_bars(results),
        "by_id": by_id,
        "capabilities": capability_matrix(results),
        "crashes": crash_map(results),
        "discovery": discovery_matrix(results),
        "engines": engine_table(results),
        "faults": fault_map(results),
        "killers": [by_id[check] for check in dict(kills)],
        "kills": kills,
        "missing": missing(results),
        "not_run": not_run(results),
        "quality": results.quality,
        "readings": performance(results),
        "replayed": lambda table: [by_id[check] for check in table.checks],
        "scenarios": scenarios(results),
        "set_up": set_up(results),
        "timeline": timeline(results),
        "timeline_width": WIDTH,
        "times": level_times(results),
        "types": type_table(results),
        "unbuilt": unbuilt_note(results),
        "waivers": [(w, days_left(w, results), _waived(w.id, results)) for w in results.waivers],
        "why": {name: why_absent(results, *ids) for name, ids in _MEASURED_BY.items()},
        "withheld": withheld(results),
    }


def _waived(check: str, results: RunResults) -> Sequence[CheckResult]:
    """The rows of a check to which its waiver was applied."""
    return [r for r in results.results if r.id == check and r.outcome is Outcome.WAIVED]
