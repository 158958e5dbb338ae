"""What checks see place by place, and what happened on the live system, gets into the results."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from tests.conformance.execution.given_checks import check

from plugwright.config import ConfigDef, ConfigType, Importance
from plugwright_conformance.catalogue.capabilities import GATES
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.checks.places import Places
from plugwright_conformance.controls.kill_matrix import BenignRow, KillMatrix
from plugwright_conformance.controls.suite_quality import matrix_figures
from plugwright_conformance.evidence.ledger import Reconciliation
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    TableCell,
)
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.live.system import LiveSystem

SEEN = TableCell("faults", "put: os.write", "hang", "1 held")


def raising(error):
    """A check that ends so."""

    def act(_):
        raise error

    return act


@pytest.fixture
def live(monkeypatch):
    """A live system that took half a minute to start and does nothing."""
    monkeypatch.setattr("plugwright.kafka.TopicWriter", lambda _: None)
    broker = SimpleNamespace(bootstrap_servers="localhost:1")
    return LiveSystem(broker, None, "run", {}, setup_s=30.5)


@pytest.mark.parametrize(
    "act",
    [
        lambda _: Evidence(1, cells=(SEEN,)),
        raising(CheckFailedError("a", "b", evidence=Evidence(1, cells=(SEEN,)))),
        raising(NotApplicableError("no network", (SEEN,))),
    ],
    ids=["pass", "fail", "not-applicable"],
)
def test_cells_are_kept_however_a_check_ends(run, act):
    """What was measured is measured."""
    (result,) = run("file-sink", registry=[check(1, act)]).results

    assert tuple(result.cells) == (SEEN,)


def test_events_belong_to_the_live_check_in_which_they_happen(run, live):
    """Timed from the start of the run; other checks have none."""
    acts = {n: (lambda bench: bench.live.note("kill", "task 0") or Evidence(1)) for n in (1, 2)}
    registry = [check(n, act, live=n == 1) for n, act in acts.items()]
    found = run("file-source", registry=registry, live=live)

    (event,) = found.results[0].events
    assert (event.kind, event.text) == ("kill", "task 0")
    assert found.results[0].begun_s <= event.at_s <= found.duration_s
    assert found.results[1].events == ()


@pytest.mark.slow
def test_workers_and_set_up_are_reported(run, live):
    """The run knows how many checks may have shared the machine, and what came before it."""
    with_live = run("file-sink", registry=[check(1, lambda _: Evidence(1))], live=live)
    without = run("file-sink", registry=[check(1, lambda _: Evidence(1))])

    assert (with_live.workers, with_live.setup_s) == (2, 30.5)
    assert (without.workers, without.setup_s) == (3, 0.0)


def found(lost=(), duplicated=0):
    """A comparison of 24 values."""
    return Reconciliation(24, 24 - len(lost) + duplicated, lost, duplicated, (), "")


def test_places_add_up():
    """Observations of one place are one cell, comparisons of one scenario one row."""
    places = Places("faults")
    for _ in range(2):
        with places.at("put", "hang"):
            pass
        places.reconciled("hang", found(duplicated=3))

    assert places.cells() == (
        TableCell("faults", "put", "hang", "2 held"),
        TableCell("scenarios", "hang", "in", "48"),
        TableCell("scenarios", "hang", "out", "54"),
        TableCell("scenarios", "hang", "lost", "0"),
        TableCell("scenarios", "hang", "duplicated", "6"),
    )


def test_loss_of_a_scenario_is_marked():
    """Repetitions are not, losses are."""
    places = Places("faults")
    places.reconciled("hang", found(lost=("x",), duplicated=1))

    assert [cell.column for cell in places.cells() if not cell.sound] == ["lost"]


def test_failure_takes_along_what_was_seen():
    """The map of a check that failed shows where, and what held before."""
    places = Places("faults")
    with places.at("put", "hang"):
        pass
    with pytest.raises(CheckFailedError) as caught, places.at("put", "hang"):
        raise CheckFailedError("a", "b")

    assert caught.value.evidence.cells == (
        TableCell("faults", "put", "hang", "1 of 2 failed", False),
    )


@pytest.mark.slow
def test_experiment_process_reports_places_and_settings(subject, workspace, listener):
    """Both come out of its process, which has an endpoint of its own."""
    options = RunOptions(seed="7f3c", records=1000, selection=("CON-DLV-03",))
    results = run_checks(
        subject("file-sink"), CHECKS, options, workspace=workspace, live=None, listener=listener
    ).results

    reported = {(cell.row, cell.column): cell.text for cell in results[0].cells}
    assert reported["start", "crash"] == "1 held"
    assert {column for _, column in reported} >= {"crash", "two crashes"}
    assert len(options.settings.everything()["file"]) > 50  # one for each world


def test_settings_of_the_secret_type_are_known(bench):
    """Whoever asks the connector which they are has recorded the run."""
    key = ConfigDef().define(
        "pin", ConfigType.PASSWORD, importance=Importance.LOW, documentation="It."
    )
    bench.connector = lambda: SimpleNamespace(config=lambda: key)
    bench.settings.note({"pin": "four digits", "file": "x"})

    assert GATES["SECRET"](bench)
    assert bench.settings.secrets() == {"pin": ["four digits"]}


@pytest.mark.parametrize("data", [None, b"", b"{}", b'{"mutants": 1}'], ids=range(4))
def test_no_matrix_has_no_figures(data):
    """Nothing is made up."""
    assert matrix_figures(data, CHECKS) == {}


def test_flakes_of_a_matrix_are_reported_where_it_has_them():
    """Those of an earlier release do not."""
    matrix = KillMatrix([], ["1", "2"], [], [BenignRow("G05", "x", "y", 400, ("CON-LIF-02",))])
    rendered = json.loads(matrix.render())

    assert rendered["flake_rate"] == {"unexpected": 1, "verdicts": 400}
    figures = matrix_figures(matrix.render(), CHECKS)
    assert (figures["flakes"], figures["flake_verdicts"], figures["seeds"]) == (1, 400, 2)


def test_figures_of_a_matrix_are_counted():
    """Killed, survived, not tried; false alarms; and whether it is of this suite."""
    data = (
        b'{"benign": [{"checks": 5, "false_alarms": ["A"]}], "checks": [], "seeds": ["1"],'
        b' "mutants": [{"killed": true}, {"killed": false}, {"killed": null}]}'
    )
    figures = dict(matrix_figures(data, CHECKS))

    assert figures.pop("sha256").startswith("51eb40cf6c2a324f")
    assert figures == {
        "benign_checks": 5,
        "benign_controls": 1,
        "false_alarms": 1,
        "killed": 1,
        "mutants": 3,
        "not_tried": 1,
        "of_this_suite": "no",
        "seeds": 1,
        "survived": 1,
    }
