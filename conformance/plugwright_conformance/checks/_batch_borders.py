"""The check that the division of records into batches and tasks makes no difference to a sink."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import cycle, groupby
from typing import TYPE_CHECKING

from plugwright import schema as connect
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
)
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench

    _Values = Mapping[TopicPartition, Sequence[str]]

_OTHER = f"{TOPIC}-other"
_HOMES = (TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1), TopicPartition(_OTHER, 0))
_EACH, _MIDDLE = 7, 3
_SIZES = (4, 1000)
_KEYS = ("one", "two", "one", None, "three")
_REFUSED = ("refused", "error")


@registered
class BordersOfBatchesDoNotCount(Check):
    """The borders of batches and the assignment of topics are arbitrary."""

    id = "SNK-TYP-19"
    revision = 2
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "The result does not depend on how records are divided into batches and tasks"
    why = "Logic that uses the first record of a batch for all of them fails on mixed batches."
    mend = "Determine table, partition and format for each record, not for a batch or a task."
    origin = "snowflake#691; gcs#347; hdfs#4; jdbc#1150"

    def run(self, bench: Bench) -> Evidence:
        """Put the same records one by one, a few at a time, all at once, and by topic; compare."""
        entered = {home: bench.ledger().enter(_EACH) for home in _HOMES}
        values, alone = self._alone(bench, entered)
        count = sum(map(len, values.values()))
        for size in _SIZES:
            scenario = f"{count} records of {len(values)} partitions, {size} at a time"
            try:
                found = self._put(bench, values, size)
            except Exception as error:
                raise CheckFailedError(
                    expected="the records stored, as they are one by one",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=scenario,
                    likely="all records of a batch are treated like the first one",
                ) from error
            if found != alone:
                self._object("one by one", alone, found, scenario)
        self._must_not_mix_topics(bench, entered)
        return Evidence(count * (1 + len(_SIZES)))

    def _alone(self, bench: Bench, values: _Values) -> tuple[_Values, Counter[str]]:
        """The partitions whose values all arrive when put one by one, and what arrives."""
        for homes in (_HOMES, _HOMES[:2]):
            these = {home: values[home] for home in homes}
            with suppress(Exception):  # the sink accepts no second topic
                found = self._put(bench, these, 1)
                if found.total() >= len(homes) * (_EACH - 1):
                    return these, found
        raise NotApplicableError("put one by one, not all records are stored and shown")

    def _must_not_mix_topics(self, bench: Bench, values: _Values) -> None:
        """Equal keys of two topics are as different in one task as they are in two."""
        try:
            apart = self._put(bench, values, max(_SIZES), apart=True)
            together = self._put(bench, values, max(_SIZES))
        except Exception:  # noqa: BLE001  # the sink accepts no second topic
            return
        if apart - together:
            scenario = "one task for both topics, whose keys are equal"
            self._object("with a task for each topic", apart, together, scenario)

    def _put(
        self, bench: Bench, values: _Values, size: int, *, apart: bool = False
    ) -> Counter[str]:
        """What the endpoint has after batches of this size, each topic in a task of its own."""
        groups = [list(g) for _, g in groupby(values, lambda h: h.topic if apart else "")]
        with bench.endpoint() as endpoint:
            for homes in groups:
                with running_sink(bench, bench.config(endpoint), homes, batch=size) as sink:
                    sink.put([r for home in homes for r in _records(bench, home, values[home])])
                    sink.commit()
            return Counter(map(repr, endpoint.driver.read_back()))

    @staticmethod
    def _object(how: str, alone: Counter[str], found: Counter[str], scenario: str) -> None:
        missing, surplus = alone - found, found - alone
        first = next(iter(missing or surplus))
        raise CheckFailedError(
            expected=f"the same {alone.total()} values as {how}",
            observed=f"{missing.total()} of them missing, {surplus.total()} more; first {first}",
            scenario=scenario,
            likely="all records of a batch or a task go to one table, or are deduplicated",
        )


def _records(bench: Bench, home: TopicPartition, texts: Sequence[str]) -> list[SinkRecord]:
    """Values of a partition, two of them equal and one null, with keys and headers that vary.

    Where the sink stores one value per key, each key occurs once per topic.
    """
    declaration = bench.subject.declaration
    refused = str(declaration.capabilities.get("tombstones", "")).startswith(_REFUSED)
    values: list[str | None] = [*texts[:-2], texts[0], texts[-1]]
    values[_MIDDLE] = values[_MIDDLE] if refused else None
    records = sink_records(values, home)
    unique = declaration.claims("upsert") or declaration.needs_keys
    for number, (record, key) in enumerate(zip(records, cycle(_KEYS), strict=False)):
        name = f"key {home.partition}@{number}" if unique else key
        record.key_schema, record.key = connect.OPTIONAL_STRING_SCHEMA, name
        if declaration.headers and number % 3:
            record.headers.add_string(f"header {number}", "value")
    return records
