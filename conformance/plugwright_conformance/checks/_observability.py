"""Checks of what an operator can see (catalogue 3.5.21)."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright.task import SourceTask
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import config_with_work
from plugwright_conformance.checks._stopping import fresh_task
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.subject.contexts import sink_records, stopped_at_end
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from plugwright_conformance.catalogue.bench import Bench

_HOME = TopicPartition(TOPIC, 0)
_ATTEMPTS = 3


@registered
class FailureShowsItsCause(Check):
    """The status says what really happened."""

    id = "CON-OBS-04"
    revision = 2
    level = Level.C2
    title = "A failed task shows its root cause"
    why = "Operators cannot find the cause of an error without details."
    mend = "Chain errors with from, and name what the endpoint said."
    origin = "G-Err; CAT trace-message check"

    def run(self, bench: Bench) -> Evidence:
        """Let the endpoint refuse; the trace that a status shows must have its words."""
        with bench.endpoint() as endpoint:
            task, props = fresh_task(bench, config_with_work(bench, endpoint))
            words = endpoint.driver.hook("refuse")
            if words is None:
                raise NotRunError("the endpoint driver has no refuse(), see its Protocol")
            if not words:
                raise NotApplicableError("the endpoint cannot refuse")
            trace = self._trace(bench, task, props)
        if not trace and isinstance(task, SourceTask):
            raise NotApplicableError("the source waits an outage out, so no status shows it")
        if not trace:
            raise CheckFailedError("an error that a status can show", "no error", "it refuses")
        if lost := [word for word in words if word not in trace]:
            raise CheckFailedError(
                expected=f"the endpoint's own words: {', '.join(lost)}",
                observed=trace.strip().splitlines()[-1],
                scenario="the endpoint refuses",
                likely="the cause is dropped when the error is wrapped",
            )
        return Evidence(len(words))

    @staticmethod
    def _trace(bench: Bench, task: Any, props: Mapping[str, str]) -> str:
        """What a status would show of the first failure."""
        try:
            with stopped_at_end(task):
                task.start(props)
                if hasattr(task, "poll"):
                    for _ in range(_ATTEMPTS):
                        task.poll()
                else:
                    task.open([_HOME])
                    keyed = bench.subject.declaration.needs_keys
                    task.put(sink_records(["one"], _HOME, keyed=keyed))
                    for _ in range(_ATTEMPTS):
                        task.pre_commit({_HOME: 1})
        except Exception as error:  # noqa: BLE001  # its text is what is looked at
            return "".join(traceback.format_exception(error))
        return ""
