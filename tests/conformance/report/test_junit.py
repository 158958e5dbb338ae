"""``junit.xml`` counts and shows a run as build servers expect it."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from plugwright_conformance.report import JUnitReport

ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parsed(body):
    """The one test suite of a report."""
    return ET.fromstring(body)[0]  # noqa: S314  # the suite's own output


@pytest.fixture
def suite(results):
    """The one test suite of the report."""
    return parsed(JUnitReport().render(results))


def case(suite, check_id):
    """The test case of a check."""
    return next(c for c in suite.iter("testcase") if c.get("name").startswith(check_id))


def test_suite_counts_the_outcomes(suite):
    """Failures, errors and skips are distinguished; passes are the rest."""
    assert suite.attrib == {
        "name": "orders-sink",
        "tests": "8",
        "failures": "1",
        "errors": "1",
        "skipped": "3",
        "time": "127.500",
        "timestamp": "2026-03-01T10:20:30",
        "hostname": "localhost",
    }


def test_suite_properties_make_the_run_repeatable(suite):
    """Level, seed, command and environment travel with the counts."""
    facts = {p.get("name"): p.get("value") for p in suite.find("properties")}

    assert facts["level"] == "C1 Discoverable"
    assert facts["next"] == "C2 Compatible needs 2 more must-checks"
    assert facts["seed"] == "c0ffee"
    assert facts["environment.kafka"] == "4.3.1"


def test_case_is_named_by_class_group_id_and_claim(suite):
    """A build server groups by plugin class and group of checks."""
    found = case(suite, "PLG-PKG-01")

    assert found.get("classname") == "orders_sink.OrdersSinkConnector.Packaging"
    assert found.get("name") == "PLG-PKG-01 Installs alone and imports"
    assert found.get("time") == "0.250"


def test_case_properties_carry_the_check(suite):
    """Tools that follow single checks need no parsing of names."""
    assert {p.get("name"): p.get("value") for p in case(suite, "SNK-OFF-02")[0]} == {
        "id": "SNK-OFF-02",
        "level": "C2",
        "severity": "must",
        "outcome": "FAIL",
        "seed": "7f3c",
        "replay": "plugwright replay SNK-OFF-02 --seed 7f3c",
    }


@pytest.mark.parametrize(
    ("check_id", "tag", "kind", "message"),
    [
        (
            "SNK-OFF-02",
            "failure",
            "plugwright.failed",
            "expected commit <= 41; observed commit 57",
        ),
        ("CON-DLV-03", "error", "plugwright.error", "the endpoint did not start"),
        ("CON-DLV-06", "skipped", "plugwright.not-run", "not run: needs a broker"),
        (
            "CON-DLV-11",
            "skipped",
            "plugwright.not-applicable",
            "not applicable: UPSERT is not declared",
        ),
        ("PLG-DOC-04", "skipped", "plugwright.waived", "waived: until 2026-12-31, docs team"),
    ],
)
def test_outcome_maps_to_its_element(suite, check_id, tag, kind, message):
    """The three ways to be skipped stay apart by type and message."""
    element = case(suite, check_id)[1]

    assert (element.tag, element.attrib) == (tag, {"type": kind, "message": message})


def test_pass_has_no_verdict_element(suite):
    """A passed case holds its properties and nothing else."""
    assert [child.tag for child in case(suite, "PLG-PKG-01")] == ["properties"]


def test_failure_body_is_the_failure_text(suite):
    """A person reads the same words as on the terminal."""
    assert case(suite, "SNK-OFF-02").findtext("failure").splitlines()[:2] == [
        "FAIL SNK-OFF-02 rev 1 [must, C2]  Committed offset is never beyond the durable mark",
        " expected   commit <= 41 for (orders, 2)",
    ]


def test_hostile_characters_are_gone(hostile):
    """What XML forbids is spelled out, so any parser reads the file."""
    body = JUnitReport().render(hostile)

    assert ILLEGAL.search(body.decode()) is None
    assert r"\x1b[2J\x00\x07<script" in case(parsed(body), "SNK-OFF-02").get("name")


def test_equal_results_give_equal_bytes(results):
    """Nothing of the moment of writing gets in."""
    assert JUnitReport().render(results) == JUnitReport().render(results)
