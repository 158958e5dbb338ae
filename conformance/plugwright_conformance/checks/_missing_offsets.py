"""The check that offsets without a record make no difference to a sink."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
)
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.evidence.ledger import Reconciliation

_RUNS = (3, 1, 5, 4)
"""How many records follow each other, before offsets are missing."""

_MISSING = (1, 7, 2, 0)
"""How many offsets are missing after each run."""

_LIVES = 2


class _Moved(NamedTuple):
    """What became of the records.

    Attributes:
        found: at the endpoint.
        lag: how many records were not committed, in all lives together.
    """

    found: Reconciliation
    lag: int


@registered
class MissingOffsetsDoNotCount(Check):
    """Offsets of a partition need not be consecutive."""

    id = "SNK-OFF-11"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Offsets that have no record are neither waited for nor counted"
    why = "Compaction and transactions leave gaps; a sink that counts records names wrong offsets."
    mend = "Take offsets from the records, and let the next one be any that is larger."
    origin = "hdfs#334"

    def run(self, bench: Bench) -> Evidence:
        """Put records between which offsets are missing, to one task and again to another.

        The same records without a gap come first: what a sink does with those, it has to do here.
        """
        plain = self._moved(bench, [0] * len(_RUNS))
        if self._problem(bench, plain):
            raise NotApplicableError("records without a gap are not stored as they should be")
        moved = self._moved(bench, _MISSING)
        if expected := self._problem(bench, moved) or self._stuck(plain, moved):
            raise CheckFailedError(
                expected=expected,
                observed=f"{moved.found}; {moved.lag} records not committed",
                scenario="offsets are missing between records, as after compaction; the same "
                "records again to a new task",
                likely="offsets are counted instead of taken from records",
            )
        return Evidence(moved.found.entered * _LIVES, moved.found.digest, moved.found.figures())

    @staticmethod
    def _problem(bench: Bench, moved: _Moved) -> str:
        """What was to be expected of the records at the endpoint, if it is not so."""
        found = moved.found
        if bench.subject.declaration.exactly_once:
            return "" if found.exact else f"all {found.entered} values, each once"
        return f"all {found.entered} values" if found.lost or found.foreign else ""

    @staticmethod
    def _stuck(plain: _Moved, moved: _Moved) -> str:
        return "every record committed, as without gaps" if moved.lag and not plain.lag else ""

    @staticmethod
    def _moved(bench: Bench, missing: Sequence[int]) -> _Moved:
        ledger, lag = bench.ledger(), 0
        values, keyed = ledger.enter(sum(_RUNS)), bench.subject.declaration.claims("upsert")
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            for _ in range(_LIVES):
                with running_sink(bench, config, [HOME]) as sink:
                    sink.put(_spaced(values, missing, keyed=keyed), spaced=True)
                    sink.commit()
                    lag += sink.lag()
            return _Moved(ledger.reconcile(endpoint.driver.read_back()), lag)


def _spaced(values: Sequence[str], missing: Sequence[int], *, keyed: bool) -> list[SinkRecord]:
    """Records in runs, after each of which some offsets are missing."""
    records: list[SinkRecord] = []
    first = 0
    for end, size, gap in zip(accumulate(_RUNS), _RUNS, missing, strict=True):
        run = values[end - size : end]
        records += sink_records(run, HOME, first_offset=first, keyed=keyed)
        first += size + gap
    return records
