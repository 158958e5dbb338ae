"""Check of sources whose endpoint changes its structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.schema import Struct, validate_value
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, running_source
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotRunError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_FEW = 4
_FIRST, _SECOND = "added_later", "added_last"
_LIKELY = "the structure is looked up once, and kept"


class _Growing:
    """An endpoint whose values get more fields.

    Args:
        bench: of the check.
        endpoint: the running endpoint.
    """

    def __init__(self, bench: Bench, endpoint: OpenEndpoint) -> None:
        self._bench, self._driver = bench, endpoint.driver
        self._rows, self._ledger = bench.subject.declaration.rows, bench.ledger()

    def seed(self) -> Sequence[str]:
        """Add a few values; the text that each of them carries."""
        texts, rows = self._ledger.enter(_FEW), self._rows
        self._driver.seed([rows.carrying(text) for text in texts] if rows else texts)
        return texts

    def add_field(self, name: str) -> None:
        """Add a field that holds its own name in every value from now on.

        Raises:
            NotRunError: if the driver cannot do that.
        """
        if self._driver.hook("add_field", name, name) is None:
            raise NotRunError("the endpoint driver does not implement add_field()")

    def text(self, record: SourceRecord) -> object:
        """The text that a record carries."""
        if self._rows is None:
            return self._driver.seeded(record.value)
        carrier = next(field.name for field in self._rows.fields if field.type == "string")
        return _field(record, carrier)


@registered
class StructureMayChange(Check):
    """A field that is added at the endpoint arrives, and no value is lost."""

    id = "SRC-SCH-01"
    revision = 2
    level = Level.C3
    wave = 2
    title = "A change of structure in mid-stream yields the new schema and loses nothing"
    why = "A table gets a column, and its data is missing in Kafka until somebody restarts."
    mend = "Look up the structure again whenever it may have changed, before building records."
    gate = "EVOL"
    origin = "G-Migr; spiceai#9782"

    def run(self, bench: Bench) -> Evidence:
        """Add a field when everything was read, and another one while values wait."""
        with bench.endpoint() as endpoint:
            growing = _Growing(bench, endpoint)
            texts = growing.seed()
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                _all_of(growing, task, texts, f"{_FEW} values, before any change")
                growing.add_field(_FIRST)
                idle = f"the field {_FIRST} was added when all was read, then {_FEW} values"
                for record in _all_of(growing, task, growing.seed(), idle).values():
                    _must_carry(record, (_FIRST,), idle)
                before = growing.seed()
                growing.add_field(_SECOND)
                after = growing.seed()
                waiting = f"the field {_SECOND} was added while {_FEW} values waited"
                found = _all_of(growing, task, [*before, *after], waiting)
            for text in before:
                _must_carry(found[text], (_FIRST,), waiting)
            for text in after:  # some drivers add one field at a time, and leave the first empty
                _must_carry(found[text], (_SECOND,), waiting)
        return Evidence(4 * _FEW, figures={"fields_added": 2})


def _all_of(
    growing: _Growing, task: SteppedSource, texts: Sequence[str], scenario: str
) -> dict[object, SourceRecord]:
    """The record of every text.

    Raises:
        CheckFailedError: if one is missing, or the task ends.
    """
    try:
        records = poll_values(task, len(texts))
    except ConnectError as error:
        raise CheckFailedError(f"{len(texts)} records", str(error), scenario, _LIKELY) from error
    except CheckFailedError as error:
        raise CheckFailedError(error.expected, error.observed, scenario, _LIKELY) from error
    found = {growing.text(record): record for record in records}
    if missing := [text for text in texts if text not in found]:
        raise CheckFailedError(
            expected=f"all {len(texts)} values",
            observed=f"{len(missing)} of them missing, first {short(missing[0])}",
            scenario=scenario,
            likely="what was read under the former structure is thrown away",
        )
    return found


def _must_carry(record: SourceRecord, names: Sequence[str], scenario: str) -> None:
    """A record has the added fields, in its value and in its schema."""
    for name in names:
        if (seen := _field(record, name)) != name:
            raise CheckFailedError(f"{name}: {name!r}", f"{name}: {seen!r}", scenario, _LIKELY)
    if record.value_schema is None:
        return
    try:
        validate_value(record.value_schema, record.value)
    except ConnectError as error:
        raise CheckFailedError(
            expected=f"a schema with the field {names[-1]}",
            observed=str(error) or repr(error),
            scenario=scenario,
            likely="the schema of the record is still the former one",
        ) from error


class _NoField:
    """Stands where a record has no such field."""

    def __repr__(self) -> str:
        return "no such field"


def _field(record: SourceRecord, name: str) -> Any:
    """The value of a field, of a struct or of a map."""
    value = record.value
    if isinstance(value, Struct):
        return value[name] if value.schema.field(name) is not None else _NoField()
    return value.get(name, _NoField()) if isinstance(value, dict) else _NoField()
