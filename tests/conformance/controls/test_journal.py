"""Hours of runs of good but odd connectors are resumed check by check, not suite by suite."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.catalogue.check import BOTH, SINK_ONLY, SOURCE_ONLY
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.controls import kill_matrix
from plugwright_conformance.controls.journal import ControlJournal
from plugwright_conformance.controls.kill_matrix import MatrixOptions, compute_matrix
from plugwright_conformance.evidence.outcome import Level, Outcome, Severity
from plugwright_conformance.mutants import BENIGN, materialise
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

ROW = (
    '{"checks": {"CON-1": 1, "SNK-1": 2}, "control": "G11", "false_alarms": {"SNK-1": "why"},'
    ' "seed": "0001"}\n'
)
OLD = (
    '{"checks": 57, "control": "G11", "false_alarms": [], "seed": "0001",'
    ' "suite": "0be1f6e5c0ddba6a"}\n'
)


def check(name, revision=1, kinds=BOTH, *, live=False):
    """As much of a check as a journal and a matrix look at."""
    known = {"id": name, "revision": revision, "kinds": kinds, "live": live, "level": Level.C2}
    return SimpleNamespace(**known)


CON, SNK = check("CON-1"), check("SNK-1", 2, SINK_ONLY)
SRC, LIVE = check("SRC-1", 1, SOURCE_ONLY), check("CON-9", live=True)


@pytest.fixture
def path(tmp_path):
    """Where the journal is to be."""
    return tmp_path / "controls.jsonl"


@pytest.fixture
def resumed(path, monkeypatch):
    """The controls' part of a matrix over a journal, with what each control was put before."""
    chosen = [control for control in BENIGN if control.id in {"G05", "G11"}]
    monkeypatch.setattr(kill_matrix, "BENIGN", chosen)

    def run(checks, failing=(), workers=1, seeds=("0001",), live=None):
        ran, reported = [], []

        def results(_bed, control, chosen, seed):
            names = [each.id for each in chosen]
            ran.append((control.id, seed, *names))
            outcomes = [Outcome.FAIL if name in failing else Outcome.PASS for name in names]
            pairs = zip(names, outcomes, strict=True)
            return [SimpleNamespace(id=n, outcome=o, message="") for n, o in pairs]

        monkeypatch.setattr(kill_matrix._TestBed, "results", results)
        matrix = compute_matrix(
            checks,
            MatrixOptions(
                plugin_path=PLUGIN_PATH,
                seeds=seeds,
                live=live,
                controls_only=True,
                workers=workers,
            ),
            listener=SilentListener(),
            progress=reported.append,
            journal=ControlJournal(path, checks),
        )
        rows = {row.id: (row.checks, list(row.false_alarms)) for row in matrix.benign}
        return SimpleNamespace(ran=ran, reported=reported, rows=rows)

    return run


def test_row_tells_which_checks_were_run_in_which_revision(path):
    """And which of them gave a false alarm."""
    ControlJournal(path, [CON, SNK]).enter("G11", "0001", ["CON-1", "SNK-1"], {"SNK-1": "why"})

    assert path.read_text("utf-8") == ROW


def test_rows_of_one_control_and_seed_add_up(path):
    """A check that is there twice counts once, and its false alarm is not taken back."""
    journal = ControlJournal(path, [CON, SNK, SRC])
    journal.enter("G11", "0001", ["SNK-1"], {"SNK-1": "why"})
    journal.enter("G11", "0001", ["CON-1", "SNK-1"], {"CON-1": "why"})
    journal.enter("G11", "0002", ["SRC-1"], {})

    found = ControlJournal(path, [CON, SNK, SRC])

    assert found.find("G11", "0001") == journal.find("G11", "0001") == (2, ["CON-1", "SNK-1"])
    assert found.missing("G11", "0001", [CON, SNK, SRC]) == [SRC]


@pytest.mark.parametrize(
    ("suite", "found"),
    [
        ([CON, SNK], (2, ["SNK-1"])),
        ([CON, SNK, SRC, LIVE], (2, ["SNK-1"])),
        ([CON, check("SNK-1", 3)], (1, [])),
        ([CON, check("SNK-1", 1)], (1, [])),
        ([CON], (1, [])),
        ([SRC], (0, [])),
    ],
    ids=["same", "grown", "new-revision", "old-revision", "check-gone", "all-gone"],
)
def test_record_counts_for_the_present_revision_only(path, suite, found):
    """Whatever else became of the suite."""
    path.write_text(ROW, "utf-8")

    assert ControlJournal(path, suite).find("G11", "0001") == found


