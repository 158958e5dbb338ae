"""A run that proves nothing says so in every report, and nowhere looks like a success."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import WRITERS, JsonReport, print_summary, read_json

REASON = "SNK-OFF-02 did not find the fault of the broken connector M007"


@pytest.fixture
def good(results):
    """A run in which everything passed."""
    passed = [replace(each, outcome=Outcome.PASS) for each in results.results]
    return replace(results, results=passed)


@pytest.fixture
def invalid(good):
    """The same run of a suite that has missed a fault."""
    return replace(good, invalid=REASON)


def test_it_has_neither_level_nor_badges(good, invalid):
    """Though every check has passed."""
    assert good.level() is not None
    assert (invalid.level(), invalid.badges()) == (None, ())


@pytest.mark.parametrize("writer", [w for w in WRITERS if w.file_name != "badge.svg"])
def test_every_report_says_it_and_names_no_level(writer, invalid):
    """For programs and for people."""
    text = writer.render(invalid).decode()

    assert "nvalid" in text
    assert REASON in text
    assert '<b>C1</b> Discoverable <small><span aria-hidden="true">✓' not in text


def test_the_badge_says_it_in_no_good_colour(invalid):
    """For whoever asks for one all the same."""
    (badge,) = [w for w in WRITERS if w.file_name == "badge.svg"]
    text = badge.render(invalid).decode()

    assert "plugwright: invalid run" in text
    assert "#1a6b3c" not in text


def test_a_build_server_counts_an_error(good, invalid):
    """One more than the checks, and the first."""
    (junit,) = [w for w in WRITERS if w.file_name == "junit.xml"]
    before, after = (
        ET.fromstring(junit.render(run)).find("testsuite")  # noqa: S314  # the suite's own output
        for run in (good, invalid)
    )

    assert int(after.get("tests")) == int(before.get("tests")) + 1
    assert (before.get("errors"), after.get("errors")) == ("0", "1")
    case = after.find("testcase")
    assert (case.get("name"), REASON in case.find("error").get("message")) == (
        "the run is valid",
        True,
    )


def test_the_terminal_says_it(invalid):
    """In place of the level."""
    text = io.StringIO()
    print_summary(invalid, Console(file=text, width=200))

    assert "level      invalid run" in text.getvalue()
    assert f"next       invalid run: {REASON}" in text.getvalue()


def test_it_is_read_back(good, invalid):
    """A valid run has no such key, as before there was one."""
    written = JsonReport().render(invalid)

    assert read_json(written).invalid == REASON
    assert "invalid" not in json.loads(JsonReport().render(good))
    assert read_json(JsonReport().render(good)).invalid == ""
