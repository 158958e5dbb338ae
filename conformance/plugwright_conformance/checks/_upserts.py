"""Checks of sinks that overwrite records which are delivered again (capability UPSERT)."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from plugwright import schema as connect
from plugwright.errors import ConnectError, DataError
from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import SINK_ONLY, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._keys import ODD_KEYS
from plugwright_conformance.checks._stepped_tasks import put_all, running_sink
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME, TOPIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.declaration import Declaration
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.shape import RowShape

_COUNT, _AGAIN = 12, 5
_NOW, _OF_ONE_MOMENT = 1_700_000_000_000, 8
_HISTORY = (
    *("a1", "b1", "a2", "c1", "b-", "b2", "d1", "d2"),
    *("c-", "a3", "e-", "f1", "f-", "g1", "g-", "g2"),
)
"""Key and number of each value; `-` is a tombstone. Key `e` has only a tombstone."""
_LONG = tuple(f"{key}{number}" for number in range(10, 32) for key in "hijk")
"""So long that a service that takes a batch in pieces may put some of them off."""
_SIZES: Mapping[int, str] = {1: "each record alone", 3: "batches of 3", 99: "all in one batch"}
_DELETES = re.compile(r"\b(delet|remov)", re.IGNORECASE)
_DENIES = re.compile(r"\b(not|no|never|without|nothing)\b", re.IGNORECASE)


@registered
class ReplayIsIdempotent(Check):
    """A repeated batch changes nothing."""

    id = "CON-DLV-11"
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "Replay of a batch is idempotent"
    why = "After a crash records are delivered again, and users rely on the declared overwriting."
    mend = "Write each record under its key, or under its topic, partition and offset."
    gate = "UPSERT"
    origin = "weaviate-spark#27; eventbridge#46"

    def run(self, bench: Bench) -> Evidence:
        """Put the same records with two tasks in turn, and the last ones with a third task."""
        ledger = bench.ledger()
        homes = [TopicPartition(TOPIC, number) for number in range(2)]
        values = {home: ledger.enter(_COUNT) for home in homes}
        with bench.endpoint() as endpoint:
            for first in (0, 0, _COUNT - _AGAIN):
                with running_sink(bench, bench.config(endpoint), homes, first=first) as sink:
                    for home in homes:
                        rest = values[home][first:]
                        sink.put(sink_records(rest, home, first_offset=first, keyed=True))
                    sink.commit()
            found = ledger.reconcile(endpoint.driver.read_back())
        if not found.exact:
            raise CheckFailedError(
                expected=f"all {found.entered} values, each once",
                observed=str(found),
                scenario=f"records of two partitions, put twice; the last {_AGAIN} a third time",
                likely="records are appended, or their keys differ between task instances",
            )
        return Evidence(found.entered, found.digest, found.figures())


class _Outcome(NamedTuple):
    """Which values of a history the endpoint has."""

    division: str
    present: frozenset[str]


@registered
class LastValueOfKeyIsKept(Check):
    """The table has the last value of each key."""

    id = "SNK-TYP-18"
    revision = 5
    kinds = SINK_ONLY
    level = Level.C2
    wave = 2
    title = "The last value of each key is kept, whatever writes and deletes share a batch"
    why = "Deletes that run after the writes of their batch remove rows that were written again."
    mend = "Apply a batch in order, or first reduce it to the last record of each key."
    gate = "UPSERT"
    origin = "jdbc#1562; elasticsearch#374; aiven-jdbc#287; scylladb#20"

    def run(self, bench: Bench) -> Evidence:
        """Put one history of keys record by record and in batches; compare the results.

        Of rows, the last one replaces the one before it whole: a null takes the place of a value.
        Keys are data, whatever characters they have; one that the endpoint cannot have is refused.
        """
        declaration = bench.subject.declaration
        refused = str(declaration.capabilities.get("tombstones", "")).startswith(_REFUSED)
        steps = [step for step in _HISTORY if not (refused and step.endswith("-"))]
        outcomes = [self._put(bench, steps, size) for size in _SIZES]
        for outcome in outcomes:
            self._judge(steps, outcome, deletes=deletes(declaration))
        self._judge(_LONG, self._put(bench, _LONG, 99), deletes=False)
        if strange := next((o for o in outcomes if o.present != outcomes[0].present), None):
            raise CheckFailedError(
                expected=f"{_shown(outcomes[0].present)}, as with {outcomes[0].division}",
                observed=_shown(strange.present),
                scenario=f"{' '.join(steps)}, {strange.division}",
                likely="the writes and the deletes of a batch run separately",
            )
        if declaration.rows and (carrier := declaration.rows.text_field):
            for batch in (1, 2):
                _replace_whole(bench, declaration.rows, carrier, batch)
        _keep_apart(bench, ODD_KEYS)
        return Evidence(len(steps) * len(outcomes) + len(_LONG) + len(ODD_KEYS))

    @staticmethod
    def _put(bench: Bench, steps: Sequence[str], size: int) -> _Outcome:
        names = dict(zip(steps, bench.ledger().enter(len(steps)), strict=True))
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), [HOME], batch=size) as sink:
                sink.put(_history(steps, names))
                sink.commit()
            there = _texts(endpoint)
        values = {step for step in steps if not step.endswith("-")}
        return _Outcome(_SIZES[size], frozenset(v for v in values if names[v] in there))

    def _judge(self, steps: Sequence[str], outcome: _Outcome, *, deletes: bool) -> None:
        """Expect every value if records are stored by offset, else the last value of each key."""
        values = {step for step in steps if not step.endswith("-")}
        if outcome.present == values:
            return
        last = {step[0]: step for step in steps}
        for key, step in sorted(last.items()):
            there = sorted(v for v in outcome.present if v[0] == key)
            if not step.endswith("-") and there != [step]:
                self._object(steps, outcome, f"{step} of key {key}, its last value", there)
            if step.endswith("-") and there and deletes:
                self._object(steps, outcome, f"no value of key {key}, which has a tombstone", there)

    @staticmethod
    def _object(
        steps: Sequence[str], outcome: _Outcome, expected: str, there: Sequence[str]
    ) -> None:
        raise CheckFailedError(
            expected=expected,
            observed=" ".join(there) or "nothing",
            scenario=f"{_in_words(steps)}, where - is a tombstone; {outcome.division}",
            likely="existing values are kept, or deletes and writes run out of order",
        )


_REFUSED = ("refused", "error")
_NOT_ESCAPED = "the key is part of an address or a statement, and is not escaped there"


def deletes(declaration: Declaration) -> bool:
    """Whether a sink declares that a tombstone deletes the value of its key."""
    policy = str(declaration.capabilities.get("tombstones", ""))
    return bool(_DELETES.search(policy)) and not _DENIES.search(policy)


def _keep_apart(bench: Bench, keys: Sequence[str]) -> None:
    """Put a value for each key; where that fails, each by itself, which may be refused."""
    values = dict(zip(keys, bench.ledger().enter(len(keys)), strict=True))
    with bench.endpoint() as endpoint:
        records = sink_records([*values.values()], HOME)
        for record, key in zip(records, keys, strict=True):
            record.key_schema, record.key = connect.STRING_SCHEMA, key
        try:
            put_all(bench, bench.config(endpoint), HOME, records)
        except ConnectError as error:
            if len(keys) > 1:
                for key in keys:
                    _keep_apart(bench, [key])
                return
            if isinstance(error, DataError):
                return
            raise CheckFailedError(
                expected="its value stored, or a DataError",
                observed=f"{type(error).__name__}: {error}",
                scenario=f"put with the key {keys[0]!r}",
                likely=_NOT_ESCAPED,
            ) from error
        there = _texts(endpoint)
    if missing := [key for key, value in values.items() if value not in there]:
        raise CheckFailedError(
            expected=f"a value for each of {len(keys)} keys",
            observed=f"none for {', '.join(map(repr, missing))}",
            scenario="put with keys that have characters such as / ? # % and quotation marks",
            likely=_NOT_ESCAPED,
        )


def _replace_whole(bench: Bench, shape: RowShape, carrier: str, batch: int) -> None:
    """Replace a row by one of the same key with a null in each optional field."""
    optional = [field for field in shape.fields if field.optional and field.name != carrier]
    before, after = (shape.carrying(text) for text in bench.ledger().enter(2))
    after |= {field.name: None for field in optional}
    with bench.endpoint() as endpoint:
        records = _of_one_key(shape, [before, after])
        put_all(bench, bench.config(endpoint), HOME, records, batch=batch)
        found = [row for row in endpoint.driver.read_rows() if isinstance(row, dict)]
    there = [row for row in found if row.get(carrier) == after[carrier]]
    for row, field in product(there, optional):
        if not field.may_hold(row.get(field.name), None):
            raise CheckFailedError(
                expected=f"{field.name}: null, as in the last row of the key",
                observed=f"{field.name}: {short(row[field.name])}, the value of the row before",
                scenario=f"two rows of one key, {_SIZES[1] if batch == 1 else 'in one batch'}",
                likely="a null is left out of the update, so the old value stays",
            )


def _of_one_key(shape: RowShape, rows: Sequence[dict[str, Any]]) -> list[SinkRecord]:
    records = sink_records(rows, HOME)
    for record, row in zip(records, rows, strict=True):
        record.key_schema, record.key = connect.STRING_SCHEMA, "key of both"
        record.value_schema = shape.schema()
        record.value = shape.struct(record.value_schema, row)
    return records


def _history(steps: Sequence[str], names: Mapping[str, str]) -> list[SinkRecord]:
    values = [None if step.endswith("-") else names[step] for step in steps]
    records = sink_records(values, HOME)
    for number, (record, step) in enumerate(zip(records, steps, strict=True)):
        record.key_schema, record.key = connect.STRING_SCHEMA, f"key {step[0]}"
        # Busy producers give many records one millisecond, so that it is no order.
        record.timestamp = _NOW + number // _OF_ONE_MOMENT
    return records


def _texts(endpoint: OpenEndpoint) -> set[str]:
    return {value for value in endpoint.driver.read_back() if isinstance(value, str)}


def _in_words(steps: Sequence[str]) -> str:
    return f"{' '.join(steps[:5])} and so on to {steps[-1]}" if steps is _LONG else " ".join(steps)


def _shown(steps: frozenset[str]) -> str:
    return " ".join(sorted(steps)) or "nothing"
