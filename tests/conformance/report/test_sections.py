"""The sections on measurements tell what was measured, and say so where nothing was."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from plugwright_conformance.evidence.outcome import Outcome, TableCell
from plugwright_conformance.report import CertificateNote, HtmlReport
from plugwright_conformance.report.timeline import timeline
from plugwright_conformance.subject.waivers import Waiver

HEADINGS = [
    "capabilities",
    "delivery",
    "crash-map",
    "timeline",
    "checks",
    "discovery",
    "types",
    "performance",
    "gaps",
    "quality",
    "times",
    "environment",
]


@pytest.fixture(scope="module")
def page(results):
    """The page of the run."""
    return HtmlReport().render(results).decode()


@pytest.fixture(scope="module")
def bare_page(results):
    """The page of a run whose delivery check has measured nothing."""
    return HtmlReport().render(with_cells(results, figures={}, events=())).decode()


def text_of(results, section):
    """The words of one section of the page of a run."""
    return words_in(HtmlReport().render(results).decode(), section)


def words_in(page, section):
    """The words of one section of a page, one blank between them."""
    (found,) = re.findall(rf'<section aria-labelledby="{section}">(.*?)</section>', page, re.DOTALL)
    return " ".join(re.sub("<[^>]*>", " ", found).split())


def with_cells(results, *cells, **changes):
    """The run, with other cells in the delivery check."""
    check = replace(results.results[3], cells=cells, **changes)
    return replace(results, results=[check if r.id == check.id else r for r in results.results])


def test_all_sections_are_there_in_order(results):
    """Also those that have nothing to show."""
    page = HtmlReport().render(replace(results, results=())).decode()

    assert re.findall(r'<section aria-labelledby="([\w-]+)">', page) == HEADINGS


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("crash-map", "put.return not as it has to be: 1 of 14 lost"),
        ("crash-map", "Repeat CON-DLV-01 plugwright replay CON-DLV-01 --seed 7f3c"),
        ("crash-map", "kill -9 of task 0 of run-sink-1, 20.6 s after the start: CON-DLV-01"),
        ("timeline", "20.6 s run-sink-1 runs"),
        ("capabilities", "delivery at-least-once shown, 4 observations not needed"),
        ("capabilities", "schemaless no not declared not probed in this run"),
        ("types", "string not read value not measured"),
        ("performance", "latency at p50, p95 and p99"),
        ("gaps", "CON-DLV-06 The same on live Kafka needs a broker"),
        ("gaps", "Rules that cannot be tested This version of the suite names none."),
        ("quality", "126 of 127 that were tried"),
        ("quality", "0 in 499 verdicts on 8 unusual but correct connectors, with 1 seed"),
        ("quality", "Flake rate not measured"),
        ("times", "C2 Compatible 3 2.0 s 2 min"),
        ("times", "with 2 workers; set-up apart: 9.5 s for Spark and Kafka"),
    ],
)
def test_section_tells(page, section, words):
    """What the run has measured, in words."""
    assert words in words_in(page, section)


@pytest.mark.parametrize(
    ("seeds", "flakes", "reported"),
    [
        (20, 0, "0 %: 0 of 21000 verdicts were not the expected one, with 20 seeds"),
        (20, 4, "0.019 %: 4 of 21000 verdicts were not the expected one, with 20 seeds"),
        (1, 0, "not measured, because one seed cannot show it"),
    ],
    ids=["none", "some", "one-seed"],
)
def test_flake_rate_is_reported_with_what_it_rests_on(results, seeds, flakes, reported):
    """A rate without the number of verdicts says little, and one seed nothing."""
    figures = {"seeds": seeds, "flakes": flakes, "flake_verdicts": 21000}
    made = replace(results, quality={**results.quality, **figures})

    assert f"Flake rate {reported}" in words_in(HtmlReport().render(made).decode(), "quality")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("delivery", "of CON-DLV-03: error, the endpoint did not start."),
        ("crash-map", "of CON-DLV-03: error, the endpoint did not start."),
        ("timeline", "because of CON-DLV-01: passed without measurements."),
        ("discovery", "because the suite has no check of it for this type of plugin."),
    ],
)
def test_nothing_measured_says_why(bare_page, section, words):
    """Never an empty table, and never an invented one."""
    reported = words_in(bare_page, section)

    assert "Not measured in this run, because" in reported
    assert words in reported


def test_failing_rows_of_a_table_come_first(page):
    """Whoever looks for trouble finds it at the top."""
    reported = words_in(page, "crash-map")

    assert reported.index("put.return") < reported.index("put.enter")


def test_disagreement_on_a_capability_comes_first(results):
    """Declared, and its proof failed."""
    failed = with_cells(results, outcome=Outcome.FAIL)
    reported = text_of(failed, "capabilities")

    assert reported.index("delivery") < reported.index("upsert")
    assert "not as it has to be: not shown, error" in reported


def test_refused_capability_is_reported(results):
    """The negative probe is one of the three columns."""
    probed = with_cells(results, TableCell("probes", "schemaless", "put()", "refused"))

    assert "schemaless no not declared refused" in text_of(probed, "capabilities")


def test_discovery_and_scenarios_are_tables(results):
    """Rows and columns as the checks name them."""
    cells = [
        TableCell("discovery", "service_load", "intact", "1 of 1 seen"),
        TableCell("discovery", "service_load", "manifests removed", "0 of 1 seen"),
        TableCell("scenarios", "hang", "in", "288"),
        TableCell("scenarios", "hang", "lost", "2", sound=False),
    ]
    measured = with_cells(results, *cells)

    assert "service_load 1 of 1 seen 0 of 1 seen" in text_of(measured, "discovery")
    assert "hang 288 not as it has to be: 2" in text_of(measured, "delivery")


def test_days_left_count_from_the_day_of_the_run(results):
    """The page says the same whenever it is read."""
    waiver = Waiver("PLG-DOC-04", "later", "docs", "2026-02-01", "2026-03-31")

    assert "docs 2026-03-31 30" in text_of(replace(results, waivers=[waiver]), "gaps")


def test_controls_stand_in_the_verdict(results):
    """How many broken connectors were found belongs to the first thing that is read."""
    note = CertificateNote([("a", "sha256", "b")], None, "verify", "14 of 14 were found")
    page = HtmlReport(certificate=note).render(results).decode()

    assert page.index("14 of 14 were found") < page.index('id="capabilities"')


def test_timeline_places_workers_and_kills(results):
    """Starting, running, killed and stopped, in parts of a thousand of the whole."""
    (line,) = timeline(results)

    assert [(bar.state, bar.left, bar.width) for bar in line.bars] == [
        ("starting", 0, 400),
        ("running", 400, 400),
    ]
    assert line.kills == [600]


def test_picture_is_not_read_out(page):
    """The words beside it say the same."""
    assert page.count("<svg") == page.count('aria-hidden="true" focusable="false"') == 2


def test_level_over_its_time_is_marked(results):
    """Without colour, too."""
    slow = replace(results, results=[replace(results.results[0], duration_s=31.0)])
    page = HtmlReport().render(slow).decode()

    assert '<td class="figure bad">31.0 s</td><td class="figure">30 s</td>' in page
