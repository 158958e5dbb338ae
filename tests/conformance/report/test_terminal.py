"""The summary on a terminal reads as the conformance rules word it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from plugwright_conformance.report import print_summary

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "summary.txt"


def printed(results, directory=None, encoding="utf-8", **more):
    """What the summary prints on a console 80 columns wide."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_summary(results, Console(file=file, width=80, **more), directory)
    file.flush()
    return raw.getvalue().decode(encoding)


def test_summary_equals_the_golden_file(results):
    """Counts, failures, level, what stands in the way and where the report is."""
    assert printed(results, Path("build/certification")) == GOLDEN.read_text("utf-8")


def test_lines_fit_the_terminal_except_commands(results):
    """Long findings wrap under their label; a command stays whole to be copied."""
    replay = "plugwright replay SNK-OFF-02 --seed 7f3c " + "--event 23 " * 10
    failed = replace(results.results[2], title="", observed="word " * 60, replay=replay.strip())

    lines = printed(replace(results, results=(failed,))).splitlines()

    assert [line for line in lines if len(line) > 80] == [f" replay     {replay.strip()}"]


def test_partial_run_says_why_there_is_no_level(results):
    """A selection never looks like a verdict."""
    lines = printed(replace(results, results=results.results[:2])).splitlines()

    assert "level      no level" in lines
    assert any(line.startswith("next       the run contains 2 of the") for line in lines)


def test_failures_come_before_errors(results):
    """What the plugin did wrong leads; catalogue order decides among equals."""
    text = printed(replace(results, results=tuple(reversed(results.results))))

    assert text.index("FAIL SNK-OFF-02") < text.index("ERROR CON-DLV-03")


def test_without_directory_no_report_is_named(results):
    """Nothing is promised that was not written."""
    assert "report" not in printed(results)


def test_hostile_text_reaches_no_terminal(hostile):
    """Escape sequences of a plugin are shown, not obeyed."""
    text = printed(hostile)

    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text) is None
    assert r"\x1b[2J\x00\x07<script" in text


def test_hostile_text_starts_no_line(hostile):
    """A line feed in a claim cannot fake a line of the summary."""
    assert not any(line.startswith("PASS") for line in printed(hostile).splitlines())


def test_square_brackets_are_no_markup(hostile):
    """What looks like rich's markup stands as it was written."""
    assert "]]>[red]" in printed(hostile)


def test_no_color_is_honoured(results, monkeypatch):
    """https://no-color.org: no colour code, whatever the terminal can do."""
    monkeypatch.setenv("NO_COLOR", "1")

    assert re.search("\x1b\\[[0-9;]*3[0-7]m", printed(results, force_terminal=True)) is None


def test_colour_is_used_on_a_terminal(results, monkeypatch):
    """With colours allowed a failure is red."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = printed(results, force_terminal=True, color_system="standard")

    assert "\x1b[1;31mFAIL SNK-OFF-02" in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_narrow_encodings_do_not_stop_the_summary(results, encoding):
    """A terminal without UTF-8 gets escapes instead of an error."""
    odd = replace(results.results[2], observed="→ 你好")

    assert r"\u2192 \u4f60\u597d" in printed(replace(results, results=(odd,)), encoding=encoding)
