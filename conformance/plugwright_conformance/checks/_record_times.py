"""Checks of record timestamps."""

from __future__ import annotations

import time
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.record import TimestampType
from plugwright_conformance.catalogue.check import SINK_ONLY, SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, put_all, running_source
from plugwright_conformance.checks.value_types import compare
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    Severity,
)
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_TIMES = (1_700_000_000_123, 1_700_000_000_124, 1_600_000_000_001, 999, 4_102_444_800_999)
"""Milliseconds since 1970 that are no whole seconds, two of them next to each other."""

_UNSEEN = "the endpoint driver does not implement read_timestamps()"
_COUNT = 12
_DAY_S = 86_400
_OTHER_UNITS = MappingProxyType({"seconds": 1, "microseconds": 10**6, "nanoseconds": 10**9})
"""How many of each a second has."""


def _times_at(endpoint: OpenEndpoint) -> Mapping[Hashable, Any]:
    """The timestamp of every value at the endpoint.

    Raises:
        NotApplicableError: if the driver does not know.
    """
    times = endpoint.driver.hook("read_timestamps")
    if times is None:
        raise NotApplicableError(_UNSEEN)
    return dict(zip(endpoint.driver.read_back(), times, strict=False))


@registered
class MissingTimestampsAreTaken(Check):
    """Records without a timestamp are handled."""

    id = "SNK-TYP-14"
    kinds = SINK_ONLY
    level = Level.C2
    wave = 2
    title = "A record without a timestamp is stored, or rejected with a Connect error"
    why = "Old producers and some brokers set none; a crash stops the task there for ever."
    mend = "Check whether the timestamp is None before calculating with it."
    origin = "storage-common#55"

    def run(self, bench: Bench) -> Evidence:
        """Put records, every second one without a timestamp."""
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(_COUNT)
            records = sink_records(values, HOME)
            for record in records[::2]:
                record.timestamp, record.timestamp_type = None, TimestampType.NO_TIMESTAMP_TYPE
            try:
                put_all(bench, bench.config(endpoint), HOME, records)
            except ConnectError:
                return Evidence(_COUNT)
            except Exception as error:
                raise CheckFailedError(
                    expected="the values stored, or a Connect error",
                    observed=f"{type(error).__name__}: {error}",
                    scenario="every second record has no timestamp",
                    likely="the timestamp is used without checking for None",
                ) from error
            compare(bench, values, endpoint.driver.read_back(), "put without a timestamp")
        return Evidence(_COUNT)


@registered
class TimestampsAreStored(Check):
    """Timestamps are stored in milliseconds."""

    id = "SNK-TYP-16"
    severity = Severity.SHOULD
    kinds = SINK_ONLY
    level = Level.C2
    wave = 2
    title = "A stored timestamp equals the record's, to the millisecond"
    why = "Seconds mistaken for milliseconds end up in January 1970, unnoticed."
    mend = "Store the timestamp in milliseconds, or convert by 1000 in both directions."
    origin = "kafka-connect-redis#26"

    def run(self, bench: Bench) -> Evidence:
        """Put values with timestamps; compare them with those that the driver reads."""
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(len(_TIMES))
            records = sink_records(values, HOME)
            for record, time in zip(records, _TIMES, strict=True):
                record.timestamp = time
            put_all(bench, bench.config(endpoint), HOME, records)
            _require_times(values, _TIMES, _times_at(endpoint), "put, read at the endpoint")
        return Evidence(len(_TIMES))


@registered
class TimestampsAreCarried(Check):
    """Records have the timestamps of the endpoint."""

    id = "SRC-TYP-10"
    revision = 2
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C2
    wave = 2
    title = "A record's timestamp is the one at the endpoint, in milliseconds"
    why = (
        "Kafka deletes by timestamp: a record stamped in seconds is dated 1970 and deleted at once."
    )
    mend = "Pass SourceRecord the time in milliseconds since 1970."
    origin = "K-dev; kafka-connect-redis#26"

    def run(self, bench: Bench) -> Evidence:
        """Read seeded values; compare their timestamps with those that the driver reads.

        Where the driver reads none, they must at least not be the present in another unit.
        """
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_COUNT))
            known = endpoint.driver.hook("read_timestamps") is not None
            times = _times_at(endpoint) if known else {}
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                records = poll_values(task, _COUNT)
            given = [record.timestamp for record in records]
            if known:
                values = [endpoint.driver.seeded(record.value) for record in records]
                found = dict(zip(values, given, strict=True))
                _require_times(list(times), list(times.values()), found, "read by the task")
            elif not any(given):
                raise NotApplicableError(_UNSEEN)
            else:
                _require_milliseconds(given)
        return Evidence(_COUNT)


def _require_milliseconds(timestamps: Sequence[int | None]) -> None:
    """No timestamp is of today in another unit."""
    for timestamp, (unit, each) in product(filter(None, timestamps), _OTHER_UNITS.items()):
        if abs(timestamp / each - time.time()) < _DAY_S:
            raise CheckFailedError(
                expected="timestamps in milliseconds since 1970",
                observed=f"{timestamp}, which in {unit} is today",
                scenario="read by the task",
                likely=f"{unit} and milliseconds are confused",
            )


def _require_times(
    values: Sequence[Hashable],
    times: Sequence[int],
    found: Mapping[Hashable, Any],
    scenario: str,
) -> None:
    for value, wanted in zip(values, times, strict=True):
        if found.get(value) != wanted:
            raise CheckFailedError(
                expected=f"timestamp {wanted}, in milliseconds since 1970",
                observed=f"{found.get(value)!r}",
                scenario=scenario,
                likely="seconds and milliseconds are confused",
            )
