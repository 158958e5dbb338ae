"""Checks of tasks whose partitions or number change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    drained,
    poll_values,
    running_sink,
    running_source,
)
from plugwright_conformance.checks.order import continues, positions_after
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource

_TIES = 10
_RECORDS = 40


@registered
class TiesAreNotSkipped(Check):
    """Records with equal sort keys are all delivered after a resume."""

    id = "SRC-OFF-05"
    revision = 2
    level = Level.C3
    title = "Ties at the resume point are not skipped"
    why = (
        "Many rows may share one timestamp; resuming after that timestamp skips the remaining ones."
    )
    mend = "Make the offset unique: combine the ordering column with the row's number."
    gate = "RESUME"

    def run(self, bench: Bench) -> Evidence:
        """Seed ten equal records at one moment, resume after each; the rest must come."""
        ledger = bench.ledger()
        before, (tie,), after = ledger.enter(2), ledger.enter(1), ledger.enter(2)
        values = [*before, *[tie] * _TIES, *after]
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, len(values))
            seeded = [endpoint.driver.seeded(record.value) for record in records]
            ties = [number for number, value in enumerate(seeded) if value == tie]
            if len(ties) != _TIES:
                raise CheckFailedError(f"{_TIES} equal records", f"{len(ties)} of them")
            for number, place in enumerate(ties, 1):
                stored, rest = positions_after(bench, records[: place + 1]), records[place + 1 :]
                with running_source(bench, config, SourceContext(stored)) as task:
                    self._must_bring(bench, task, rest, number)
        return Evidence(_TIES)

    @staticmethod
    def _must_bring(
        bench: Bench, task: SteppedSource, rest: Sequence[SourceRecord], number: int
    ) -> None:
        expected = f"the {len(rest)} records after tie {number} of {_TIES}"
        scenario = f"{_TIES} equal records; resumed after number {number} of them"
        likely = "the query on resume selects only keys greater than the stored one"
        try:
            found = poll_values(task, len(rest))
        except CheckFailedError as error:
            raise CheckFailedError(expected, error.observed, scenario, likely) from error
        if not continues(bench, rest, found):
            raise CheckFailedError(expected, f"{len(found)} records", scenario, likely)


@registered
class PartitionsNameTheData(Check):
    """Source partitions identify data, so offsets survive a change of tasks.max."""

    id = "SRC-OFF-06"
    revision = 2
    level = Level.C3
    title = "Partition maps identify the data, not the task"
    why = "Offsets stored under a task number are orphaned when tasks.max changes."
    mend = "Identify the table, file or shard in the source partition, never the task."

    def run(self, bench: Bench) -> Evidence:
        """Divide the work among one task and among four; compare the partition maps.

        Tasks that resume where the endpoint has them may share one: no offset of it is read.
        """
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_RECORDS))
            config = bench.config(endpoint)
            alone, divided = (self._partitions(bench, config, n) for n in (1, 4))
        if (one := set().union(*alone)) != (four := set().union(*divided)):
            raise CheckFailedError(
                expected=f"the same source partitions with four tasks: {', '.join(sorted(one))}",
                observed=", ".join(sorted(four)) or "none",
                scenario="the same data, tasks.max 1 and 4",
                likely="the partition map contains the number of the task or of the tasks",
            )
        shared = [p for p in four if sum(p in mine for mine in divided) > 1]
        if shared and not bench.subject.declaration.keeps_own_offsets:
            raise CheckFailedError(
                expected="a source partition of its own for each stream",
                observed=f"{shared[0]} in several tasks",
                scenario="tasks.max 4",
            )
        return Evidence(len(one) + len(four))

    def _partitions(self, bench: Bench, config: Mapping[str, str], tasks: int) -> list[set[str]]:
        with bench.started_connector(config) as connector:
            configs = connector.task_configs(tasks)
            parts = drained(connector.task_class(), configs, _RECORDS)
        return [{json.dumps(r.source_partition, sort_keys=True) for r in part} for part in parts]


@registered
class OffsetsOfOwnPartitionsOnly(Check):
    """pre_commit() returns no offsets of revoked partitions."""

    id = "SNK-OFF-04"
    level = Level.C3
    title = "No offsets for partitions that are not assigned"
    why = "Committing a partition of another group member moves that member back, or fails."
    mend = "Remove a partition's offsets in close()."

    def run(self, bench: Bench) -> Evidence:
        """Take one of two partitions away, go on with the other, and look at pre_commit."""
        stays, leaves = TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)
        ledger = bench.ledger()
        with (
            bench.endpoint() as endpoint,
            running_sink(bench, bench.config(endpoint), [stays, leaves]) as task,
        ):
            for home in (stays, leaves):
                task.put(sink_records(ledger.enter(5), home))
            task.ask()
            task.revoke(leaves)
            task.put(sink_records(ledger.enter(3), stays, first_offset=5))
            task.ask()
        strange = sorted(
            partition
            for promise in task.promises
            for partition in promise.offsets
            if partition not in promise.assigned
        )
        if strange:
            raise CheckFailedError(
                expected=f"offsets of {TOPIC}-0 only",
                observed=f"an offset of {strange[0].topic}-{strange[0].partition}",
                scenario=f"{TOPIC}-1 was revoked before pre_commit() was called",
                likely="close() does not remove the partition's offsets",
            )
        return Evidence(2)
