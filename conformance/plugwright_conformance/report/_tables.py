"""The tables of the report as values, failing rows first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report.wording import WORDS
from plugwright_conformance.subject.engines import ENGINES, labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugwright_conformance.evidence.outcome import CheckResult, TableCell
    from plugwright_conformance.report.results import RunResults

_NOTHING = "not tried"


@dataclass(frozen=True, slots=True)
class Place:
    """One cell of a table.

    Attributes:
        sound: whether it is the expected result.
        check: label of the check that measured it, whose replay command repeats it; or empty.
    """

    text: str
    sound: bool = True
    check: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table, below its heading."""

    head: str
    places: Sequence[Place]

    @property
    def sound(self) -> bool:
        """Whether all its cells are expected results."""
        return all(place.sound for place in self.places)


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: its anchor on the page.
        corner: heading of the column of row headings.
        numeric: whether its cells are numbers, which are aligned to the right.
    """

    name: str
    caption: str
    corner: str
    columns: Sequence[str]
    rows: Sequence[TableRow]
    numeric: bool = False

    @property
    def checks(self) -> Sequence[str]:
        """Labels of the checks that measured its cells, in order."""
        ids = (place.check for row in self.rows for place in row.places if place.check)
        return sorted(set(ids))


def cells_of(results: RunResults, table: str) -> Sequence[tuple[CheckResult, TableCell]]:
    """The cells of a table from all checks of a run."""
    return [
        (check, cell) for check in results.results for cell in check.cells if cell.table == table
    ]


def pivot(
    name: str,
    caption: str,
    corner: str,
    seen: Iterable[tuple[CheckResult, TableCell]],
    **more: bool,
) -> Table:
    """The table of cells: rows and columns in the order of their first cells.

    A cell that two checks measured shows both results.
    """
    found: dict[tuple[str, str], list[Place]] = {}
    for check, cell in seen:
        place = Place(cell.text, cell.sound, check.label)
        found.setdefault((cell.row, cell.column), []).append(place)
    columns = list(dict.fromkeys(column for _, column in found))
    heads = list(dict.fromkeys(row for row, _ in found))
    rows = [TableRow(head, [_joined(found.get((head, c), ())) for c in columns]) for head in heads]
    return Table(name, caption, corner, columns, sorted(rows, key=lambda row: row.sound), **more)


def why_absent(results: RunResults, *ids: str) -> str:
    """Why checks measured nothing, to follow "not measured in this run, because"."""
    known = {result.label: result for result in results.results}
    reasons: dict[str, list[str]] = {}
    for name in ids:
        for row in (name, *(labelled(name, engine) for engine in ENGINES)):
            if row in results.registry:
                reasons.setdefault(_reason(known.get(row)), []).append(row)
    texts = [f"of {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return "; ".join(texts) or "the suite has no check of it for this type of plugin"


def _reason(result: CheckResult | None) -> str:
    if result is None:
        return "left out of it"
    if result.outcome is Outcome.PASS:
        return "passed without measurements"
    return f"{WORDS[result.outcome]}{f', {result.message}' if result.message else ''}"


def _joined(places: Sequence[Place]) -> Place:
    if not places:
        return Place(_NOTHING)
    texts = " and ".join(place.text for place in places)
    return Place(texts, all(place.sound for place in places), places[0].check)
