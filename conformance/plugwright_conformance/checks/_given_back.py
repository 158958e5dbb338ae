"""Checks of acknowledgements to the endpoint and of altered offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, poll_values, running_source
from plugwright_conformance.checks.order import position
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
    revision = 2
    level = Level.C3
    wave = 2
    title = "The endpoint is acknowledged only after Kafka has acknowledged"
    why = "A message that the queue has deleted and Kafka never received is lost."
    mend = """
    Acknowledge in commit_record(), or in commit() what commit_record() was called with. Offsets
    are committed at intervals, while records of later polls are still on their way.
    """
    origin = "K-jdoc; iggy#3847; stream-reactor#353"

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
                    task.commit()
                    task.step()
            with running_source(bench, config, SourceContext(), settled=True) as task:
                again = task.take(_COUNT, PATIENCE_S)
            came = {endpoint.driver.seeded(record.value) for record in again}
        if missing := [value for value in values if value not in came]:
            raise CheckFailedError(
                expected=f"the {_COUNT} values once more",
                observed=f"{len(missing)} of them missing",
                scenario=f"a task polled {len(first)} values, offsets were committed, Kafka "
                "acknowledged none of the values, and the task was stopped; then another one was "
                "started",
                likely="poll() acknowledges what it returns, or commit() what was polled",
            )
        return Evidence(_COUNT)


@registered
class DroppedRecordsAreAcknowledged(Check):
    """Records that never reach Kafka are acknowledged as well."""

    id = "SRC-OFF-21"
    level = Level.C3
    wave = 2
    title = "A record that a transformation has dropped is acknowledged, too"
    why = "A queue hands out again, or keeps for ever, what nobody has acknowledged."
    mend = "In commit_record(), acknowledge the record whether there is metadata or not."
    origin = "KIP-779; kafka#12602"

    def run(self, bench: Bench) -> Evidence:
        """Take everything, and drop it; another task must not be given it again.

        What is given again although Kafka has it, comes for another reason.
        """
        if not bench.subject.declaration.keeps_own_offsets:
            raise NotApplicableError("the endpoint does not track what was read")
        if self._again(bench, dropped=False):
            raise NotApplicableError("what was acknowledged is given again as well")
        if again := self._again(bench, dropped=True):
            raise CheckFailedError(
                expected="no value again",
                observed=f"{again} of {_COUNT} values once more",
                scenario="a transformation dropped every record, so commit_record() was called "
                "without metadata, and the task was stopped; then another one was started",
                likely="commit_record() fails, or does nothing, without metadata",
            )
        return Evidence(2 * _COUNT)

    @staticmethod
    def _again(bench: Bench, *, dropped: bool) -> int:
        """How many values a second task is given, after the first one was given all of them."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_COUNT))
            config = bench.config(endpoint)
            with running_source(
                bench, config, SourceContext(), settled=True, dropped=dropped
            ) as task:
                poll_values(task, _COUNT)
            with running_source(bench, config, SourceContext(), settled=True) as task:
                return len(task.take(_COUNT, PATIENCE_S))


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
