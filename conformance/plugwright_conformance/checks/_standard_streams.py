"""Checks of connectors that use standard input or output by default."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from unittest.mock import patch

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SINK_ONLY, SOURCE_ONLY
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._config import errors_by_key
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_sink, running_source
from plugwright_conformance.checks.order import keeps_order
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
)
from plugwright_conformance.simulator import SimulatedCheck
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import ExperimentFactory

_VALUES = [f"value {number}" + ("" if number % 2 else " é中") for number in range(8)]
_POLLS = 3
_NEEDED = "the settings that name the endpoint are required, or have defaults"


def _without_place(bench: Bench) -> dict[str, str]:
    """The configuration without the settings that lead to the endpoint.

    Raises:
        NotApplicableError: if one of them is required, or stands for a place of its own.
    """
    keys = bench.connector().config().keys
    with bench.endpoint() as endpoint:
        config = bench.config(endpoint)
        places = [keys[name] for name in endpoint.settings if name in keys]
    rest = {name: value for name, value in config.items() if name not in endpoint.settings}
    optional = all(key.default_value in {None, ""} for key in places)
    if not places or not optional or errors_by_key(bench, rest):
        raise NotApplicableError(_NEEDED)
    return rest


@registered
class StandardOutputHasEverything(SimulatedCheck):
    """Values printed to standard output are complete at the commit."""

    id = "SNK-TYP-17"
    revision = 2
    kinds = SINK_ONLY
    level = Level.C3
    wave = 2
    title = "A sink without a configured target prints every value once, before the commit"
    why = "Users try this first; values left in a buffer are lost at the end."
    mend = "Write every value to sys.stdout, and flush it in put() or flush()."
    origin = "K-dev FileStreamSink"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Set no place, and read what is printed by the time of the commit."""
        bench, place = factory.bench, os.getcwd()  # noqa: PTH109  # as text, to go back to
        config, directory = _without_place(bench), bench.directory()
        try:
            os.chdir(directory)
            lines, in_the_end = self._printed(bench, config)
        finally:
            os.chdir(place)
        if made := sorted(path.name for path in directory.iterdir()):
            raise self._failure("nothing in the working directory", ", ".join(made))
        if not set(in_the_end) & set(_VALUES):
            raise NotApplicableError("without these settings the sink prints nothing")
        found = [line for line in lines if line in _VALUES]
        if (found if keeps_order(bench) else sorted(found)) != _VALUES:
            observed = f"{len(found)} lines, {len(set(found))} of them different"
            raise self._failure(f"{len(_VALUES)} values, each on a line of its own, once", observed)
        return Evidence(len(_VALUES))

    def _printed(self, bench: Bench, config: dict[str, str]) -> tuple[list[str], list[str]]:
        """The lines that are out when the values are committed, and those that are in the end."""
        with _standard_output() as printed:
            try:
                with running_sink(bench, config, [HOME]) as sink:
                    sink.put(sink_records(_VALUES, HOME))
                    sink.commit()
                    lines = printed()
                sys.stdout.flush()
                return lines, printed()
            except ConnectError as error:
                raise NotApplicableError(f"{_NEEDED}: {error}") from error
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                raise self._failure("the values printed, or a Connect error", words) from error

    @staticmethod
    def _failure(expected: str, observed: str) -> CheckFailedError:
        return CheckFailedError(
            expected=expected,
            observed=observed,
            scenario="no target was configured, and standard output was read at the commit",
            likely="standard output is not flushed, or treated as a file name",
        )


@contextmanager
def _standard_output() -> Iterator[Callable[[], list[str]]]:
    """Redirect standard output to a file; yields a function that reads its lines."""
    with tempfile.TemporaryFile() as kept:
        before = os.dup(1)
        os.dup2(kept.fileno(), 1)
        stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8", newline=""
        )

        def printed() -> list[str]:
            size = os.fstat(kept.fileno()).st_size
            return os.pread(kept.fileno(), size, 0).decode().split("\n")

        try:
            with patch.object(sys, "stdout", stream):
                yield printed
        finally:
            with suppress(OSError):
                stream.flush()
            os.dup2(before, 1)
            os.close(before)


@registered
class StandardInputIsRead(SimulatedCheck):
    """Values from standard input are read once."""

    id = "SRC-TYP-12"
    revision = 2
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "A source without a configured input reads standard input, each value once"
    why = "Users try this first, and lines typed once must not be read twice."
    mend = "Read descriptor 0 in chunks as they arrive, and do not treat its end as an error."
    origin = "K-dev FileStreamSource"

    def experiment(self, factory: ExperimentFactory) -> Evidence:
        """Set no place, send values in pieces, and compare the records with them."""
        bench = factory.bench
        config = _without_place(bench)
        with _standard_input() as send:
            try:
                with running_source(bench, config, SourceContext()) as source:
                    for number, value in enumerate(_VALUES):
                        cut = len(value) // 2 if number % 2 else 0
                        send(value[:cut])
                        for _ in range(_POLLS if cut else 0):
                            source.step()
                        send(f"{value[cut:]}\n")
                    records = source.take(len(_VALUES), PATIENCE_S)
            except ConnectError as error:
                raise NotApplicableError(f"{_NEEDED}: {error}") from error
        found = [str(record.value) for record in records]
        if not found:
            raise NotApplicableError("without these settings the source reads nothing")
        if found != _VALUES:
            raise CheckFailedError(
                expected=f"{len(_VALUES)} values, each once and in order",
                observed=f"{len(found)} records, {len(set(found) & set(_VALUES))} values of these",
                scenario="no input was configured, and values arrived on standard input in chunks",
                likely="a chunk is read twice, or the rest of a line is dropped",
            )
        return Evidence(len(_VALUES))


@contextmanager
def _standard_input() -> Iterator[Callable[[str], None]]:
    """Replace standard input with a pipe; yields a function that sends text."""
    reading, writing = os.pipe()
    before = os.dup(0)
    os.dup2(reading, 0)
    os.close(reading)
    stream = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8", newline="")
    try:
        with patch.object(sys, "stdin", stream):
            yield lambda text: _sent(writing, text)
    finally:
        os.close(writing)
        os.dup2(before, 0)
        os.close(before)


def _sent(descriptor: int, text: str) -> None:
    if text:
        os.write(descriptor, text.encode())
