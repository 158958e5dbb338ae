"""Check of writes that take fewer bytes than given."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SINK_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import SimulatedCheck
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.simulator import ExperimentFactory

_COUNT = 40
_MOST = 5
"""Bytes that are taken at once; an odd number, so that characters are cut as well."""


@registered
class ShortWritesAreContinued(SimulatedCheck):
    """Short writes are completed."""

    id = "SNK-ERR-11"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "After a short write the rest is written as well"
    why = "A full disk or a signal shortens a write(); the rest is lost without an error."
    mend = "Call os.write() again with the rest, or use a file object, which does so."
    origin = "NEW"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Let every write to a file take a few bytes; compare what is there."""
        bench = factory.bench
        ledger = bench.ledger()
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            try:
                with (
                    _short_writes() as shortened,
                    running_sink(bench, config, [HOME]) as sink,
                ):
                    sink.put(sink_records(ledger.enter(_COUNT), HOME))
                    sink.commit()
            except ConnectError:
                return Evidence(_COUNT, figures={"short_writes": len(shortened)})
            found = ledger.reconcile(endpoint.driver.read_back())
        if not shortened:
            raise NotApplicableError("the task does not call os.write() on a file")
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once, or a Connect error",
                observed=str(found),
                scenario=f"os.write() to a file took at most {_MOST} bytes at once",
                likely="the return value of os.write() is ignored",
            )
        return Evidence(found.entered, found.digest, {"short_writes": len(shortened)})


@contextmanager
def _short_writes() -> Iterator[list[int]]:
    """Shorten every write to a file; reports each shortened call."""
    really, shortened = os.write, []

    def write(descriptor: int, data: Any) -> int:
        given = memoryview(data).cast("B")
        if len(given) > _MOST and stat.S_ISREG(os.fstat(descriptor).st_mode):
            shortened.append(descriptor)
            given = given[:_MOST]
        return really(descriptor, given)

    with patch.object(os, "write", write):
        yield shortened
