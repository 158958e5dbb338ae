"""Check of sources whose file is not there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import running_source
from plugwright_conformance.checks._text_files import text_file
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from plugwright_conformance.catalogue.bench import Bench

_POLLS = 3


@registered
class MissingFilesAreWaitedFor(Check):
    """A file that is not there yet causes no error but Connect's."""

    id = "SRC-ERR-05"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C2
    wave = 3
    title = "A file that is not there yet is waited for, or refused with a Connect error"
    why = "Files come late and are rotated; an AttributeError does not tell an operator which one."
    mend = "Return nothing until the file is there, or raise ConnectError with its name."
    origin = "K-dev FileStreamSource"

    def run(self, bench: Bench) -> Evidence:
        """Take the file away, start and poll, put it back, and poll again.

        Whether its values are read then is not judged: a connector may look for files only at its
        own start.
        """
        with bench.endpoint() as endpoint:
            path = text_file(bench, endpoint).path
            try:
                self._read(bench, bench.config(endpoint), path)
            except ConnectError:
                return Evidence(1)
            except Exception as error:
                raise CheckFailedError(
                    expected="a wait, or a Connect error",
                    observed=f"{type(error).__name__}: {error}",
                    scenario="the file was not there when the task began",
                    likely="what could not be opened is read all the same",
                ) from error
        return Evidence(_POLLS)

    @staticmethod
    def _read(bench: Bench, config: Mapping[str, str], path: Path) -> None:
        away = path.rename(bench.directory() / path.name)
        with running_source(bench, config, SourceContext()) as task:
            for _ in range(_POLLS):
                task.step()
            away.rename(path)
            for _ in range(_POLLS):
                task.step()
