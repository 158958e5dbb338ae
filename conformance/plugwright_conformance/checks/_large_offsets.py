"""Checks of offsets that need more than 32 or 53 bits, or are no whole numbers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    poll_values,
    running_sink,
    running_source,
    seeds,
)
from plugwright_conformance.checks.order import position, positions_after
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
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.catalogue.bench import Bench

_COUNT = 10
_FIRST = (2**31 - 5, 2**32 + 1, 2**53 + 1, 2**63 - 1001)
"""Where the records of a partition begin: around each size that a smaller number ends at."""

_TIME = 1_700_000_000_000
_FAR = 1_000_000
_FARTHER = (2**31 + 7, 2**32 + 7, 2**53 + 7)
"""More than any file or table has here; below what a file system takes for a position."""

_GLANCE_S = 0.3
_COUNTED, _MOMENTS = 12, 1e9
"""How many values are read for their positions; a float from the latter on may be a moment."""


@registered
class LargeOffsetsAreCommitted(Check):
    """Large Kafka offsets are handled like small ones."""

    id = "SNK-OFF-10"
    level = Level.C3
    wave = 2
    title = "Offsets beyond 32 and 53 bits are written and committed like small ones"
    why = "After some months offsets exceed four bytes, and the task fails or commits wrong ones."
    mend = "Keep offsets as 64-bit integers; floats and four-byte columns cannot hold them."
    origin = "snowflake#1090"

    def run(self, bench: Bench) -> Evidence:
        """Put records at small offsets, and then at large ones; compare values and commits."""
        reached = self._ends(bench, 0) == _COUNT
        for first in _FIRST:
            scenario = f"a partition whose records begin at offset {first}"
            try:
                end = self._ends(bench, first)
            except CheckFailedError:
                raise
            except Exception as error:
                raise CheckFailedError(
                    expected="records written, as with small offsets",
                    observed=f"{type(error).__name__}: {error}",
                    scenario=scenario,
                    likely="an offset is stored in four bytes",
                ) from error
            if reached and end != first + _COUNT:
                raise CheckFailedError(
                    expected=f"a commit at {first + _COUNT}",
                    observed=f"{end or 'none'}",
                    scenario=scenario,
                    likely="an offset is stored in four bytes, or as a float",
                )
        return Evidence(_COUNT * (1 + len(_FIRST)))

    @staticmethod
    def _ends(bench: Bench, first: int) -> int:
        """The committed offset of a partition that begins at the given offset.

        Raises:
            CheckFailedError: if not every record is written, or more is promised.
        """
        ledger = bench.ledger()
        scenario = f"a partition whose records begin at offset {first}"
        with bench.endpoint() as endpoint:
            with running_sink(bench, bench.config(endpoint), [HOME], first=first) as sink:
                records = sink_records(ledger.enter(_COUNT), HOME, first_offset=first)
                for number, record in enumerate(records):
                    record.timestamp = _TIME + number
                sink.put(records)
                sink.commit()
                end, promises = sink.committed(HOME), list(sink.promises)
            found = ledger.reconcile(endpoint.driver.read_back())
        for offset in (promise.offsets.get(HOME) for promise in promises):
            if offset is not None and (type(offset) is not int or offset > first + _COUNT):
                raise CheckFailedError(
                    expected=f"no offset above {first + _COUNT}",
                    observed=f"commit {offset!r}",
                    scenario=scenario,
                    likely="an offset is stored as a float, which has 53 bits",
                )
        if found.lost or found.foreign:
            raise CheckFailedError(
                expected=f"all {found.entered} values",
                observed=str(found),
                scenario=scenario,
                likely="offsets are compared wrongly, so new records are considered old",
            )
        return end


@registered
class LargeOffsetsAreResumed(Check):
    """Large stored positions are read exactly."""

    id = "SRC-OFF-16"
    level = Level.C3
    wave = 2
    title = "A stored offset beyond 32 and 53 bits is read exactly"
    why = "If a large position is read as missing, everything is delivered again."
    mend = "Read stored numbers as 64-bit integers, never as a narrower type."
    gate = "RESUME"
    origin = "debezium#7900"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Resume far ahead of everything, with numbers that fit and with larger ones.

        What a source makes of a place that it does not have is its own affair: an error, nothing,
        or a beginning. It has to make the same of every such place.
        """
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(_COUNT))
            config = bench.config(endpoint)
            with running_source(bench, config, SourceContext()) as task:
                stored = positions_after(bench, poll_values(task, _COUNT))
            if not any(_is_number(v) for _, offset in stored for v in offset.values()):
                raise NotApplicableError("no stored offset contains a number")
            usual = self._given(bench, config, stored, _FAR)
            for ahead in _FARTHER:
                given = self._given(bench, config, stored, ahead)
                if given and not usual:
                    raise CheckFailedError(
                        expected=f"no records, as from an offset that is {_FAR} ahead",
                        observed=f"{given} records again",
                        scenario=f"resumed from an offset that is {ahead} ahead of the last one",
                        likely="a number of more than four bytes is misread",
                    )
        return Evidence(1 + len(_FARTHER))

    @staticmethod
    def _given(
        bench: Bench,
        config: Mapping[str, str],
        stored: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]],
        ahead: int,
    ) -> int:
        """How many records come from a place so far ahead; none if it is refused."""
        places = [
            (partition, {k: v + ahead if _is_number(v) else v for k, v in offset.items()})
            for partition, offset in stored
        ]
        with suppress(Exception), running_source(bench, config, SourceContext(places)) as task:
            return len(task.take(1, _GLANCE_S, answering=False))
        return 0


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@registered
class PositionsAreWholeNumbers(Check):
    """Positions in source offsets are no floating-point numbers."""

    id = "SRC-OFF-19"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "Counted positions in source offsets are whole numbers, not floating-point ones"
    why = "A double skips numbers beyond 2^53, and another reader of the offset may refuse 7.0."
    mend = "Store positions as int, or as text; convert what the endpoint returns as a float."
    gate = "RESUME"
    origin = "jdbc#96"

    def run(self, bench: Bench) -> Evidence:
        """Read some values; look for fields of their offsets that count in floats."""
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(seeds(bench, _COUNTED))
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                places = [position(record) for record in poll_values(task, _COUNTED)]
        fields: dict[str, set[object]] = {}
        for _, offset in places:
            for name, value in offset.items():
                fields.setdefault(name, set()).add(value if _is_plain(value) else repr(value))
        for name, values in fields.items():
            if len(values) > 1 and all(map(_counts_in_floats, values)):
                raise CheckFailedError(
                    expected=f"whole numbers or text as {name}",
                    observed=", ".join(sorted(map(repr, values))[:3]),
                    scenario=f"the source offsets of {len(places)} records",
                    likely="a position goes through a float",
                )
        return Evidence(len(places))


def _counts_in_floats(value: object) -> bool:
    """Whether a value is a float that counts; a moment may have a fraction of a second."""
    return isinstance(value, float) and value.is_integer() and abs(value) < _MOMENTS


def _is_plain(value: object) -> bool:
    return isinstance(value, int | float | str)
