"""The report of a sync: Kafka's lines with the type of each plugin, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_toolkit.manifests._values import Action, SyncState
from plugwright_toolkit.output import diagnostic_rows, fold, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_toolkit.manifests._values import LocationOutcome, SyncResult, UnitPlan

_FORMAT = "plugwright-sync-manifests/1"


def render_text(result: SyncResult) -> str:
    """The report in the shape of Kafka's ``connect-plugin-path sync-manifests``.

    Counts are of plugin types of classes, not of classes as in Kafka, and each line has the type. A
    dry run has the same lines with other headings.
    """
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: SyncResult) -> Iterator[str]:
    if result.dry_run:
        yield "Dry run started: No changes will be committed."
    yield "Scanning for plugins..."
    shown = [
        each for each in result.outcomes if each.state in {SyncState.CHANGED, SyncState.PLANNED}
    ]
    if shown and not result.dry_run:
        yield "Writing changes to plugins..."
    for outcome in shown:
        yield from _location(outcome, "Dry Run Sync" if result.dry_run else "Sync")
    yield from fold(note for outcome in result.outcomes for note in outcome.plan.notes)
    yield from fold(refusal for outcome in result.outcomes for refusal in outcome.plan.refusals)
    yield from _end(result)


def _location(outcome: LocationOutcome, word: str) -> Iterator[str]:
    for unit in outcome.plan.units:
        yield from _unit(unit, word)
    if outcome.plan.leftovers:
        yield f"{word}\t{printable(str(outcome.plan.location.origin))} Add 0 Remove 0"
        for leftover in outcome.plan.leftovers:
            yield f"\tRepair\tleft-over {printable(leftover.name)}"


def _unit(unit: UnitPlan, word: str) -> Iterator[str]:
    counts = f"Add {unit.count(Action.ADD)} Remove {unit.count(Action.REMOVE)}"
    yield f"{word}\t{printable(str(unit.manifest))} {counts}"
    for change in unit.changes:
        yield f"\t{change.action.value}\t{printable(change.class_name)}\t{change.type}"
    for repair in unit.repairs:
        yield f"\tRepair\t{repair}"


def _end(result: SyncResult) -> Iterator[str]:
    if result.failed:
        yield from _failure(result)
    elif not result.needed:
        yield "No changes required."
    elif result.dry_run:
        yield (
            "Dry run passed: All above changes can be committed to disk if re-run with dry run "
            "disabled."
        )
    else:
        yield "All loadable plugins have accurate ServiceLoader manifests."


def _failure(result: SyncResult) -> Iterator[str]:
    """The locations that are unchanged, and those that are not."""
    words = {
        SyncState.CHANGED: "Changed",
        SyncState.FAILED: "Not changed",
        SyncState.SKIPPED: "Not changed, because of the others",
    }
    for outcome in result.outcomes:
        if (said := words.get(outcome.state)) is not None:
            yield f"{said}: {printable(str(outcome.plan.location.origin))}"
    yield "Dry run failed." if result.dry_run else "Sync incomplete."


def to_json(result: SyncResult) -> dict[str, object]:
    """The report for programs; texts are exact."""
    return {
        "format": _FORMAT,
        "dry_run": result.dry_run,
        "changed": result.changed,
        "needed": result.needed,
        "failed": result.failed,
        "locations": [_location_row(outcome) for outcome in result.outcomes],
    }


def _location_row(outcome: LocationOutcome) -> dict[str, object]:
    plan = outcome.plan
    return {
        "location": str(plan.location.origin),
        "kind": plan.location.kind.name.lower(),
        "state": outcome.state.value,
        "manifests": [_unit_row(unit) for unit in plan.units],
        "leftovers": [str(path) for path in plan.leftovers],
        "notes": diagnostic_rows(plan.notes),
        "refusals": diagnostic_rows(plan.refusals),
        "diagnostics": diagnostic_rows(outcome.diagnostics),
    }


def _unit_row(unit: UnitPlan) -> dict[str, object]:
    return {
        "manifest": str(unit.manifest),
        "changes": [
            {
                "action": change.action.value.lower(),
                "class": change.class_name,
                "type": change.type,
                "group": change.line.group,
                "value": change.line.value,
            }
            for change in unit.changes
        ],
        "repairs": list(unit.repairs),
    }
