"""Check of the keys of a source's records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.schema import Struct
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, running_source
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext
from plugwright_conformance.subject.same_values import same

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 12


@registered
class KeysAreCarried(Check):
    """Records have the keys of the endpoint."""

    id = "SRC-TYP-13"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C2
    wave = 2
    title = "A record's key is the one at the endpoint"
    why = "Kafka keeps the last record of each key: with another key a row has many, or none."
    mend = "Make the key of the columns that identify the row, not of a position or of the change."
    origin = "mongo-kafka#145"

    def run(self, bench: Bench) -> Evidence:
        """Read seeded values; compare their keys with those that the driver reads."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_COUNT))
            keys = endpoint.driver.hook("read_keys")
            if keys is None:
                raise NotApplicableError("the endpoint driver does not implement read_keys()")
            wanted = list(zip(endpoint.driver.read_back(), keys, strict=True))
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                records = poll_values(task, _COUNT)
            found = {endpoint.driver.seeded(r.value): _plain(r.key) for r in records}
        for value, key in wanted:
            if not same(found.get(value), key):
                raise CheckFailedError(
                    expected=f"key {key!r}",
                    observed=f"{found.get(value)!r}",
                    scenario="read by the task",
                    likely="the key is that of the position, or of another record",
                )
        return Evidence(len(wanted))


def _plain(key: Any) -> Any:
    """A struct as a mapping; anything else as it is."""
    if isinstance(key, Struct):
        return {field.name: _plain(key.get(field.name)) for field in key.schema.fields}
    return key
