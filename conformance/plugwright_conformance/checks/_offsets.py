"""Checks of offsets and of resuming from them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    poll_values,
    running_sink,
    running_source,
    work_of,
)
from plugwright_conformance.checks.order import (
    continues,
    last_of_each,
    position,
    positions_after,
    promised_order,
    reads_all,
)
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.processes.isolated import run_isolated
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.record import SourceRecord, TopicPartition
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource

_RECORDS = 60


@registered
class StoredOffsetsAreAskedFor(Check):
    """A task reads its stored offset before its first record."""

    id = "SRC-OFF-01"
    level = Level.C3
    title = "Stored offsets are read on start"
    why = "A task that does not read them starts over and delivers everything again."
    mend = "Read context.offset_storage_reader in start()."
    gate = "RESUME"

    def run(self, bench: Bench) -> Evidence:
        """Count the questions before the first record."""
        context = SourceContext()
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(3))
            with running_source(bench, bench.config(endpoint), context) as task:
                records = poll_values(task, 1, settle=False)
                asked = list(context.lookups)
        for record in records:
            partition, _ = position(record)
            if dict(partition) not in asked:
                raise CheckFailedError(
                    expected=f"a look-up of {dict(partition)} before its first record",
                    observed=f"{len(asked)} look-ups: {asked}",
                    likely="the task does not read its offsets, so every restart starts over",
                )
        return Evidence(len(records))


@registered
class ResumeFromEveryOffset(Check):
    """A task resumes at the next record from every stored offset."""

    id = "SRC-OFF-03"
    revision = 5
    level = Level.C3
    title = "Resume is exact from every emitted offset"
    why = "Any offset may be the stored one after a crash; one too far ahead loses records."
    mend = "Give each record the position right after itself, not that of its batch."
    gate = "RESUME"
    budget_s = 300.0
    patience_s: ClassVar[float] = PATIENCE_S

    def run(self, bench: Bench) -> Evidence:
        """Start a new task at the offset of each record; it must emit exactly the rest."""
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(_RECORDS)
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, _RECORDS)
                deletions = list(task.deletions)
            if not reads_all(bench, endpoint.driver, values, records):
                order = "" if promised_order(bench) == "none" else ", in order"
                raise CheckFailedError(
                    expected=f"the {_RECORDS} seeded values{order}",
                    observed=f"{len(records)} records that differ",
                    scenario="read from the start",
                )
            for number in range(len(records)):
                self._resume(bench, config, records, number, deletions)
        return Evidence(_RECORDS)

    def _resume(
        self,
        bench: Bench,
        config: Mapping[str, str],
        first: Sequence[SourceRecord],
        number: int,
        deletions: Sequence[SourceRecord | None],
    ) -> None:
        stored, rest = positions_after(bench, first[: number + 1]), first[number + 1 :]
        with running_source(bench, config, SourceContext(stored)) as task:
            try:
                records = poll_values(task, len(rest), settle=not rest, patience_s=self.patience_s)
            except CheckFailedError as error:
                raise CheckFailedError(
                    expected=f"the {len(rest)} records after record {number}",
                    observed=f"{error.observed}: records are lost",
                    scenario=f"resumed from the offset of record {number}",
                    likely="records have the offset of the end of their batch",
                ) from error
            open_ones = [*last_of_each(first[: number + 1]), *rest]
            self._await_tombstones(task, number, [d for d in deletions if _among(d, open_ones)])
        if not continues(bench, rest, records):
            raise CheckFailedError(
                expected=f"record {number + 1} first, then the rest: {len(rest)} records",
                observed=f"{len(records)} records, first {str(records[0].value)[:30]!r}",
                scenario=f"resumed from the offset of record {number}",
                likely="the offset is the record's own position instead of the next one",
            )

    def _await_tombstones(
        self, task: SteppedSource, number: int, deletions: Sequence[SourceRecord | None]
    ) -> None:
        if len(task.deletions) < len(deletions):
            task.take(1, self.patience_s)
        if len(task.deletions) < len(deletions):
            raise CheckFailedError(
                expected=f"{len(deletions)} tombstones after record {number}",
                observed=f"{len(task.deletions)}: a tombstone is lost",
                scenario=f"resumed from the offset of record {number}",
                likely="a deletion has the offset that follows its tombstone",
            )


def _among(record: SourceRecord | None, records: Sequence[SourceRecord]) -> bool:
    return any(each is record for each in records)


@registered
class OffsetsArePlainData(Check):
    """Offsets can be stored as JSON and read back unchanged."""

    id = "SRC-OFF-04"
    revision = 3
    level = Level.C3
    title = "Offset and partition maps are plain data and stable"
    why = "They are stored as JSON; other values cannot be written, or read back differently."
    mend = "Use only text, numbers, booleans and null in both maps."

    def run(self, bench: Bench) -> Evidence:
        """Pass every map through JSON; read everything twice and compare."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_RECORDS))
            config = bench.config(endpoint)
            readings = []
            for _ in range(2):
                with running_source(bench, config, SourceContext()) as task:
                    # Nothing is acknowledged, so that there is as much to be read again.
                    polled = task.take(_RECORDS, PATIENCE_S, answering=False)
                if not polled:
                    raise CheckFailedError(
                        f"up to {_RECORDS} records", "none", "values were seeded"
                    )
                if self._needs_none(bench, polled):
                    raise NotApplicableError("the endpoint remembers what was read, not an offset")
                readings.append([position(record) for record in polled])
        for partition, offset in readings[0]:
            for what, data in (("partition", partition), ("offset", offset)):
                self._must_be_plain(what, data)
        # Where nothing resumes from an offset, it may name a delivery, such as a receipt.
        stable = 1 if bench.subject.declaration.keeps_own_offsets else 2
        first, second = (_texts(place[:stable] for place in reading) for reading in readings)
        if strange := (first - second) + (second - first):
            raise CheckFailedError(
                expected="equal maps in two reads",
                observed=f"{strange.total()} in one of them only, first {min(strange)}",
            )
        return Evidence(2 * len(readings[0]))

    @staticmethod
    def _needs_none(bench: Bench, polled: Sequence[SourceRecord]) -> bool:
        """Whether no record has an offset, and no task would resume from one."""
        places = [place for r in polled for place in (r.source_partition, r.source_offset)]
        return bench.subject.declaration.keeps_own_offsets and not any(places)

    @staticmethod
    def _must_be_plain(what: str, data: Mapping[str, Any]) -> None:
        try:
            same = json.loads(json.dumps(data)) == data
        except TypeError as error:
            raise CheckFailedError(
                expected=f"a source {what} of plain values", observed=f"{data!r}: {error}"
            ) from error
        nested = [key for key, value in data.items() if isinstance(value, dict | list)]
        if not same or nested:
            raise CheckFailedError(
                expected=f"a source {what} of plain values, equal after JSON", observed=f"{data!r}"
            )


