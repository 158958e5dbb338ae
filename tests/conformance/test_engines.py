"""What runs on Spark runs once on each engine that the plugin claims, and counts on all of them."""

from __future__ import annotations

import datetime as dt
import shlex

import pytest
from tests.conformance.execution.given_checks import check
from tests.conformance.report.result_lines import line, results

from plugwright.errors import NotFoundError
from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    Outcome,
    Severity,
)
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.subject.engines import claimed_engines, engines_problem
from plugwright_conformance.subject.waivers import Waiver

BOTH = ("resident", "stream")
NAMED_ONCE = (
    "engines must name resident, which runs a connector unless its configuration says otherwise, "
    "and each engine once"
)
NO_STREAM = (
    "engines of a source can be resident only, found 'stream': a stream of Spark has neither "
    "poll-then-know-offset nor Kafka's transactions"
)
LIVE_SINK = [
    "CON-DLV-01",
    "CON-DLV-02",
    "CON-DLV-06",
    "CON-REB-01",
    "CON-REB-02",
    "CON-SEC-10",
    "CON-SPK-05",
]
RESIDENT_SINK = [
    "CON-BRK-01",
    "CON-BRK-03",
    "CON-BRK-04",
    "CON-DLV-12",
    "CON-REB-03",
    "CON-REB-04",
]


def failing_on(*engines, outcome=None):
    """A check that runs on Spark, and fails on some engines."""

    def act(bench):
        if bench.engine in engines:
            raise outcome or CheckFailedError("all", f"less on {bench.engine}")
        return Evidence(1)

    return check(1, act, live=True)


def found(run):
    """Every row of a run with its outcome."""
    return {result.label: result.outcome.value for result in run.results}


@pytest.mark.parametrize(
    ("kind", "declared", "engines"),
    [
        ("sink", {}, ("resident",)),
        ("sink", {"engines": ["resident"]}, ("resident",)),
        ("sink", {"engines": ["stream", "resident"]}, BOTH),
        ("source", {"engines": ["resident", "stream"]}, ("resident",)),
    ],
    ids=["nothing", "resident", "both", "source"],
)
def test_engines_are_those_that_are_claimed(kind, declared, engines):
    """In the order of a run; a source has no other than the resident one."""
    assert claimed_engines(kind, declared) == engines


@pytest.mark.parametrize(
    ("kind", "declared", "problem"),
    [
        ("sink", ["resident", "stream"], ""),
        ("source", ["resident"], ""),
        ("sink", "stream", "engines must be a list of text, found 'stream'"),
        ("sink", [1], "engines must be a list of text, found [1]"),
        ("sink", ["resident", "flink"], "engines must be among resident, stream, found 'flink'"),
        (
            "sink",
            ["stream"],
            f"{NAMED_ONCE}, found ['stream']",
        ),
        (
            "sink",
            ["resident", "resident"],
            f"{NAMED_ONCE}, found ['resident', 'resident']",
        ),
        (
            "source",
            ["resident", "stream"],
            NO_STREAM,
        ),
    ],
    ids=["both", "source", "text", "number", "unknown", "stream-only", "twice", "source-stream"],
)
def test_wrong_claim_is_explained(kind, declared, problem):
    """In the words that its author needs."""
    assert engines_problem(kind, declared) == problem


def test_live_checks_are_there_once_for_each_engine():
    """And no other check is."""
    rows = [each.label() for each in select_checks(CHECKS, "sink", (), BOTH)]

    live = [f"{name}[resident]" for name in RESIDENT_SINK]
    live += [f"{name}[{engine}]" for name in LIVE_SINK for engine in BOTH]
    assert sorted(row for row in rows if "[" in row) == sorted(live)
    assert len(rows) == len([c for c in CHECKS if "sink" in c.kinds]) + len(LIVE_SINK)


