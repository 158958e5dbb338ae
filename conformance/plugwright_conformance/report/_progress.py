"""Progress output while checks run: a live line on terminals, plain lines elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, Self

from plugwright_conformance.report._terminal import (
    STYLES,
    print_certificate,
    print_summary,
    printable,
)
from plugwright_conformance.report.neutral import one_line
from plugwright_conformance.report.wording import WORDS, failure_heading, span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Progress, TaskID
    from rich.text import Text

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report._note import CertificateNote
    from plugwright_conformance.report.results import RunResults

_DESCRIPTION_WIDTH = 60
_WORD_WIDTH = max(map(len, WORDS.values()))


class RunListener(Protocol):
    """Receives the progress of a run, on the thread that runs it."""

    def started(self, plugin_name: str, total: int) -> None:
        """A run of ``total`` checks over one plugin begins."""

    def phase(self, text: str) -> None:
        """The run does something other than a check, such as starting Kafka."""

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        """A check begins."""

    def check_finished(self, result: CheckResult) -> None:
        """A check ended."""

    def finished(self, results: RunResults, directory: Path | None) -> None:
        """The run has ended; its reports, if any, are in ``directory``."""


class ProgressReporter:
    """Shows progress and the summary on consoles; a context manager.

    On an interactive terminal one line is updated, with failures printed above it. Elsewhere, on a
    dumb terminal, and if the environment variable ``CI`` is set, every finished check prints one
    line. Leaving the context always restores the terminal; one reporter may serve several runs.
    """

    def __init__(
        self,
        console: Console | None = None,
        progress: Console | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Choose the view.

        Args:
            console: for the summary, standard output by default.
            progress: for progress, standard error by default.
            environ: the environment variables, those of the process by default.
        """
        from rich.console import Console  # noqa: PLC0415  # an extra's package

        self._console = console or Console()
        err = progress or Console(stderr=True)
        live = err.is_interactive and not (os.environ if environ is None else environ).get("CI")
        self._view: RunListener = _LiveView(err) if live else _PlainView(err)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Restore the terminal; the second call does nothing."""
        if isinstance(self._view, _LiveView):
            self._view.stop()

    def started(self, plugin_name: str, total: int) -> None:
        """Start to show a run of ``total`` checks."""
        self._view.started(plugin_name, total)

    def phase(self, text: str) -> None:
        """Show an activity outside of checks."""
        self._view.phase(text)

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        """Show the check as running."""
        self._view.check_started(id, title)

    def check_finished(self, result: CheckResult) -> None:
        """Count the check and show how it ended."""
        self._view.check_finished(result)

    def finished(self, results: RunResults, directory: Path | None) -> None:
        """Clear the progress and print the summary."""
        self._view.finished(results, directory)
        print_summary(results, self._console, directory)

    def certified(self, file: Path, note: CertificateNote) -> None:
        """Print the certificate's path and signer below the summary."""
        print_certificate(file, note, self._console)


class _PlainView:
    """One line per finished check, suitable for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._total = 0
        self._done = 0

    def started(self, plugin_name: str, total: int) -> None:
        self._total, self._done = total, 0
        self._say(f"{one_line(plugin_name)}: {total} checks")

    def phase(self, text: str) -> None:
        self._say(f"- {one_line(text)}")

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        pass

    def check_finished(self, result: CheckResult) -> None:
        self._done += 1
        width = len(str(self._total))
        place = f"[{self._done:>{width}}/{self._total}]"
        claim = one_line(f"{result.label} {result.title}")
        how = f"{WORDS[result.outcome]:<{_WORD_WIDTH}}"
        self._say(f"{place} {how}  {claim} ({span(result.duration_s)})", STYLES[result.outcome])

    def finished(self, results: RunResults, directory: Path | None) -> None:
        pass

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(_text(text, self._console, style), soft_wrap=True)


class _LiveView:
    """One updating line; problems are printed above it and stay."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def started(self, plugin_name: str, total: int) -> None:
        bar = self._shown()
        if self._task is not None:
            bar.remove_task(self._task)
        self._task = bar.add_task(self._describe(plugin_name), total=total)

    def phase(self, text: str) -> None:
        self._tell(text)

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        self._tell(f"{id}  {title}")

    def check_finished(self, result: CheckResult) -> None:
        bar = self._shown()
        if self._task is not None:
            bar.advance(self._task)
        if not result.outcome.fulfils:
            line = f"{one_line(failure_heading(result))}  {one_line(result.title)}"
            bar.console.print(_text(line, self._console, STYLES[result.outcome]), soft_wrap=True)

    def finished(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Clear the line and show the cursor again."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = None

    def _tell(self, text: str) -> None:
        bar = self._shown()
        if self._task is None:
            self._task = bar.add_task(self._describe(text), total=None)
        else:
            bar.update(self._task, description=self._describe(text))

    def _describe(self, text: str) -> str:
        return printable(one_line(text), self._console)[:_DESCRIPTION_WIDTH]

    def _shown(self) -> Progress:
        if self._bar is None:
            self._bar = _bar(self._console)
            self._bar.start()
        return self._bar


def _bar(console: Console) -> Progress:
    from rich import progress  # noqa: PLC0415  # an extra's package

    return progress.Progress(
        progress.SpinnerColumn("line"),
        progress.BarColumn(24),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        # Not markup: a title may contain square brackets.
        progress.TextColumn("{task.description}", markup=False),
        console=console,
        transient=True,
    )


def _text(text: str, console: Console, style: str = "") -> Text:
    from rich.text import Text  # noqa: PLC0415  # an extra's package

    return Text(printable(text, console), style)
