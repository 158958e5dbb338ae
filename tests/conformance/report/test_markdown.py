"""``summary.md`` reads as text wherever Markdown is shown."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from plugwright_conformance.report import MarkdownReport

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "summary.md"


def written(results):
    """The summary as text."""
    return MarkdownReport().render(results).decode()


def test_summary_equals_the_golden_file(results):
    """Verdict, groups, failures first among the checks."""
    assert written(results) == GOLDEN.read_text("utf-8")


def test_hostile_text_stays_text(hostile):
    """No tag, no link, no table cell, no line of its own."""
    text = written(hostile)

    assert re.findall(r"(?<!\\)[<\[]", text) == []
    assert "\x1b" not in text
    assert "\\<script src=//evil\\>x\\</script\\>" in text


def test_table_keeps_its_columns(results):
    """A bar in the name of a group does not open a third."""
    odd = replace(results, results=(replace(results.results[0], group="a|b"),))

    assert "| a\\|b | 1 passed |" in written(odd)


@pytest.mark.parametrize(
    ("command", "shown"),
    [("a b", "`a b`"), ("a `b` ``c", "``` a `b` ``c ```")],
    ids=["plain", "backticks"],
)
def test_command_stays_whole(results, command, shown):
    """It can be copied, whatever is in it."""
    failed = replace(results.results[2], replay=command)

    assert f"- replay: {shown}\n" in written(replace(results, results=(failed,)))
