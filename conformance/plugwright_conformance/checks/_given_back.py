"""Checks of acknowledgements to the endpoint and of altered offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._order import position
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, poll_values, running_source
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.catalogue.bench import Bench

_COUNT, _IDLE = 6, 5


@registered
class AcknowledgedAfterKafka(Check):
    """The endpoint is acknowledged only after Kafka has the records."""

    id = "SRC-OFF-08"
    level = Level.C3
    wave = 2
    title = "The endpoint is acknowledged only after Kafka has acknowledged"
    why = "A message that the queue has deleted and Kafka never received is lost."
    mend = "Acknowledge in commit_record() or commit(), never in poll()."
    origin = "K-jdoc; iggy#3847"

    def run(self, bench: Bench) -> Evidence:
        """Take everything while Kafka acknowledges nothing; another task must be given it again."""
        if not bench.subject.declaration.keeps_own_offsets:
            raise NotApplicableError("the endpoint does not track what was read")
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(_COUNT)
            endpoint.driver.seed(values)
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                first = task.take(_COUNT, PATIENCE_S, answering=False)
                for _ in range(_IDLE):
                    task.step()
            with running_source(bench, config, SourceContext(), settled=True) as task:
                again = task.take(_COUNT, PATIENCE_S)
            came = {endpoint.driver.seeded(record.value) for record in again}
        if missing := [value for value in values if value not in came]:
            raise CheckFailedError(
                expected=f"the {_COUNT} values once more",
                observed=f"{len(missing)} of them missing",
                scenario=f"a task polled {len(first)} values, Kafka acknowledged none, and the "
                "task was stopped; then another one was started",
                likely="poll() acknowledges what it returns",
            )
        return Evidence(_COUNT)


@registered
class OffsetsCanBeAltered(Check):
    """alter_offsets() accepts or rejects offsets at once."""

    id = "SRC-OFF-12"
    level = Level.C3
    wave = 2
    title = "alter_offsets() accepts good offsets and rejects bad ones, twice, and without a start"
    why = "A wrong offset is otherwise found at the next start, when the old one is gone."
    mend = "In alter_offsets(), check each offset like start() does, and raise ConnectError."
    gate = "OFFALT"
    origin = "KIP-875"

    def run(self, bench: Bench) -> Evidence:
        """Offer offsets of a first reading, their removal, and damaged ones to fresh instances."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_COUNT))
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                partition, good = position(poll_values(task, _COUNT)[-1])
            for offset in (good, good, None, None):
                self._must_take(bench, config, partition, offset)
            first = next(iter(good))
            damaged: list[dict[str, Any]] = [{"foreign": 1}, {**good, first: ["no position"]}]
            for bad in damaged:
                self._must_refuse(bench, config, partition, bad)
        return Evidence(4 + len(damaged))

    @staticmethod
    def _must_take(
        bench: Bench,
        config: Mapping[str, str],
        partition: Mapping[str, Any],
        offset: Mapping[str, Any] | None,
    ) -> None:
        connector: Any = bench.connector()
        try:
            connector.alter_offsets(config, [(partition, offset)])
        except Exception as error:
            raise CheckFailedError(
                expected="the offset to be accepted",
                observed=f"{type(error).__name__}: {error}",
                scenario=f"alter_offsets() of a fresh instance, {dict(partition)!r} to {offset!r}",
            ) from error

    @staticmethod
    def _must_refuse(
        bench: Bench,
        config: Mapping[str, str],
        partition: Mapping[str, Any],
        offset: Mapping[str, Any],
    ) -> None:
        scenario = f"alter_offsets() of a fresh instance, {dict(partition)!r} to {offset!r}"
        connector: Any = bench.connector()
        try:
            connector.alter_offsets(config, [(partition, offset)])
        except ConnectError:
            return
        except Exception as error:
            raise CheckFailedError(
                "a ConnectError", f"{type(error).__name__}: {error}", scenario
            ) from error
        raise CheckFailedError("a ConnectError", "no error", scenario, "offsets are not validated")
