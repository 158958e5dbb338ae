"""Check of how a sink handles record headers."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import put_all
from plugwright_conformance.checks.value_types import compare, short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Severity
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_HEADERS: tuple[tuple[tuple[str, str | bytes | None], ...], ...] = (
    (("origin", "one"), ("origin", "two"), ("nothing", None), ("raw", b"\x00\xff")),
    (),
    (("other", "three"), ("bare", "without schema"), ("", "")),
)
"""Of one record after the other: a name that occurs twice, a null, bytes that are no text; none;
others than before, a name and a value that are empty, and a value that has no schema."""


def put_with_headers(bench: Bench, endpoint: OpenEndpoint, values: Sequence[str]) -> None:
    """Write the values with a new task, with different headers for each record."""
    records = sink_records(values, HOME)
    for record, headers in zip(records, cycle(_HEADERS), strict=False):
        for name, value in headers:
            if isinstance(value, bytes):
                record.headers.add_bytes(name, value)
            elif name == "bare":
                record.headers.add(name, value)
            else:
                record.headers.add_string(name, value)
    put_all(bench, bench.config(endpoint), HOME, records)


@registered
class HeadersFollowDeclaration(Check):
    """Headers are handled as declared."""

    id = "SNK-TYP-08"
    revision = 3
    severity = Severity.SHOULD
    level = Level.C2
    wave = 2
    title = "Headers are stored or ignored as declared"
    why = "Tracing and routing data is lost silently, or ends up among the values."
    mend = "Store names and values in order, or ignore headers, as conformance.toml declares."
    gate = "HDR"
    origin = "K-dev"

    def run(self, bench: Bench) -> Evidence:
        """Put values whose headers are of every kind and differ; compare values and headers."""
        policy = bench.subject.declaration.headers
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(2 * len(_HEADERS))
            self._put(bench, endpoint, values)
            found = endpoint.driver.read_back()
            compare(bench, values, found, f"put with headers, which are {policy}")
            if policy == "stored":
                self._must_have_headers(endpoint, values, found)
        return Evidence(len(values) + 2 * sum(map(len, _HEADERS)))

    @staticmethod
    def _put(bench: Bench, endpoint: OpenEndpoint, values: Sequence[str]) -> None:
        try:
            put_with_headers(bench, endpoint, values)
        except Exception as error:
            raise CheckFailedError(
                expected="the values stored, regardless of their headers",
                observed=f"{type(error).__name__}: {error}",
                scenario=f"one record after the other with {short(_HEADERS)}",
                likely="headers are assumed to be uniform, or to have a schema or a value",
            ) from error

    @staticmethod
    def _must_have_headers(
        endpoint: OpenEndpoint, values: Sequence[str], found: Sequence[Any]
    ) -> None:
        stored = endpoint.driver.hook("read_headers")
        if stored is None:
            raise CheckFailedError(
                expected="headers of every value, from the endpoint driver",
                observed="a driver without read_headers()",
                scenario='headers = "stored" is declared',
                mend="Implement read_headers() in the endpoint driver, or do not declare headers.",
            )
        seen = dict(zip(found, ([tuple(pair) for pair in each] for each in stored), strict=False))
        for value, headers in zip(values, cycle(_HEADERS), strict=False):
            if seen.get(value) != list(headers):
                raise CheckFailedError(
                    expected=f"a value with the headers {short(headers)}",
                    observed=short(seen.get(value)),
                    scenario="put by the task, read at the endpoint",
                    likely="headers are kept in a map, which holds each name once",
                )