def _texts(maps: Iterable[object]) -> Counter[str]:
    """Maps as texts that can be counted: the order of several partitions is nobody's promise."""
    return Counter(json.dumps(each, sort_keys=True) for each in maps)


@registered
class ForeignOffsetsAreRefused(Check):
    """A damaged offset causes an error, never a guess."""

    id = "SRC-OFF-10"
    level = Level.C3
    revision = 2
    title = "Foreign or damaged offset maps give a Connect error"
    why = "A guess resumes anywhere; an unrelated exception names neither offset nor connector."
    mend = "Validate the map in start(), and raise ConnectError with its content."
    gate = "RESUME"

    def run(self, bench: Bench) -> Evidence:
        """Store damaged maps in the place of a good one and start."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(3))
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                partition, good = position(poll_values(task, 3)[0])
            damaged = self._damage(good)
            for offset in damaged:
                self._must_refuse(bench, config, partition, offset)
        return Evidence(len(damaged))

    @staticmethod
    def _damage(good: Mapping[str, Any]) -> list[dict[str, Any]]:
        """A map of another plugin, and one whose position is of another type.

        An empty map is left out: it names no position, so a source may begin as without one.
        """
        first = next(iter(good))
        missing = {key: value for key, value in good.items() if key != first}
        return [{**missing, "foreign": 1}, {**good, first: ["no position"]}]

    @staticmethod
    def _must_refuse(
        bench: Bench,
        config: Mapping[str, str],
        partition: Mapping[str, Any],
        offset: Mapping[str, Any],
    ) -> None:
        scenario = f"the stored offset is {offset!r}"
        expected = "a ConnectError from start() or the first poll()"
        try:
            with running_source(bench, config, SourceContext([(partition, offset)])) as task:
                task.take(1, PATIENCE_S)
        except ConnectError:
            return
        except Exception as error:
            raise CheckFailedError(
                expected=expected, observed=f"{type(error).__name__}: {error}", scenario=scenario
            ) from error
        raise CheckFailedError(expected=expected, observed="no error", scenario=scenario)


@registered
class FlushMeansDurable(Check):
    """Offsets are committed only for durable records."""

    id = "SNK-OFF-01"
    level = Level.C3
    title = "flush() returns only after data is durable"
    why = (
        "Committed records are never delivered again, so records only in memory are lost in a "
        "crash."
    )
    mend = "In flush() or pre_commit(), wait until the endpoint has confirmed every write."
    _SCENARIO = "kill -9 right after pre_commit() returned"

    def run(self, bench: Bench) -> Evidence:
        """Kill the process right after pre_commit; read the endpoint independently."""
        ledger = bench.ledger()
        values = ledger.enter(500)
        with bench.endpoint() as endpoint:
            task, config = bench.task(bench.config(endpoint))
            report = run_isolated(
                bench.subject,
                "put-and-promise",
                self._SCENARIO,
                module=type(task).__module__,
                qualname=type(task).__qualname__,
                config=dict(config),
                topic=TOPIC,
                work=work_of(bench, values),
            )
            durable = ledger.reconcile(endpoint.driver.read_back())
        promised = int(report["offset"])
        if not promised:
            raise NotApplicableError("the task returns no offsets from pre_commit()")
        lost = set(durable.lost) & set(values[:promised])
        if lost:
            raise CheckFailedError(
                expected=f"the {promised} records below the returned offset at the endpoint",
                observed=f"{len(lost)} of them lost",
                scenario=self._SCENARIO,
                likely="data is in a buffer that is written later",
            )
        return Evidence(promised, durable.digest, durable.figures())


@registered
class PreCommitStaysBelowDurable(Check):
    """pre_commit() returns no offset beyond the durable records."""

    id = "SNK-OFF-02"
    level = Level.C3
    title = "pre_commit() never exceeds the durable mark, in original coordinates"
    why = "An offset beyond the written records loses the records in between."
    mend = "Return offsets of confirmed writes, with the record's original topic and partition."

    def run(self, bench: Bench) -> Evidence:
        """Compare each returned offset with what an independent reader sees at that moment.

        The records carry a topic that a transformation has changed (KIP-793).
        """
        ledger, first, compared = bench.ledger(), 0, 0
        with (
            bench.endpoint() as endpoint,
            running_sink(bench, bench.config(endpoint), [HOME]) as task,
        ):
            for count in (1, 7, 100):
                records = sink_records(ledger.enter(count), HOME, first_offset=first)
                first += count
                task.put([record.new_record(topic="renamed") for record in records])
                asked = len(task.promises)
                task.ask()
                present = first - len(ledger.reconcile(endpoint.driver.read_back()).lost)
                for promise in task.promises[asked:]:
                    self._compare(promise.offsets, present)
                    compared += len(promise.offsets)
        if not compared:
            raise NotApplicableError("the task returns no offsets from pre_commit()")
        return Evidence(compared)

    @staticmethod
    def _compare(returned: Mapping[TopicPartition, int], present: int) -> None:
        for partition, offset in returned.items():
            if partition != HOME:
                raise CheckFailedError(
                    expected=f"offsets of {HOME.topic}-{HOME.partition}",
                    observed=f"an offset of {partition.topic}-{partition.partition}",
                    scenario="a transformation has changed the records' topic",
                    likely="offsets are tracked under record.topic instead of original_topic",
                )
            if offset > present:
                raise CheckFailedError(
                    expected=f"commit <= {present}, the durable mark",
                    observed=f"commit {offset}; {offset - present} records not durable",
                    likely="offsets come from the arguments of put(), not from confirmed writes",
                )