@pytest.mark.parametrize(
    ("selected", "rows"),
    [
        ("CON-DLV-01", ["CON-DLV-01[resident]", "CON-DLV-01[stream]"]),
        ("CON-DLV-01[stream]", ["CON-DLV-01[stream]"]),
        ("CON-LIF-02", ["CON-LIF-02"]),
    ],
    ids=["id", "label", "not-live"],
)
def test_check_is_selected_by_id_or_by_label(selected, rows):
    """The label takes one engine alone."""
    chosen = select_checks(CHECKS, "sink", [selected], BOTH)

    assert [each.label() for each in chosen] == rows


@pytest.mark.parametrize(
    ("selected", "hint"),
    [
        ("CON-DLV-01[stream]", "it is tried as CON-DLV-01[resident]"),
        ("CON-LIF-02[stream]", "CON-LIF-02 does not run on Spark"),
        ("CON-DLW-01[stream]", "did you mean CON-DLV-01"),
    ],
    ids=["not-claimed", "not-live", "misspelt"],
)
def test_engine_on_which_nothing_runs_is_refused(selected, hint):
    """It does not become an empty run."""
    with pytest.raises(NotFoundError) as caught:
        select_checks(CHECKS, "sink", [selected])

    assert caught.value.hint.startswith(hint)


def test_checks_that_leave_an_engine_out_say_why():
    """None is left out in silence, and nothing is said of those that run everywhere."""
    reported = {c.id for c in CHECKS if c.why_not_everywhere}

    assert reported == {c.id for c in CHECKS if set(c.engines) < set(BOTH)}
    assert [c.id for c in CHECKS if not set(c.engines) <= set(BOTH)] == []


def test_each_engine_has_a_row_of_its_own(run):
    """With its label in the command that repeats it; the random choices are the same."""
    resident, stream = run("file-sink", registry=[failing_on("stream")]).results

    assert (resident.label, resident.engine) == ("TST-TST-01[resident]", "resident")
    assert (stream.id, stream.outcome) == ("TST-TST-01", Outcome.FAIL)
    assert stream.observed == "less on stream"
    assert "TST-TST-01[stream]" in shlex.split(stream.replay)
    assert stream.seed == resident.seed


def test_plugin_that_claims_nothing_has_one_row(run):
    """The engine is named all the same."""
    assert found(run("file-source", registry=[failing_on()])) == {"TST-TST-01[resident]": "PASS"}


@pytest.mark.parametrize(
    ("engines", "level", "obstacles"),
    [((), Level.C1, []), (("stream",), None, ["TST-TST-01[stream]"])],
    ids=["good", "fails-there"],
)
def test_sink_that_fails_on_an_engine_that_it_claims_has_no_level(
    run, monkeypatch, engines, level, obstacles
):
    """A claim that is not kept costs the level, however well the other engine does."""
    monkeypatch.setattr("plugwright_conformance.execution.runner.MUST_CHECKS", {"sink": {"C1": 1}})

    made = run("file-sink", registry=[failing_on(*engines)])

    assert made.level() is level
    assert [row.label for row in made.obstacles()] == obstacles


def test_run_on_one_engine_is_not_whole(run):
    """What was deselected gives no level."""
    one = run("file-sink", "TST-TST-01[resident]", registry=[failing_on("stream")])

    assert (found(one), one.complete) == ({"TST-TST-01[resident]": "PASS"}, False)
    assert one.level() is None


def test_check_that_asks_hears_of_the_engine_that_failed(run):
    """A capability is not proved by the engine that has it."""

    def ask(bench):
        return Evidence(1, figures={"was": bench.outcome_of("TST-TST-01").label})

    asking = check(2, ask, live=True)

    found = run("file-sink", registry=[failing_on("stream"), asking]).results

    assert found[-1].figures == {"was": "TST-TST-01[stream]"}


