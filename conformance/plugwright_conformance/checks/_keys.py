"""Check of how a sink handles record keys."""

from __future__ import annotations

from contextlib import suppress
from itertools import cycle
from typing import TYPE_CHECKING, Any

from plugwright import schema as connect
from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks.order import promised_order
from plugwright_conformance.checks.value_types import compare
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.record import SinkRecord
    from plugwright.schema import Schema
    from plugwright_conformance.catalogue.bench import Bench

__all__ = ["ODD_KEYS"]

_TEXTS: Sequence[tuple[Schema | None, Any]] = (
    (connect.STRING_SCHEMA, "one"),
    (connect.STRING_SCHEMA, "one"),
    (None, None),
    (connect.STRING_SCHEMA, ""),
    (connect.OPTIONAL_STRING_SCHEMA, None),
    (None, "one"),
    (connect.STRING_SCHEMA, "\U0001f511 ключ"),
)
"""Keys as most topics have them: some equal, none at all with and without a schema, and empty."""
_OTHERS: Mapping[str, tuple[Schema | None, Any]] = {
    "int64": (connect.INT64_SCHEMA, 2**40),
    "bytes": (connect.BYTES_SCHEMA, b"\x00\xff"),
    "map": (None, {"id": 1}),
}
ODD_KEYS: Sequence[str] = (
    *("a/b", "a b", "a?b", "a#b", "a%2Fb", "a+b", "a&b=c", "..", "a:b", "a\\b"),
    *("'a'", '"a"', "\N{KEY} ключ", "a\nb"),
)
"""Keys with characters to which addresses, paths, statements or lines give a meaning."""
_NO_LOSS = "records without a key and with equal keys are distinct"


@registered
class KeysAreTakenAsTheyCome(Check):
    """Keys of every kind are handled without loss."""

    id = "SNK-TYP-07"
    revision = 3
    level = Level.C2
    wave = 2
    title = "A null key follows the declared policy, and equal keys are different records"
    why = "Topics contain records with and without keys; one kind stops the task, or is skipped."
    mend = "Handle a None key, and identify values by offset instead of by key."
    origin = "G-Type; clickhouse#180"

    def run(self, bench: Bench) -> Evidence:
        """Put values with keys of every kind; those of text must do, others may be refused."""
        if bench.subject.declaration.claims("upsert"):
            raise NotApplicableError("the sink stores one value per key, as declared")
        values = self._must_store(bench, _TEXTS, "string keys, some equal, some empty or null")
        others = {f"keys of type {name}": [key, key] for name, key in _OTHERS.items()}
        others[f"keys such as {', '.join(ODD_KEYS[:3])}"] = [
            (connect.STRING_SCHEMA, key) for key in ODD_KEYS
        ]
        for scenario, keys in others.items():
            with suppress(ConnectError):
                self._must_store(bench, keys, scenario)
        return Evidence(values + len(_OTHERS) + len(ODD_KEYS))

    @staticmethod
    def _must_store(bench: Bench, keys: Sequence[tuple[Schema | None, Any]], scenario: str) -> int:
        """Put a value for each key, twice; how many those were.

        Raises:
            CheckFailedError: if one is missing or changed, or it fails with a foreign error.
        """
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(2 * len(keys))
            records = sink_records(values, HOME)
            for record, key in zip(records, cycle(keys), strict=False):
                record.key_schema, record.key = key
            try:
                put_all(bench, bench.config(endpoint), HOME, records)
            except Exception as error:
                if isinstance(error, ConnectError) and keys is not _TEXTS:
                    raise
                raise CheckFailedError(
                    expected="every value stored",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=f"put with {scenario}",
                ) from error
            found = list(endpoint.driver.read_back())
        if len(found) < len(values):
            raise CheckFailedError(
                expected=f"{len(values)} values: {_NO_LOSS}",
                observed=f"{len(values) - len(found)} of them missing",
                scenario=f"put with {scenario}",
                likely="values are buffered in a map by key, so the last one replaces the others",
            )
        compare(bench, values, found, f"put with {scenario}")
        if promised_order(bench) == "key":
            _require_order(records, found, f"put with {scenario}")
        return len(values)


def _require_order(records: Sequence[SinkRecord], found: Sequence[Any], scenario: str) -> None:
    """Insist on the order of the values of each key."""
    for key in {
        repr(record.key): record.key for record in records if record.key is not None
    }.values():
        put = [record.value for record in records if record.key == key]
        seen = [value for value in found if value in put]
        if seen != put:
            raise CheckFailedError(
                expected=f"the {len(put)} values of key {key!r} in their order",
                observed=f"in the order {', '.join(str(put.index(value)) for value in seen)}",
                scenario=scenario,
                likely="records are sorted, or written by several threads",
            )
