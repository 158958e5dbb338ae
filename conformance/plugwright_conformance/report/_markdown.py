"""``summary.md``: the results for a merge request or a build page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.report import wording
from plugwright_conformance.report.engines import engine_table
from plugwright_conformance.report.neutral import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report._tables import Table
    from plugwright_conformance.report.results import RunResults

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#!~&@])")
_FIELD_LIMIT = 300


@dataclass(frozen=True, slots=True)
class MarkdownReport:
    """Writes verdict, counts by group and every failure with its replay command."""

    file_name: str = "summary.md"

    def render(self, results: RunResults) -> bytes:
        """The summary, with the plugin's text escaped."""
        blocks = ["\n".join(_verdict(results)), "\n".join(_groups(results))]
        blocks += ["\n".join(_engines(table)) for table in [engine_table(results)] if table.rows]
        blocks += ["\n".join(_failure(result)) for result in wording.worst_first(results.failed)]
        return ("\n\n".join(blocks) + "\n").encode()


def _verdict(results: RunResults) -> Iterable[str]:
    plugin = results.plugin
    yield f"## {_text(plugin.name)} {_text(plugin.version)}: {wording.headline(results)}"
    yield ""
    digest = wording.short_digest(plugin.digest)
    yield f"{_text(plugin.type)} {_text(plugin.plugin_class)}, sha256 {digest}"
    yield f"in {wording.span(results.duration_s)}. Next level: {wording.why_not_more(results)}."
    if note := wording.profile_note(results):
        yield f"The level covers {_text(note)}."
    if badges := results.badges():
        yield f"Badges: {', '.join(badges)}."
    for waiver in results.waivers:
        yield f"Waived until {_text(waiver.expires)}: {_text(waiver.id)}, {_text(waiver.reason)}."


def _groups(results: RunResults) -> Iterable[str]:
    yield "| group | checks |"
    yield "|---|---|"
    for name, checks in wording.by_group(results.results).items():
        counts = ", ".join(
            f"{count} {wording.WORDS[o]}" for o, count in wording.tally(checks).items()
        )
        yield f"| {_text(name)} | {counts} |"


def _engines(table: Table) -> Iterable[str]:
    yield f"| check | {' | '.join(table.columns)} |"
    yield f"|{'---|' * (len(table.columns) + 1)}"
    for row in table.rows:
        yield f"| {' | '.join([row.head, *(place.text for place in row.places)])} |"


def _failure(result: CheckResult) -> Iterable[str]:
    yield f"### {_text(wording.failure_heading(result))}"
    yield ""
    yield f"{_text(result.title)}"
    yield ""
    for label, text in wording.failure_rows(result):
        if label == "replay":
            yield f"- {label}: {_code(text)}"
        else:
            yield f"- {label}: {_text(text[:_FIELD_LIMIT])}"


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", one_line(text))


def _code(text: str) -> str:
    """The text as inline code, even if it contains backticks (CommonMark, section 6.1)."""
    line = one_line(text)
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"{fence}{line}{fence}"
