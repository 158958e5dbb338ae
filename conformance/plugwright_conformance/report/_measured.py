"""Measurements of checks: crashes, faults, discovery, types and performance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report._tables import Place, Table, TableRow, cells_of, pivot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.evidence.outcome import LiveEvent
    from plugwright_conformance.report.results import RunResults

WITHHELD: Mapping[str, str] = {
    "CON-PRF-01": "throughput relative to a null connector on the same machine",
    "CON-PRF-02": "latency at p50, p95 and p99",
    "CON-PRF-03": "scaling with 1, 2 and 4 tasks",
    "CON-PRF-04": "CPU time and memory for a million records",
    "CON-PRF-05": "spread over repeated measurements",
    "CON-PRF-06": "recovery time as the median of five kills",
    "CON-PRF-07": "throughput by batch size",
    "CON-PRF-08": "comparison with the previous certificate",
}
"""Performance measurements that a report may contain, by the check that provides them."""

_READINGS: Mapping[str, tuple[str, str]] = {
    "back_after_s": ("Work continues after a kill", "{:.2f} s"),
    "cpu_percent": ("CPU use while idle", "{:.0f} %"),
}


def crash_map(results: RunResults) -> Table:
    """The results of a crash at each boundary event."""
    caption = "Crashes in the simulator, at every boundary event of a task run"
    return pivot("crashes", caption, "Boundary event", cells_of(results, "crashes"))


def fault_map(results: RunResults) -> Table:
    """The results of each kind of fault at each endpoint call."""
    caption = "Faults in the simulator, at the calls of the task"
    return pivot("faults", caption, "Call", cells_of(results, "faults"))


def live_kills(results: RunResults) -> Sequence[tuple[str, LiveEvent]]:
    """Every kill on the live system, with the label of the check that did it."""
    return [(r.label, e) for r in results.results for e in r.events if e.kind == "kill"]


def scenarios(results: RunResults) -> Table:
    """Record counts under each kind of fault."""
    caption = "All runs with each kind of fault in the simulator"
    seen = cells_of(results, "scenarios")
    return pivot("scenarios", caption, "Fault", seen, numeric=True)


def discovery_matrix(results: RunResults) -> Table:
    """The plugins found by each discovery mode, with and without manifests."""
    caption = "Plugins seen by each mode; without manifests only scanning modes may see any"
    return pivot("modes", caption, "plugin.discovery", cells_of(results, "discovery"))


def type_table(results: RunResults) -> Table:
    """The documented, declared and measured types."""
    measured: dict[str, list[Place]] = {}
    for check, cell in cells_of(results, "types"):
        place = Place(f"{cell.column}: {cell.text}", cell.sound, check.label)
        measured.setdefault(cell.row, []).append(place)
    declared = _declared_types(results)
    rows = [
        TableRow(
            name,
            [
                Place("not read"),
                Place(", ".join(declared.get(name, ())) or "no"),
                _together(measured.get(name, ())),
            ],
        )
        for name in dict.fromkeys((*declared, *measured))
    ]
    caption = "Types (documentation is not checked for them)"
    return Table("type-table", caption, "Type", ("Documented", "Declared", "Measured"), rows)


def _together(places: Sequence[Place]) -> Place:
    if not places:
        return Place("not measured")
    texts = "; ".join(place.text for place in places)
    return Place(texts, all(place.sound for place in places), places[0].check)


def _declared_types(results: RunResults) -> Mapping[str, Sequence[str]]:
    capabilities = results.plugin.capabilities
    found: dict[str, list[str]] = {}
    fields = capabilities.get("fields")
    for name in _texts(capabilities.get("types", () if fields else ("string",))):
        found.setdefault(name, []).append("value")
    for field, notation in (fields if isinstance(fields, dict) else {}).items():
        name = str(notation).partition("(")[0].partition("?")[0].partition("=")[0].strip()
        found.setdefault(name, []).append(f"field {field}")
    return found


def _texts(found: object) -> Sequence[str]:
    return [str(item) for item in found] if isinstance(found, list | tuple) else [str(found)]


def performance(results: RunResults) -> Table:
    """Single measurements that other checks provide."""
    rows = [
        TableRow(
            f"{words}, {result.label}",
            [Place(form.format(value)), Place("single reading", check=result.label)],
        )
        for result in results.results
        for name, (words, form) in _READINGS.items()
        if result.outcome is Outcome.PASS
        and isinstance(value := result.figures.get(name), int | float)
    ]
    caption = "Single measurements of this run on this machine"
    return Table("readings", caption, "Reading", ("Value", "How"), rows)


def withheld(results: RunResults) -> Sequence[str]:
    """Descriptions of measurements that this run does not provide."""
    given = {result.id for result in results.results if result.outcome is Outcome.PASS}
    return [words for check, words in WITHHELD.items() if check not in given]
