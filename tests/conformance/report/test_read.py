"""Reading results back is strict, and believes nothing that it can work out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugwright.errors import ConnectError
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.report import JsonReport, read_json

GOLDEN = (Path(__file__).parents[2] / "golden" / "report" / "results.json").read_text("utf-8")


def refusal(text):
    """The error that reading the text raises."""
    with pytest.raises(ConnectError) as caught:
        read_json(text)
    assert caught.value.code == "report.unreadable"
    return caught.value


def edited(**changes):
    """The golden text with some top-level values replaced."""
    return json.dumps(json.loads(GOLDEN) | changes)


def first_result(**changes):
    """The golden text with the first result changed."""
    document = json.loads(GOLDEN)
    document["results"][0] |= changes
    return json.dumps(document)


def test_golden_file_reads_as_the_run(results):
    """Every field comes back with its type."""
    found = read_json(GOLDEN)

    assert [r.id for r in found.results] == [r.id for r in results.results]
    failed = found.results[2]
    assert (failed.outcome, failed.severity, failed.level) == (
        Outcome.FAIL,
        Severity.MUST,
        Level.C2,
    )
    assert found.results[3].figures["in"] == 12000
    assert found.plugin.capabilities["schema"] == ["int64", "string"]
    assert found.environment == {"kafka": "4.3.1", "python": "3.11.7"}


def test_writing_what_was_read_gives_the_same_bytes():
    """No field is lost on the way."""
    assert JsonReport().render(read_json(GOLDEN)).decode() == GOLDEN


def test_claimed_level_is_not_believed():
    """The level follows from the results, whatever the field says."""
    found = read_json(edited(level="C5", complete=True, obstacles=[]))

    assert found.level() is Level.C1


@pytest.mark.parametrize(
    ("text", "where", "expected"),
    [
        pytest.param(edited(format="plugwright-results/2"), "format", None, id="other-format"),
        pytest.param("[]", "", "an object", id="no-object"),
        pytest.param('{"format": "plugwright-results/3"}', "", "the key 'badges'", id="bare"),
        pytest.param(edited(seed=7), "seed", "a string", id="number-for-text"),
        pytest.param(edited(duration_s=True), "duration_s", "a number", id="bool-for-number"),
        pytest.param(edited(registry={}), "registry", "an array", id="object-for-array"),
        pytest.param(edited(registry=["A", 1]), "registry[1]", "a string", id="mixed-array"),
        pytest.param(edited(extra=1), "", "only known keys", id="strange-key"),
        pytest.param(edited(environment={"a": 1}), "environment.a", "a string", id="environment"),
        pytest.param(edited(plugin={}), "plugin", "the key 'capabilities'", id="missing-key"),
        pytest.param(
            first_result(outcome="SKIPPED"),
            "results[0].outcome",
            "one of PASS, FAIL, WAIVED, NOT_APPLICABLE, NOT_RUN, ERROR",
            id="unknown-outcome",
        ),
        pytest.param(first_result(level="C6"), "results[0].level", None, id="unknown-level"),
        pytest.param(
            first_result(observations=1.5), "results[0].observations", "an integer", id="fraction"
        ),
        pytest.param(
            first_result(cells=[{"column": "", "row": "", "sound": 1, "table": "", "text": ""}]),
            "results[0].cells[0].sound",
            "true or false",
            id="cell",
        ),
        pytest.param(
            first_result(events=[{}]), "results[0].events[0]", "the key 'at_s'", id="event"
        ),
        pytest.param(edited(quality={"killed": 1.5}), "quality.killed", "an integer", id="quality"),
        pytest.param(
            first_result(figures={"in": None}), "results[0].figures.in", "a number", id="figure"
        ),
    ],
)
def test_wrong_fields_are_named(text, where, expected):
    """The error says where, what was expected there, and what to do."""
    error = refusal(text)

    assert error.facts["where"] == where
    assert expected in (None, error.facts["expected"])
    assert error.hint


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut-off"),
        pytest.param(b"\xff{}", id="not-utf8"),
        pytest.param("[" * 200_000, id="too-deep"),
        pytest.param('{"a": 1, "a": 2}', id="repeated-key"),
        pytest.param(GOLDEN.replace("127.5", "NaN"), id="nan"),
        pytest.param(GOLDEN.replace("127.5", "1e999"), id="infinite"),
        pytest.param(GOLDEN.replace("127.5", "9" * 400), id="huge-integer"),
    ],
)
def test_what_is_no_sound_json_is_refused(text):
    """Documents that two readers could understand differently are not read at all."""
    assert refusal(text).facts["expected"] == "a JSON document"


def test_message_names_place_expectation_and_finding():
    """One sentence tells a person all of it."""
    assert str(refusal(first_result(severity="maybe"))) == (
        "the results cannot be read at results[0].severity:"
        " expected one of must, should, may, found 'maybe'"
    )


def test_hostile_finding_is_shown_as_escapes():
    """The message is safe to print."""
    assert "\x1b" not in str(refusal(first_result(severity="\x1b[2J")))
