"""Check of two tasks that both believe to own a partition."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_BEFORE, _ALL = 5, 12


@registered
class LatecomerDoesNoHarm(Check):
    """A task that lost its partition destroys no data of the new owner."""

    id = "SNK-REB-03"
    level = Level.C4
    wave = 2
    title = "Losing and regaining a partition keeps data right"
    why = "A task commits late, when another one owns the partition; both start at the same offset."
    mend = "Name output by its first and last offset, and never replace longer output."
    origin = "storage-cloud#253"

    def run(self, bench: Bench) -> Evidence:
        """Let a task commit after its removal from the group; the new owner's data must stay."""
        with bench.endpoint() as endpoint:
            config, values = bench.config(endpoint), bench.ledger().enter(_ALL)
            with (
                running_sink(bench, config, [HOME]) as owner,
                suppress(Exception),  # the late one may be refused
                running_sink(bench, config, [HOME]) as late,
            ):
                late.put(sink_records(values[:_BEFORE], HOME))
                owner.put(sink_records(values, HOME))
                owner.commit()
                late.ask()
            found = set(endpoint.driver.read_back())
            promised = max((each.offsets.get(HOME, 0) for each in owner.promises), default=0)
        if not promised:
            raise NotApplicableError("the task returns no offsets from pre_commit()")
        if gone := [value for value in values[:promised] if value not in found]:
            raise CheckFailedError(
                expected=f"the {promised} records that the owner of {TOPIC}-0 has committed",
                observed=f"{len(gone)} of them missing, first {gone[0][:8]}",
                scenario=f"a task that had {_BEFORE} of them, and was removed from the group, "
                "committed after the owner",
                likely="both write to the same name, which contains only the first offset",
            )
        return Evidence(promised)
