"""Checks of large batches and of batch boundaries."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    poll_values,
    running_sink,
    running_source,
)
from plugwright_conformance.checks.order import continues, positions_after, reads_all
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
)
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource

_SIZES = (1, 2600, 999)
_MANY = 700
_EDGES = 3
_MORE = 3


@registered
class LargeBatchesAreWhole(Check):
    """Batches of any size are written completely."""

    id = "SNK-TYP-15"
    revision = 2
    level = Level.C3
    wave = 2
    title = "Batches of one and of thousands are written whole"
    why = "Users set max.poll.records; a batch too large for one request is rejected or truncated."
    mend = "Split batches to the size of one statement or request, and check every response."
    origin = "redpanda-connect#2424"
    budget_s = 180.0

    def run(self, bench: Bench) -> Evidence:
        """Put batches of very different size; compare what is there."""
        keyed = bench.subject.declaration.claims("upsert")  # it stores one value per key
        ledger, first = bench.ledger(), 0
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            with running_sink(bench, config, [HOME], batch=max(_SIZES)) as sink:
                for size in _SIZES:
                    values = ledger.enter(size)
                    records = sink_records(values, HOME, first_offset=first, keyed=keyed)
                    first += size
                    try:
                        sink.put(records)
                        sink.commit()
                    except Exception as error:
                        raise CheckFailedError(
                            expected=f"a batch of {size:,} records written",
                            observed=f"{type(error).__name__}: {error}",
                            scenario=f"batches of {', '.join(map(str, _SIZES))} records",
                            likely="the whole batch is sent as one statement or request",
                        ) from error
            found = ledger.reconcile(endpoint.driver.read_back())
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once",
                observed=str(found),
                scenario=f"batches of {', '.join(map(str, _SIZES))} records",
                likely="records beyond the limit of one request are dropped",
            )
        return Evidence(found.entered, found.digest, found.figures())


@registered
class EdgesOfBatchesAreExact(Check):
    """No record is lost or repeated at the boundary of a batch."""

    id = "SRC-OFF-17"
    revision = 3
    level = Level.C3
    wave = 2
    title = "Reading and resuming are exact at batch boundaries"
    why = "The record at a batch boundary is read twice or never, once in thousands of records."
    mend = "Start the next batch after the last record returned, not after the last one fetched."
    gate = "RESUME"
    origin = "NEW"
    budget_s = 240.0

    def run(self, bench: Bench) -> Evidence:
        """Find out where polls end, resume around these places, and fill one batch exactly."""
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(_MANY)
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records, sizes = self._polled(task)
            if not reads_all(bench, endpoint.driver, values, records):
                raise CheckFailedError(
                    expected=f"the {_MANY} seeded values",
                    observed=f"{len(records)} records that differ",
                    scenario=f"read from the start, in polls of {_shown(sizes)} records",
                    likely="the record at a batch boundary is read twice or skipped",
                )
            ends = [end for end in accumulate(sizes) if end < len(records)][:_EDGES]
            places = sorted({end + step for end in ends for step in (-1, 0, 1)} - {0})
            for place in places:
                self._resume(bench, config, records, place)
        self._fill(bench, sizes[0])
        return Evidence(len(records) + len(places), figures={"edges": len(ends)})

    @staticmethod
    def _polled(task: SteppedSource) -> tuple[list[SourceRecord], list[int]]:
        """Everything, and how many records each poll brought that brought some."""
        records: list[SourceRecord] = []
        sizes: list[int] = []
        while len(records) < _MANY and (found := task.take(1, PATIENCE_S, surplus=False)):
            records += found
            sizes.append(len(found))
        return records + task.take(1, 0.0, answering=False), sizes

    @staticmethod
    def _resume(
        bench: Bench, config: Mapping[str, str], records: Sequence[SourceRecord], place: int
    ) -> None:
        rest = records[place:]
        stored = positions_after(bench, records[:place])
        with running_source(bench, config, SourceContext(stored)) as task:
            try:
                found, said = poll_values(task, len(rest)), ""
            except CheckFailedError as error:
                found, said = [], error.observed
        if not continues(bench, rest, found):
            raise CheckFailedError(
                expected=f"the {len(rest)} records after it, and none before it",
                observed=said or f"{len(found)} records that differ",
                scenario=f"resumed from the offset of record {place - 1}, near a batch boundary",
                likely="the offset is the position of the batch instead of the record",
            )

    @staticmethod
    def _fill(bench: Bench, size: int) -> None:
        """Seed just one batch, and a little more when it was read."""
        with bench.endpoint() as endpoint:
            ledger, config = bench.ledger(), bench.config(endpoint)
            endpoint.driver.seed(ledger.enter(size))
            with running_source(bench, config, SourceContext()) as task:
                records = task.take(size, PATIENCE_S)
                endpoint.driver.seed(ledger.enter(_MORE))
                records += task.take(size + _MORE - len(records), PATIENCE_S)
            found = ledger.reconcile([endpoint.driver.seeded(record.value) for record in records])
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once",
                observed=str(found),
                scenario=f"{size} values, as many as one poll returns, and {_MORE} more later",
                likely="a full batch is treated as the end, or its last record is read again",
            )


def _shown(sizes: Sequence[int]) -> str:
    return f"{', '.join(map(str, sizes[:4]))}{', …' if len(sizes) > 4 else ''}"  # noqa: PLR2004  # enough
