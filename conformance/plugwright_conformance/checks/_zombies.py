"""The check of two tasks that take one partition for theirs (catalogue 3.5.16)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import running_sink
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_BEFORE, _ALL = 5, 12


@registered
class LatecomerDoesNoHarm(Check):
    """A task that has lost a partition and does not know it yet destroys nothing."""

    id = "SNK-REB-03"
    level = Level.C4
    wave = 2
    title = "Losing and regaining a partition keeps data right"
    why = "A task commits late, when another one has the partition; both begin at one offset."
    mend = "Name what is written by its first and last offset, and never replace what is longer."
    origin = "storage-cloud#253"

    def run(self, bench: Bench) -> Evidence:
        """Let a task commit that was put out of the group; the new owner's data must stay."""
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
            raise NotApplicableError("the task promises no offset to Kafka")
        if gone := [value for value in values[:promised] if value not in found]:
            raise CheckFailedError(
                expected=f"the {promised} records that the owner of {TOPIC}-0 has committed",
                observed=f"{len(gone)} of them missing, first {gone[0][:8]}",
                scenario=f"a task that had {_BEFORE} of them, and was put out of the group, "
                "committed after the owner",
                likely="both write to one name, which is made of the first offset alone",
            )
        return Evidence(promised)
