"""The check of what a sink does with the headers of a record (catalogue 3.5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.record import TopicPartition
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._hand_driven import running_sink
from plugwright_conformance.checks._types import compare, short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Severity
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

__all__ = ["HeadersFollowDeclaration", "put_with_headers"]

_HOME = TopicPartition(TOPIC, 0)
_HEADERS = (("origin", "one"), ("origin", "two"), ("nothing", None), ("raw", b"\x00\xff"))
"""A name that occurs twice, a null, and bytes that are no text."""


def put_with_headers(bench: Bench, endpoint: OpenEndpoint, values: Sequence[str]) -> None:
    """Have a fresh task write the values, each of them with every kind of header."""
    records = sink_records(values, _HOME)
    for record in records:
        for name, value in _HEADERS:
            if isinstance(value, bytes):
                record.headers.add_bytes(name, value)
            else:
                record.headers.add_string(name, value)
    with running_sink(bench, bench.config(endpoint), [_HOME]) as task:
        task.put(records)
        task.pre_commit({_HOME: len(records)})


@registered
class HeadersFollowDeclaration(Check):
    """Headers are data, or they are not: the user has to know."""

    id = "SNK-TYP-08"
    revision = 2
    severity = Severity.SHOULD
    level = Level.C2
    wave = 2
    title = "Headers are stored or ignored as declared"
    why = "Tracing and routing data is lost without a word, or turns up among the values."
    mend = "Store names and values in their order, or leave headers out, as conformance.toml says."
    gate = "HDR"
    origin = "K-dev"

    def run(self, bench: Bench) -> Evidence:
        """Put values with a repeated name, a null and bytes; compare values and headers."""
        policy = bench.subject.declaration.headers
        with bench.endpoint() as endpoint:
            values = bench.ledger().enter(3)
            put_with_headers(bench, endpoint, values)
            found = endpoint.driver.read_back()
            compare(bench, values, found, f"put with headers, which are {policy}")
            if policy == "stored":
                self._must_have_headers(endpoint, len(values))
        return Evidence(len(values) * (1 + len(_HEADERS)))

    @staticmethod
    def _must_have_headers(endpoint: OpenEndpoint, count: int) -> None:
        found = endpoint.driver.hook("read_headers")
        if found is None:
            raise CheckFailedError(
                expected="headers of every value, from the endpoint driver",
                observed="a driver without read_headers()",
                scenario='headers = "stored" is declared',
                mend="Write read_headers() in the endpoint driver, or do not declare headers.",
            )
        seen = [[tuple(pair) for pair in each] for each in found]
        if seen != [list(_HEADERS)] * count:
            wrong = next((each for each in seen if each != list(_HEADERS)), seen)
            raise CheckFailedError(
                expected=f"{count} values with {short(_HEADERS)}",
                observed=f"{len(seen)}, such as {short(wrong)}",
                scenario="put by the task, read at the endpoint",
                likely="headers are kept in a map, so that a name occurs once",
            )
