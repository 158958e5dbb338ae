"""The badge tells level, waivers and date, and nothing that a plugin could write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from plugwright_conformance.report import BadgeReport

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "badge.svg"


def drawn(results):
    """Label, colour and width of the badge."""
    root = ET.fromstring(BadgeReport().render(results))  # noqa: S314  # our own picture
    space = "{http://www.w3.org/2000/svg}"
    colour = root.findall(f".//{space}rect")[-1].get("fill")
    return root.get("aria-label"), colour, int(root.get("width"))


def test_badge_equals_the_golden_file(results):
    """One file, no font, no link, no script."""
    assert BadgeReport().render(results) == GOLDEN.read_bytes()


def test_level_waivers_and_date_are_reported(results):
    """In text, so that colour is not needed."""
    assert drawn(results)[:2] == ("plugwright: C1 Discoverable · 1 waived · 2026-03-01", "#1a6b3c")


def test_run_without_a_level_says_so(results):
    """A failure is red, what is only missing is grey."""
    passed = [r for r in results.results if r.outcome.value == "PASS"]
    short = replace(results, results=passed)

    assert drawn(short)[:2] == ("plugwright: no level · 2026-03-01", "#555b66")
    assert drawn(replace(results, catalogue={"C1": 9}))[1] == "#a3262b"


def test_empty_declaration_is_reported(results):
    """Nobody gets a quiet badge by declaring nothing (H23)."""
    bare = replace(results, plugin=replace(results.plugin, capabilities={}))

    assert "nothing declared" in drawn(bare)[0]


def test_picture_is_as_wide_as_its_text(results):
    """A longer text has a wider badge."""
    assert drawn(results)[2] > drawn(replace(results, results=results.results[:2]))[2]


@pytest.mark.parametrize("words", [b"script", b"evil", b"\x1b", b"href"])
def test_plugin_cannot_write_on_it(hostile, words):
    """Whatever it calls itself."""
    assert words not in BadgeReport().render(hostile)
