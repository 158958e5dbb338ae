"""Check of how much a connector logs."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, put_all, running_source
from plugwright_conformance.checks.log_lines import own_lines
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext, partition_text, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_FEW, _MANY = 50, 200
_MORE = _MANY - _FEW


@registered
class LogVolumeIsBounded(Check):
    """A connector does not log every record."""

    id = "CON-OBS-03"
    severity = Severity.SHOULD
    level = Level.C2
    wave = 2
    title = "At INFO, log lines do not grow with the record count"
    why = "A line for each record fills the disk, slows the task and hides what matters."
    mend = "Log records at DEBUG; at INFO log starts, stops, and what a commit or a file contains."
    origin = "NEW; Aiven gcs-connector#24"

    def run(self, bench: Bench) -> Evidence:
        """Move some records and four times as many, each in as few calls as it takes."""
        few, many = (_life(bench, count) for count in (_FEW, _MANY))
        if len(many.lines) - len(few.lines) >= _MORE:
            if many.things - few.things >= _MORE:
                raise NotApplicableError(
                    "every record has a file or a source partition of its own, and a line may be "
                    "about that"
                )
            place, count = Counter(many.lines).most_common(1)[0]
            raise CheckFailedError(
                expected=f"about as many lines for {_MANY} records as for {_FEW}: {len(few.lines)}",
                observed=f"{len(many.lines)} lines, {count} of them from {place}",
                scenario="all lines of the plugin at INFO and above, from start to stop",
                likely="a line for each record",
            )
        return Evidence(
            _FEW + _MANY, figures={"lines_few": len(few.lines), "lines_many": len(many.lines)}
        )


@dataclass(frozen=True, slots=True)
class _Life:
    """What a life of connector and task leaves.

    Attributes:
        lines: where each line was logged.
        things: how many files the endpoint has, or source partitions the records.
    """

    lines: Sequence[str]
    things: int


def _life(bench: Bench, count: int) -> _Life:
    """Move so many values through a connector and a task of its own."""
    with bench.endpoint() as endpoint, own_lines(bench, logging.INFO) as lines:
        partitions = _moved(bench, endpoint, count)
        things = max(partitions, len(endpoint.files()))
    return _Life([f"{line.filename}:{line.lineno}" for line in lines], things)


def _moved(bench: Bench, endpoint: OpenEndpoint, count: int) -> int:
    """Move values; how many source partitions a source has read."""
    values, config = bench.ledger().enter(count), bench.config(endpoint)
    if bench.subject.kind == "sink":
        put_all(bench, config, HOME, sink_records(values, HOME))
        return 0
    endpoint.driver.seed(values)
    with running_source(bench, config, SourceContext(), settled=True) as source:
        records = poll_values(source, count)
    return len({partition_text(record.source_partition) for record in records})
