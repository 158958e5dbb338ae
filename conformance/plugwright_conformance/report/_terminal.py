"""The summary of a run on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import wording
from plugwright_conformance.report._durations import durations_line
from plugwright_conformance.report.engines import engines_line
from plugwright_conformance.report.neutral import clip, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report._note import CertificateNote
    from plugwright_conformance.report.results import RunResults

STYLES: Mapping[Outcome, str] = {
    Outcome.PASS: "green",
    Outcome.FAIL: "bold red",
    Outcome.ERROR: "bold magenta",
    Outcome.NOT_RUN: "blue",
    Outcome.WAIVED: "yellow",
    Outcome.NOT_APPLICABLE: "dim",
}
"""The colour of each outcome; rich omits it without a terminal or with NO_COLOR."""

_LABEL_WIDTH = 11
_FIELD_LIMIT = 2000
_NARROWEST = 24


def print_summary(results: RunResults, console: Console, directory: Path | None = None) -> None:
    """Print counts by group, every failure, the level, and what the next level requires.

    Args:
        results: the run.
        console: the output, whose width determines line breaks.
        directory: where the reports were written, or ``None`` to name none.
    """
    _print_title(results, console)
    _print_groups(results, console)
    for result in wording.worst_first(results.failed):
        _print_failure(result, console)
    console.print()
    for label, text in _verdict(results, directory):
        _print_row(label, text, console, indent="", whole=label == "report")


def print_certificate(file: Path, note: CertificateNote, console: Console) -> None:
    """Print the certificate's path, its signer, and the command that verifies it."""
    signer = f"signed by {note.fingerprint}" if note.fingerprint else "unsigned"
    _print_row("certified", f"{file}, {signer}", console, indent="", whole=True)
    if note.controls:
        _print_row("controls", note.controls, console, indent="", whole=False)
    if note.fingerprint:
        _print_row("verify", note.command, console, indent="", whole=True)


def printable(text: str, console: Console) -> str:
    """The text without control characters, and with escapes for what the console cannot encode."""
    encoding = console.encoding
    return visible(text).encode(encoding, "backslashreplace").decode(encoding)


def _print_title(results: RunResults, console: Console) -> None:
    plugin = results.plugin
    name = one_line(f"{plugin.name} {plugin.version}")
    about = one_line(
        f"{plugin.type}, {plugin.plugin_class}, sha256 {wording.short_digest(plugin.digest)}"
    )
    _print(console, (name, "bold"), (f"  ({about})", "dim"))
    console.print()


def _print_groups(results: RunResults, console: Console) -> None:
    groups = {one_line(name): checks for name, checks in wording.by_group(results.results).items()}
    width = max((len(name) for name in groups), default=0)
    for name, checks in groups.items():
        counts = wording.tally(checks)
        passed = f"{counts.get(Outcome.PASS, 0):>3} of {len(checks)} passed"
        _print(console, (f" {name:<{width}} ", ""), (passed, ""), *_others(counts))


def _others(counts: Mapping[Outcome, int]) -> Iterable[tuple[str, str]]:
    for outcome, count in counts.items():
        if outcome is not Outcome.PASS:
            yield f", {count} {wording.WORDS[outcome]}", STYLES[outcome]


def _print_failure(result: CheckResult, console: Console) -> None:
    console.print()
    heading = one_line(wording.failure_heading(result))
    _print(console, (heading, STYLES[result.outcome]), (f"  {one_line(result.title)}", "bold"))
    for label, text in wording.failure_rows(result):
        _print_row(label, text, console, indent=" ", whole=label == "replay")


def _verdict(results: RunResults, directory: Path | None) -> Sequence[tuple[str, str]]:
    rows = [
        ("checks", f"{wording.in_words(results.results)} in {wording.span(results.duration_s)}"),
        *(("not run", reason) for reason in wording.reasons_not_run(results.results)),
        ("engines", engines_line(results)),
        ("level", wording.headline(results)),
        ("profile", wording.profile_note(results)),
        ("time", durations_line(results)),
        ("badges", ", ".join(results.badges())),
        *(("waived", f"{w.id} until {w.expires}: {w.reason}") for w in results.waivers),
        ("next", wording.why_not_more(results) + (_names(results) if results.complete else "")),
    ]
    rows = [(label, text) for label, text in rows if text]
    return [*rows, ("report", str(directory / "report.html"))] if directory else rows


def _names(results: RunResults) -> str:
    named = ", ".join(f"{r.label} ({wording.WORDS[r.outcome]})" for r in results.obstacles())
    return f": {named}" if named else ""


def _print_row(label: str, text: str, console: Console, *, indent: str, whole: bool) -> None:
    """One labelled row; ``whole`` keeps it on one line, for commands and paths to be copied."""
    lead = f"{indent}{label:<{_LABEL_WIDTH}}"
    if whole:
        _print(console, (lead, "dim"), (one_line(text), ""))
        return
    for line in _wrapped(clip(text, _FIELD_LIMIT), console, len(lead)):
        _print(console, (lead, "dim"), (line.plain, ""))
        lead = " " * len(lead)


def _wrapped(text: str, console: Console, indent: int) -> Iterable[Text]:
    from rich.text import Text  # noqa: PLC0415  # an extra's package

    body = Text(printable(text, console).expandtabs(4))
    return body.wrap(console, max(console.width - indent, _NARROWEST))


def _print(console: Console, *parts: tuple[str, str]) -> None:
    from rich.text import Text  # noqa: PLC0415  # an extra's package

    line = Text.assemble(*((printable(text, console), style) for text, style in parts))
    line.rstrip()
    console.print(line, soft_wrap=True, highlight=False)
