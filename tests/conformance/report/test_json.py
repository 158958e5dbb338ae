"""``results.json`` says what the run found, byte for byte the same each time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import JsonReport

GOLDEN = Path(__file__).parents[2] / "golden" / "report"
PROMISED = (
    "id revision severity level outcome observations seed duration_s message replay title group"
    " expected observed scenario likely mend figures digest cells begun_s events engine"
)


def test_bytes_equal_the_golden_file(results):
    """The layout of the format is pinned; a change of it is a change of its version."""
    assert JsonReport().render(results) == (GOLDEN / "results.json").read_bytes()


def test_top_level_holds_the_promised_keys(results):
    """Programs find exactly what the format promises."""
    document = json.loads(JsonReport().render(results))

    assert sorted(document) == [
        "badges",
        "catalogue",
        "command",
        "complete",
        "duration_s",
        "environment",
        "format",
        "level",
        "obstacles",
        "plugin",
        "profile",
        "profile_note",
        "quality",
        "registry",
        "results",
        "seed",
        "selection",
        "setup_s",
        "started",
        "waivers",
        "why_not_more",
        "workers",
    ]


def test_each_result_holds_the_promised_keys(results):
    """Every line of the results has the same keys."""
    document = json.loads(JsonReport().render(results))

    assert {tuple(r) for r in document["results"]} == {tuple(sorted(PROMISED.split()))}


def test_verdict_is_reported_with_the_results(results):
    """Level, completeness and what is in the way are there to read."""
    document = json.loads(JsonReport().render(results))

    assert document["format"] == "plugwright-results/4"
    assert (document["level"], document["complete"]) == ("C1", True)
    assert document["obstacles"] == ["SNK-OFF-02", "CON-DLV-03"]


def test_no_level_is_null(results):
    """A run without a level has null, not a word."""
    document = json.loads(JsonReport().render(replace(results, results=results.results[:3])))

    assert (document["level"], document["complete"]) == (None, False)


def test_order_of_mappings_does_not_show(results):
    """Two runs with equal facts in another order give equal bytes."""
    turned = replace(results, environment={"kafka": "4.3.1", "python": "3.11.7"})

    assert JsonReport().render(turned) == JsonReport().render(results)


def test_text_stays_readable_utf8(results):
    """Letters beyond ASCII stand as themselves and the file ends in one line feed."""
    body = JsonReport().render(replace(results, command="prüfe 你好"))

    assert "prüfe 你好".encode() in body
    assert body.endswith(b"}\n")


def test_terminal_controls_stand_as_escapes(results):
    """Printing the file on a terminal shows hostile characters instead of obeying them."""
    body = JsonReport().render(replace(results, command="\x1b \x9b \x7f \u202e \u2066"))

    assert rb'"command": "\u001b \u009b \u007f \u202e \u2066"' in body


def test_lone_surrogates_become_replacement_characters(results):
    """A path that is not UTF-8 does not make the file unreadable for strict readers."""
    assert b'"command": "\xef\xbf\xbd"' in JsonReport().render(replace(results, command="\udcff"))


def test_figures_without_a_json_number_become_strings(results):
    """A ratio over nothing is reported, and the file stays JSON."""
    odd = replace(results.results[0], figures={"a": float("nan"), "b": float("inf")})
    document = json.loads(JsonReport().render(replace(results, results=[odd])))

    assert document["results"][0]["figures"] == {"a": "nan", "b": "inf"}


def test_capabilities_of_any_type_are_written(results):
    """What a capability file may hold is written in a fixed order."""
    plugin = replace(
        results.plugin, capabilities={"b": set("zyxwvuts"), "a": (1, None), "c": Outcome.PASS}
    )
    document = json.loads(JsonReport().render(replace(results, plugin=plugin)))

    assert document["plugin"]["capabilities"] == {
        "a": [1, None],
        "b": ["s", "t", "u", "v", "w", "x", "y", "z"],
        "c": "Outcome.PASS",
    }
