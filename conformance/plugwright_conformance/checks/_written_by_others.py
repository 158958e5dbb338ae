"""Checks of sources whose data changes while they read."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import poll_values, running_source
from plugwright_conformance.checks._text_files import TextFile, text_file
from plugwright_conformance.checks.log_lines import own_lines
from plugwright_conformance.checks.order import positions_after
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSource
    from plugwright_conformance.subject.endpoint import Endpoint, OpenEndpoint

_TEXT = "written in pieces \U0001f9ea to the end"


def _replace(file: TextFile) -> None:
    begun = file.path.with_name(f"{file.path.name}.new")
    begun.write_bytes(file.shown("new"))
    begun.replace(file.path)


def _rewrite(file: TextFile) -> None:
    file.path.write_bytes(file.shown("new"))


class _Way(NamedTuple):
    """A way to make a file shorter."""

    name: str
    shorten: Callable[[TextFile], None]


_WAYS = (
    _Way("the file was replaced by a shorter one", _replace),
    _Way("the file was cut and written anew, shorter,", _rewrite),
)


@registered
class ValuesAreReadWhole(Check):
    """A value is read only when it is complete."""

    id = "SRC-TYP-11"
    revision = 2
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "A value that is still being written is not read"
    why = "Programs write in blocks; reading a partial line yields two wrong values."
    mend = "Accept a value only with its terminator; otherwise read it again at the next poll."

    def run(self, bench: Bench) -> Evidence:
        """Append a value in two pieces, cut in each kind of place, and poll in between.

        In between, another task of the class reads what is its own.
        """
        with bench.endpoint() as endpoint:
            file = text_file(bench, endpoint)
            with running_source(bench, bench.config(endpoint), SourceContext()) as task:
                records = poll_values(task, len(file.values))
                seen = {endpoint.driver.seeded(record.value) for record in records}
                if seen != set(file.values):
                    raise NotApplicableError("records contain more than the seeded values")
                shown = file.shown(_TEXT)
                cuts = (len(file.before) + 1, shown.find(b"\xf0") + 1, len(shown) - 1)
                for cut in cuts:
                    pieces = shown[:cut], shown[cut:]
                    self._in_two_pieces(task, endpoint.driver, file, pieces, partial(_other, bench))
        return Evidence(len(cuts))

    @staticmethod
    def _in_two_pieces(
        task: SteppedSource,
        driver: Endpoint,
        file: TextFile,
        pieces: tuple[bytes, bytes],
        between: Callable[[], None],
    ) -> None:
        first, last = pieces
        try:
            file.append(first)
            found = poll_values(task, 0)
            between()
            file.append(last)
            found += poll_values(task, 1 - len(found), settle=False)
            texts = [driver.seeded(record.value) for record in found]
            observed = ", ".join(map(short, texts)) or "nothing"
        except (ConnectError, CheckFailedError) as error:
            texts, observed = [], f"{type(error).__name__}: {error}"
        if texts != [_TEXT]:
            raise CheckFailedError(
                expected=f"one record, {short(_TEXT)}",
                observed=observed,
                scenario=f"half of it was written, up to byte {len(first)}, then the rest, and "
                "another task of the class read in between",
                likely="the current end of the file is treated as the end of a value, or what "
                "was read so far belongs to the class",
            )


def _other(bench: Bench) -> None:
    """Another task of the class, from its start to its end, at an endpoint of its own."""
    with bench.endpoint() as endpoint:
        endpoint.driver.seed(bench.ledger().enter(1))
        with running_source(bench, bench.config(endpoint), SourceContext()) as task:
            poll_values(task, 1)


@registered
class PurgedDataIsNoticed(Check):
    """A task whose data was deleted reports it or starts over."""

    id = "SRC-OFF-09"
    revision = 2
    level = Level.C3
    wave = 2
    title = "An offset that points to deleted data is not ignored silently"
    why = "Files are rotated; a source that waits at its old position is silent for days."
    mend = "Compare the position with the size; start over, or raise ConnectError with both."
    origin = "G-OffSrc; NEW"

    def run(self, bench: Bench) -> Evidence:
        """Make the file shorter, before the eyes of a task and between two tasks.

        Another file takes its name, or it is cut and written anew, as ``copytruncate`` does.
        """
        for way in _WAYS:
            with bench.endpoint() as endpoint, own_lines(bench, logging.WARNING) as noise:
                self._shorten(bench, endpoint, way, noise)
        return Evidence(2 * len(_WAYS))

    def _shorten(
        self, bench: Bench, endpoint: OpenEndpoint, way: _Way, noise: list[logging.LogRecord]
    ) -> None:
        file = text_file(bench, endpoint)
        config = bench.config(endpoint)
        try:
            with running_source(bench, config, SourceContext()) as task:
                records = poll_values(task, len(file.values))
                way.shorten(file)
                self._must_notice(task, noise, f"{way.name} while the task ran")
        except ConnectError:
            noise.clear()
        stored = positions_after(bench, records)
        with suppress(ConnectError), running_source(bench, config, SourceContext(stored)) as task:
            self._must_notice(task, noise, f"{way.name} before the task started")

    @staticmethod
    def _must_notice(task: Any, noise: Sequence[logging.LogRecord], scenario: str) -> None:
        try:
            poll_values(task, 1)
        except CheckFailedError as error:
            if not noise:
                raise CheckFailedError(
                    expected="the new values, a Connect error, or a warning",
                    observed="none of them during all polls",
                    scenario=scenario,
                    likely="it waits until the file grows beyond the old position",
                ) from error
