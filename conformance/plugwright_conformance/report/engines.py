"""The results on Spark by engine: a table, and a line for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report._tables import Place, Table, TableRow
from plugwright_conformance.report.wording import WORDS
from plugwright_conformance.subject.engines import ENGINES

if TYPE_CHECKING:
    from plugwright_conformance.report.results import RunResults

_NONE = "not tried"
_WRONG = frozenset({Outcome.FAIL, Outcome.ERROR})


def engine_table(results: RunResults) -> Table:
    """The results of live checks per engine; no rows if the run had none."""
    found: dict[str, dict[str, Place]] = {}
    for result in results.results:
        if result.engine:
            place = Place(WORDS[result.outcome], result.outcome not in _WRONG, result.label)
            found.setdefault(result.id, {})[result.engine] = place
    columns = [engine for engine in ENGINES if any(engine in each for each in found.values())]
    rows = [
        TableRow(name, [each.get(c, Place(_NONE)) for c in columns]) for name, each in found.items()
    ]
    caption = "Checks on Spark, by declared engine"
    return Table("engines", caption, "Check", columns, sorted(rows, key=lambda row: row.sound))


def engines_line(results: RunResults) -> str:
    """How many checks passed on each engine; empty for a run without live checks."""
    counts = []
    for engine in ENGINES:
        outcomes = [result.outcome for result in results.results if result.engine == engine]
        if outcomes:
            counts.append(f"{engine} {outcomes.count(Outcome.PASS)} of {len(outcomes)} passed")
    return ", ".join(counts)
