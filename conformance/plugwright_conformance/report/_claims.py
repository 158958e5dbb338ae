"""The capability matrix: declared, measured and rejected capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report._tables import Place, Table, TableRow, cells_of
from plugwright_conformance.report.wording import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.capabilities import Capability
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults

_NOT_CLAIMED: tuple[object, ...] = (False, "", "none", {}, [])
_DEFAULT = "at-least-once"
_WRONG = frozenset({Outcome.FAIL, Outcome.ERROR})


def capability_matrix(results: RunResults) -> Table:
    """One row for each capability that this kind of plugin can have, and for any other declared."""
    kind = results.plugin.type
    declared: Mapping[str, object] = {"delivery": _DEFAULT, **results.plugin.capabilities}
    fitting = [name for name, found in CAPABILITIES.items() if _proofs(found, kind, "")]
    probes = {
        cell.row: Place(cell.text, cell.sound, check.label)
        for check, cell in cells_of(results, "probes")
    }
    known: dict[str, CheckResult] = {}
    for result in results.results:  # of several engines, the first on which it did not pass
        if result.id not in known or known[result.id].outcome is Outcome.PASS:
            known[result.id] = result
    rows = []
    for name in dict.fromkeys((*fitting, *declared)):
        value = declared.get(name, False)
        if value in _NOT_CLAIMED:
            probe = probes.get(name, Place("not probed in this run"))
            rows.append(TableRow(name, [Place("no"), Place("not declared"), probe]))
        else:
            ids = _proofs(CAPABILITIES[name], kind, str(value)) if name in CAPABILITIES else ()
            shown = _measured([known[check] for check in ids if check in known])
            rows.append(TableRow(name, [Place(declared_text(value)), shown, Place("not needed")]))
    caption = "Capabilities as declared and as observed; differences first"
    columns = ("Declared", "Measured", "Negative probe")
    return Table(
        "capability-matrix", caption, "Capability", columns, sorted(rows, key=lambda row: row.sound)
    )


def _proofs(capability: Capability, kind: str, value: str) -> Sequence[str]:
    return capability.proofs.get(f"{kind}:{value}", capability.proofs.get(kind, ()))


def _measured(proofs: Sequence[CheckResult]) -> Place:
    """The measurement of a declared capability; one passing proof is enough."""
    passed = next((result for result in proofs if result.outcome is Outcome.PASS), None)
    if passed is not None:
        return Place(f"shown, {passed.observations:,} observations", check=passed.label)
    if not proofs:
        return Place("not measured in this run")
    wrong = next((result for result in proofs if result.outcome in _WRONG), None)
    proof = wrong or proofs[0]
    return Place(f"not shown, {WORDS[proof.outcome]}", sound=wrong is None, check=proof.label)


def declared_text(value: object) -> str:
    """A declared value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_seen, value))
    return str(value)


def _seen(item: object) -> str:
    """An item of a list; an empty or invisible one as a quoted literal."""
    text = str(item)
    return text if text.isprintable() and text.strip() else ascii(text)