def rows(*outcomes, severity=Severity.MUST):
    """The third of three checks, on each engine."""
    return [
        line("C", Level.C3, outcome, severity, engine=engine)
        for engine, outcome in zip(BOTH, outcomes, strict=False)
    ]


LOWER = [line("A", Level.C1), line("B", Level.C2)]
REGISTRY = ["A", "B", "C[resident]", "C[stream]"]


@pytest.mark.parametrize(
    ("outcomes", "level"),
    [
        ((Outcome.PASS, Outcome.PASS), Level.C3),
        ((Outcome.PASS, Outcome.FAIL), Level.C2),
        ((Outcome.FAIL, Outcome.PASS), Level.C2),
        ((Outcome.PASS, Outcome.NOT_RUN), Level.C2),
        ((Outcome.PASS, Outcome.ERROR), Level.C2),
        ((Outcome.PASS, Outcome.WAIVED), Level.C2),
        ((Outcome.PASS,), None),
    ],
    ids=["both", "stream", "resident", "not-run", "error", "waived", "missing"],
)
def test_level_takes_every_engine_that_is_claimed(outcomes, level):
    """One on which a check failed, or did not run, stands in the way."""
    assert results(*LOWER, *rows(*outcomes), registry=REGISTRY).level() is level


def test_two_rows_of_a_check_are_one_of_the_catalogue():
    """A suite that lacks a check does not make up for it by engines."""
    found = results(
        *LOWER,
        *rows(Outcome.PASS, Outcome.PASS),
        registry=REGISTRY,
        catalogue={"C1": 1, "C2": 2, "C3": 4},
    )

    assert (found.unbuilt(Level.C3), found.level()) == (1, Level.C2)


@pytest.mark.parametrize(
    ("outcomes", "short"),
    [
        ((Outcome.PASS, Outcome.PASS), ""),
        ((Outcome.PASS, Outcome.FAIL), "0 of 1 should-checks, 60 % are required"),
        ((Outcome.FAIL, Outcome.PASS), "0 of 1 should-checks, 60 % are required"),
    ],
    ids=["both", "resident", "stream"],
)
def test_should_check_passes_on_all_engines_or_not_at_all(outcomes, short):
    """The share is one of checks, not of rows."""
    found = results(*LOWER, *rows(*outcomes, severity=Severity.SHOULD), registry=REGISTRY)

    assert found.short_of_should(Level.C3) == short


@pytest.fixture
def waived(subject, workspace, listener):
    """Runs one live check that may fail."""
    today = dt.datetime.now(dt.UTC).date()
    days = str(today), str(today + dt.timedelta(days=1))
    leave = Waiver("TST-TST-01", "the server is replaced", "data team", *days)

    def waived(check, *selection):
        options = RunOptions(seed="7f3c", records=1000, selection=selection, waivers=(leave,))
        made = subject("file-sink")
        return run_checks(made, [check], options, workspace=workspace, live=None, listener=listener)

    return waived


@pytest.mark.parametrize(
    ("engines", "selection", "outcomes"),
    [
        (("stream",), (), {"[resident]": "PASS", "[stream]": "WAIVED"}),
        (("resident",), (), {"[resident]": "WAIVED", "[stream]": "PASS"}),
        (BOTH, (), {"[resident]": "WAIVED", "[stream]": "WAIVED"}),
        ((), (), {"[resident]": "FAIL", "[stream]": "FAIL"}),
        ((), ("TST-TST-01[resident]",), {"[resident]": "PASS"}),
    ],
    ids=["stream", "resident", "both", "of-no-use", "other-engine-not-run"],
)
def test_waiver_is_for_a_check_on_all_its_engines(waived, engines, selection, outcomes):
    """It is of no more use where the check is fulfilled on each, and that fails the run."""
    run = waived(failing_on(*engines), *selection)

    assert found(run) == {f"TST-TST-01{label}": outcome for label, outcome in outcomes.items()}
    assert len(run.waivers) == ("WAIVED" in outcomes.values())