@pytest.mark.parametrize(
    "line",
    [
        OLD,
        ROW[:-3],
        "57\n",
        "\n",
        ROW.replace('{"SNK-1": "why"}', '["SNK-1"]'),
        ROW.replace('"G11"', "[11]"),
        ROW.replace('"CON-1": 1, "SNK-1": 2', '"CON-1": null, "CON-9": null, "SNK-1": [2]'),
    ],
    ids=["old-form", "cut-off", "number", "empty", "alarms", "control", "revisions"],
)
def test_line_of_another_form_is_no_row(path, line):
    """And the next run has a line of its own all the same."""
    path.write_text(line, "utf-8")
    journal = ControlJournal(path, [CON, SNK])
    assert journal.find("G11", "0001") == (0, [])

    journal.enter("G11", "0001", ["CON-1", "SNK-1"], {"SNK-1": "why"})

    assert ControlJournal(path, [CON, SNK]).find("G11", "0001") == (2, ["SNK-1"])
    assert path.read_text("utf-8") == line.rstrip("\n") + "\n" + ROW


def test_resumed_run_has_only_what_is_missing(resumed):
    """A control is not put before checks of the other kind, and they are not missing for ever."""
    first = resumed([CON, SNK, LIVE], ["SNK-1"])
    second = resumed([CON, SNK, SRC, LIVE], ["SRC-1"])
    third = resumed([CON, SNK, SRC, LIVE])

    assert first.ran == [("G05", "0001", "CON-1"), ("G11", "0001", "CON-1", "SNK-1")]
    assert second.ran == [("G05", "0001", "SRC-1")]
    assert second.reported == ["G05 single-task source for any number of tasks, seed 0001"]
    assert (third.ran, third.reported) == ([], [])
    assert third.rows == {"G05": (2, ["SRC-1"]), "G11": (2, ["SNK-1"])}


def test_check_of_a_new_revision_is_run_again(resumed):
    """What its former revision found is not seen any more."""
    resumed([CON, SNK], ["SNK-1"])

    again = resumed([CON, check("SNK-1", 3, SINK_ONLY)])

    assert again.ran == [("G11", "0001", "SNK-1")]
    assert again.rows == {"G05": (1, []), "G11": (2, [])}


def test_live_checks_come_last_and_with_one_seed(resumed):
    """There is one Spark, and what a seed changes is tried without it."""
    first = resumed([LIVE, CON], seeds=["0001", "0002"], live=object())
    again = resumed([LIVE, CON], ["CON-9"], live=object())

    assert [row[1:] for row in first.ran] == [
        ("0001", "CON-1"),
        ("0001", "CON-1"),
        ("0002", "CON-1"),
        ("0002", "CON-1"),
        ("0001", "CON-9"),
        ("0001", "CON-9"),
    ]
    assert first.rows == {"G05": (3, []), "G11": (3, [])}
    assert again.ran == []


@pytest.mark.slow
def test_workers_receive_what_is_missing(resumed):
    """Each control in a process of its own."""
    resumed([CON])

    found = resumed([CON, SNK, SRC], ["CON-1", "SNK-1"], workers=2)

    assert found.rows == {"G05": (2, []), "G11": (2, ["SNK-1"])}
    assert resumed([CON, SNK, SRC]).ran == []


def test_only_what_a_good_connector_should_do_is_left_out():
    """What it must do it does, however odd it is."""
    should = {check.id for check in CHECKS if check.severity is Severity.SHOULD}
    left_out = {name for control in BENIGN for name in control.not_passed}
    put = {
        c.id for b in BENIGN for c in kill_matrix._for_benign(b, CHECKS, live=True) if b.not_passed
    }

    assert left_out == {"CON-REB-02"}
    assert left_out < should
    assert put >= {"CON-DLV-01", "CON-REB-01", "CON-SPK-05"}
    assert not left_out & put


@pytest.mark.slow
def test_control_is_of_the_kind_that_its_location_has(tmp_path):
    """Else checks that are never run would be missing for ever."""
    opened = {
        control.id: open_subjects(materialise(control, PLUGIN_PATH, tmp_path), tmp_path)[0].kind
        for control in BENIGN
    }

    assert {control.id: control.kind for control in BENIGN} == opened
