"""Checks of sinks whose record schemas change."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright.errors import ConnectError
from plugwright.record import SinkRecord, TopicPartition
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_sink
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.field_shape import FieldShape
from plugwright_conformance.subject.names import TOPIC
from plugwright_conformance.subject.same_values import same
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench

_HOMES = tuple(TopicPartition(TOPIC, number) for number in range(2))
ADDED = "added_later"
_FEW, _MANY = 3, 24
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_BEYOND_INT32 = 2**31 + 5


@dataclass(slots=True)
class Versions:
    """Rows of one shape and of the next one, each with text without template placeholders.

    Attributes:
        first: the declared shape.
        second: the one after the change.
        carrier: name of the field that holds the texts.
        written: what was made so far, as it is to be read back.
    """

    first: RowShape
    second: RowShape
    carrier: str
    written: list[dict[str, Any]]
    ends: dict[TopicPartition, int]

    def record(
        self,
        text: str,
        values: Mapping[str, Any] = _NOTHING,
        *,
        second: bool,
        home: TopicPartition = _HOMES[0],
    ) -> SinkRecord:
        """A record of one version, behind those of its partition before."""
        shape = self.second if second else self.first
        row = {**self.first.carrying(text), **values}
        row = {field.name: row.get(field.name) for field in shape.fields}
        self.written.append(row)
        schema, offset = shape.schema(), self.ends.get(home, 0)
        self.ends[home] = offset + 1
        value = shape.struct(schema, row)
        return SinkRecord(home.topic, home.partition, None, None, schema, value, offset)


def versions_of(bench: Bench, second: RowShape | None = None) -> Versions:
    """The declared rows, and those of another shape.

    Raises:
        NotApplicableError: if the sink declares no fields.
    """
    first = bench.subject.declaration.rows
    if first is None:
        raise NotApplicableError("the sink declares no fields, so it takes no rows")
    added = FieldShape(ADDED, "string", optional=True)
    carrier = next(field.name for field in first.fields if field.type == "string")
    return Versions(first, second or RowShape((*first.fields, added)), carrier, [], {})


def _texts(bench: Bench, count: int) -> Sequence[str]:
    return bench.ledger().enter(count)


def must_read_back(versions: Versions, found: Iterable[Any], scenario: str, likely: str) -> None:
    """Every row is there, with the values that it was given."""
    rows = {row.get(versions.carrier): row for row in found if isinstance(row, dict)}
    for wanted in versions.written:
        row = rows.get(wanted[versions.carrier])
        if row is None:
            raise CheckFailedError(
                f"all {len(versions.written)} rows", "one of them missing", scenario, likely
            )
        for name, value in wanted.items():
            if not same(row.get(name), value):
                raise CheckFailedError(
                    expected=f"{name}: {short(value)}",
                    observed=f"{name}: {short(row.get(name))}",
                    scenario=scenario,
                    likely=likely,
                )


@registered
class NewFieldIsDelivered(Check):
    """A new field is stored like the others."""

    id = "SNK-SCH-01"
    level = Level.C3
    wave = 2
    title = "A new optional field is delivered"
    why = "The source adds a column, the sink ignores it, and the loss goes unnoticed for months."
    mend = "Compare the record's schema with the target, and add missing fields."
    gate = "EVOL"
    origin = "G-Migr; SGR schema_updates; clickhouse#277"

    def run(self, bench: Bench) -> Evidence:
        """Put rows, then rows with one more optional field; read all of them back."""
        versions, texts = versions_of(bench), _texts(bench, 2 * _FEW)
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), _HOMES[:1]) as sink:
                sink.put([versions.record(text, second=False) for text in texts[:_FEW]])
                sink.commit()
                sink.put([versions.record(t, {ADDED: "new"}, second=True) for t in texts[_FEW:]])
                sink.commit()
            must_read_back(
                versions,
                endpoint.driver.read_rows(),
                f"{_FEW} rows, then {_FEW} with the optional field {ADDED}",
                "the columns are fixed by the first record",
            )
        return Evidence(len(texts))


@registered
class OldVersionsDoNoHarm(Check):
    """Records of two schema versions may be interleaved."""

    id = "SNK-SCH-02"
    level = Level.C3
    wave = 2
    title = "Interleaved old and new versions never revert the target and lose nothing"
    why = "A producer that still uses the old version would remove the new column and its data."
    mend = "Only add to the target; leave the new field empty for records of the old version."
    gate = "EVOL"
    origin = "G-Migr"

    def run(self, bench: Bench) -> Evidence:
        """Put rows of both versions in random order, one batch each, into two partitions."""
        versions = versions_of(bench)
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), _HOMES) as sink:
                for text in _texts(bench, _MANY):
                    new, home = bench.random.random() < 1 / 2, bench.random.choice(_HOMES)
                    more = {ADDED: f"new {len(versions.written)}"} if new else {}
                    sink.put([versions.record(text, more, second=new, home=home)])
                sink.commit()
            must_read_back(
                versions,
                endpoint.driver.read_rows(),
                f"{_MANY} rows of two versions in random order, in two partitions",
                "the target is altered to match the last schema",
            )
        return Evidence(_MANY)


@registered
class WideningIsApplied(Check):
    """A number too large for its column is stored unchanged."""

    id = "SNK-SCH-03"
    level = Level.C3
    wave = 2
    title = "Type widening is applied"
    why = "A counter above 2^31 would be stored as a negative number."
    mend = "Widen the column, or reject the record; never convert to the narrower type."
    gate = "EVOL"
    origin = "G-Migr"

    def run(self, bench: Bench) -> Evidence:
        """Put rows with an int32, then with an int64 that fits no int32 in the same field."""
        declared = bench.subject.declaration.rows
        wide = [f.name for f in declared.fields if f.type == "int64"] if declared else []
        if declared is None or not wide:
            raise NotApplicableError("no field is an int64")
        name = wide[0]
        narrow = [replace(f, type="int32") if f.name == name else f for f in declared.fields]
        versions, texts = versions_of(bench, declared), _texts(bench, 2 * _FEW)
        versions.first = RowShape(tuple(narrow))
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), _HOMES[:1]) as sink:
                sink.put([versions.record(t, {name: 7}, second=False) for t in texts[:_FEW]])
                sink.commit()
                sink.put(
                    [versions.record(t, {name: _BEYOND_INT32}, second=True) for t in texts[_FEW:]]
                )
                sink.commit()
            must_read_back(
                versions,
                endpoint.driver.read_rows(),
                f"{name} was an int32, and became an int64 with {_BEYOND_INT32}",
                "values are converted to the original type of the column",
            )
        return Evidence(len(texts))


@registered
class RemovedFieldsAreEmpty(Check):
    """A removed field becomes null or its default."""

    id = "SNK-SCH-04"
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Removed fields become default or null"
    why = "An invented value for a removed field looks like data."
    mend = "Store null, or the column's default, for a field missing from the record."
    gate = "EVOL"
    origin = "G-Migr"

    def run(self, bench: Bench) -> Evidence:
        """Put rows, then rows without one of the optional fields."""
        versions, texts = versions_of(bench), _texts(bench, 2 * _FEW)
        dropped = next((f for f in versions.first.fields if f.optional), None)
        if dropped is None:
            raise NotApplicableError("no field is optional")
        versions.second = RowShape(
            tuple(field for field in versions.first.fields if field is not dropped)
        )
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), _HOMES[:1]) as sink:
                sink.put([versions.record(text, second=False) for text in texts[:_FEW]])
                sink.commit()
                sink.put([versions.record(text, second=True) for text in texts[_FEW:]])
                sink.commit()
            found = list(endpoint.driver.read_rows())
        scenario = f"{_FEW} rows, then {_FEW} without the optional field {dropped.name}"
        must_read_back(versions, found, scenario, "records with an older schema are not handled")
        later = {row[versions.carrier] for row in versions.written[_FEW:]}
        for row in found:
            if row[versions.carrier] in later and row.get(dropped.name) not in (
                None,
                dropped.default,
            ):
                raise CheckFailedError(
                    expected=f"{dropped.name}: None, or its default",
                    observed=f"{dropped.name}: {short(row[dropped.name])}",
                    scenario=scenario,
                )
        return Evidence(len(texts))


@registered
class VersionsMayMixInOneBatch(Check):
    """A schema change within a batch loses no rows."""

    id = "SNK-SCH-08"
    level = Level.C3
    wave = 2
    title = "A version change inside one batch keeps buffered rows intact"
    why = "A sink that starts a new buffer for a new schema may forget to write the old one."
    mend = "Write the buffer before the columns change, or keep one buffer per schema."
    gate = "EVOL"
    origin = "G-Migr"

    def run(self, bench: Bench) -> Evidence:
        """Put one batch with rows of both versions by turns."""
        versions, texts = versions_of(bench), _texts(bench, 2 * _FEW)
        batch = [
            versions.record(text, {ADDED: f"new {number}"}, second=number % 2 == 1)
            for number, text in enumerate(texts)
        ]
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), _HOMES[:1]) as sink:
                sink.put(batch)
                sink.commit()
            must_read_back(
                versions,
                endpoint.driver.read_rows(),
                f"one batch of {len(batch)} rows of two versions, alternating",
                "buffered rows are dropped when the schema changes",
            )
        return Evidence(len(batch))


@registered
class IncompatibleChangesAreRefused(Check):
    """A value that does not fit its column is rejected, not converted."""

    id = "SNK-SCH-05"
    level = Level.C3
    wave = 2
    title = "An incompatible change is rejected cleanly"
    why = "A struct stored as its string form is unreadable, and nothing has failed."
    mend = (
        "Raise DataError with field and types if the column cannot hold the value; do not use "
        "str()."
    )
    origin = "G-Migr; G-Schemaless"

    def run(self, bench: Bench) -> Evidence:
        """Put rows, then one in which a text has become a struct; look at what is there."""
        versions, texts = versions_of(bench), _texts(bench, _FEW + 1)
        part = connect.SchemaBuilder.struct().field("part", connect.INT32_SCHEMA).build()
        others = [f for f in versions.first.fields if f.type == "string"][1:]
        if not others:
            raise NotApplicableError("the rows have no second string field that could change")
        changed = others[0]
        builder = connect.SchemaBuilder.struct().name("com.example.Row")
        for field in versions.first.fields:
            builder.field(field.name, part if field is changed else field.schema())
        schema = builder.build()
        with bench.endpoint() as endpoint:
            config = bench.config(endpoint)
            with suppress(ConnectError), running_sink(bench, config, _HOMES[:1]) as sink:
                sink.put([versions.record(text, second=False) for text in texts[:_FEW]])
                sink.commit()
                row = {**versions.first.carrying(texts[_FEW])}
                row[changed.name] = connect.Struct(part).put("part", 7)
                value = versions.first.struct(schema, row)
                home = _HOMES[0]
                odd = SinkRecord(home.topic, 0, None, None, schema, value, versions.ends[home])
                self._put(sink, odd, changed.name)
                sink.commit()
            found = [row for row in endpoint.driver.read_rows() if isinstance(row, dict)]
        scenario = f"{_FEW} rows, then one whose {changed.name} is a struct instead of a string"
        must_read_back(versions, found, scenario, "a rejected row causes others to be dropped")
        for row in found:
            if row.get(versions.carrier) == texts[_FEW]:
                self._must_be_kept(row.get(changed.name), changed.name, scenario)
        return Evidence(_FEW + 1)

    @staticmethod
    def _put(sink: Any, record: SinkRecord, name: str) -> None:
        try:
            sink.put([record])
        except ConnectError:
            raise
        except Exception as error:
            raise CheckFailedError(
                expected=f"a Connect error that explains the problem with {name}",
                observed=f"{type(error).__name__}: {error}",
                scenario=f"a row whose {name} is a struct instead of a string",
            ) from error

    @staticmethod
    def _must_be_kept(value: object, name: str, scenario: str) -> None:
        """The connector stores a struct."""
        part = value.get("part") if isinstance(value, dict | connect.Struct) else None
        if part != 7:  # noqa: PLR2004  # what was put
            raise CheckFailedError(
                expected="a Connect error, or the struct as it was",
                observed=f"{name}: {short(value)}",
                scenario=scenario,
                likely="values that do not fit are converted with str(), or dropped",
            )
