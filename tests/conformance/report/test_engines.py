"""Each row of what ran on Spark says on which engine, in every report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import HtmlReport, JUnitReport, MarkdownReport, read_json
from plugwright_conformance.report.engines import engines_line
from plugwright_conformance.report.pytest_report import PytestReports, packed

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module")
def streamed(results):
    """The run with its delivery check on both engines, failed on one."""
    delivered = results.results[3]
    failed = {"outcome": Outcome.FAIL, "observed": "3 lost", "figures": {}, "events": ()}
    rows = (
        replace(delivered, engine="resident"),
        replace(delivered, engine="stream", **failed, cells=()),
    )
    others = [row for row in results.results if row.id != delivered.id]
    return replace(results, results=(*others, *rows), registry=[r.label for r in (*others, *rows)])


def test_page_shows_the_engine_of_each_row(streamed):
    """As a row of its own, and in a table of checks and engines."""
    page = HtmlReport().render(streamed).decode()

    assert '<tr role="row" id="CON-DLV-01[resident]" class="pass">' in page
    assert '<tr role="row" id="CON-DLV-01[stream]" class="fail">' in page
    table = page[page.index('id="engines-caption"') :].partition("</table>")[0]
    assert '<th scope="col">Resident</th><th scope="col">Stream</th>' in table
    assert table.index("#CON-DLV-01%5Bresident%5D") < table.index("#CON-DLV-01%5Bstream%5D")


def test_page_without_spark_has_no_table_of_engines(results):
    """There is nothing to say."""
    assert "engines-caption" not in HtmlReport().render(results).decode()


def test_summary_shows_the_engine_of_each_row(streamed):
    """For a merge request."""
    text = MarkdownReport().render(streamed).decode()

    assert (
        "| check | resident | stream |\n|---|---|---|\n| CON-DLV-01 | passed | failed |\n" in text
    )
    assert r"### FAIL CON-DLV-01\[stream\] rev 1 \[must, C2\]" in text


def test_build_server_shows_the_engine_of_each_row(streamed):
    """Its test cases have names of their own."""
    text = JUnitReport().render(streamed).decode()

    assert 'name="CON-DLV-01[stream] Without faults, output equals input"' in text
    assert '<property name="engine" value="stream" />' in text
    assert text.count('name="engine"') == 2


def test_terminal_line_counts_by_engine(streamed, results):
    """It is left out where nothing runs on Spark."""
    assert engines_line(streamed) == "resident 1 of 1 passed, stream 0 of 1 passed"
    assert not engines_line(results)


def test_results_of_before_there_were_engines_are_read():
    """Their rows have none; a level is worked out as it was."""
    found = read_json((GOLDEN / "certificate" / "format-1-results.json").read_bytes())

    assert {row.engine for row in found.results} == {""}
    assert found.complete


@pytest.mark.parametrize(
    ("layout", "engine"),
    [("plugwright-results/3", "stream"), ("plugwright-results/4", "flink")],
    ids=["older-layout", "unknown"],
)
def test_engine_that_cannot_be_is_refused(layout, engine):
    """A layout says what may be in it."""
    document = json.loads((GOLDEN / "report" / "results.json").read_text())
    document["format"] = layout
    document["results"][0]["engine"] = engine

    with pytest.raises(Exception, match="the results cannot be read at results"):
        read_json(json.dumps(document))


def test_capability_that_one_engine_lacks_is_not_shown(streamed):
    """The proof is one on every engine."""
    plugin = replace(streamed.plugin, capabilities={"engines": ["resident", "stream"]})
    page = HtmlReport().render(replace(streamed, plugin=plugin)).decode()

    row = page[page.index('<th scope="row">engines</th>') :].partition("</tr>")[0]
    assert "not shown, failed" in row
    assert "#CON-DLV-01%5Bstream%5D" in row


def test_pytest_gathers_the_rows_of_all_engines(streamed, tmp_path):
    """They come one by one, some from other processes."""
    reports = PytestReports(tmp_path, ["pytest"])
    for row in streamed.results[-2:]:
        one = replace(streamed, results=[row])
        reports.pytest_runtest_logreport(SimpleNamespace(plugwright_conformance=packed(one)))
    reports.pytest_sessionfinish()

    (written,) = tmp_path.glob("*/results.json")
    found = read_json(written.read_bytes())
    assert [row.label for row in found.results] == ["CON-DLV-01[resident]", "CON-DLV-01[stream]"]
