"""The kill matrix says how good the suite is, and certificates rest on one of the very suite."""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.commands.kill_matrix import KILL_MATRIX, summary
from plugwright_conformance.controls import kill_matrix
from plugwright_conformance.controls.kill_matrix import (
    BenignRow,
    KillMatrix,
    KillRow,
    MatrixOptions,
    compute_matrix,
)
from plugwright_conformance.controls.shipped_matrix import require_matrix, shipped_matrix
from plugwright_conformance.mutants import BENIGN, MUTANTS
from plugwright_conformance.report.silent_listener import SilentListener

CATALOGUED = sorted(f"{check.id} rev {check.revision}" for check in CHECKS)


def matrix(killed=True, alarms=(), checks=CATALOGUED, mutants=MUTANTS):
    """A matrix as a computation would leave it."""
    rows = [KillRow(m.id, m.fault, m.base, m.killed_by, killed) for m in mutants]
    return KillMatrix(checks, ["1"], rows, [BenignRow("G05", "odd", "lines-source", 3, alarms)])


def refusal(data):
    """The reason why a matrix does not do."""
    with pytest.raises(ConnectError) as caught:
        require_matrix(data, CHECKS)
    assert caught.value.code == "certificate.kill-matrix"
    return caught.value.facts["reason"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "there is none"),
        (b"{}", "it cannot be read: KeyError 'checks'"),
        (matrix(checks=CATALOGUED[1:]).render(), "it is of another suite, with other checks"),
        (matrix(mutants=MUTANTS[1:]).render(), "it is of another suite, with other mutants"),
        (matrix(killed=False).render(), f"survivors or false alarms: {MUTANTS[0].id}, "),
        (matrix(alarms=["CON-LIF-02"]).render(), "survivors or false alarms: G05"),
    ],
    ids=["none", "broken", "other-checks", "other-mutants", "survivors", "false-alarms"],
)
def test_level_does_not_rest_on_a_bad_matrix(data, reason):
    """A mutant that lives, or a good connector that fails, blocks every certificate."""
    assert refusal(data).startswith(reason)


def test_mutants_that_need_a_live_system_may_be_open():
    """They are counted as not tried, and said to be."""
    found = matrix(killed=None)

    require_matrix(found.render(), CHECKS)

    assert found.score == "0 of 0"


def test_shipped_matrix_is_of_this_suite():
    """After a change of checks or mutants: make kill-matrix."""
    require_matrix(shipped_matrix(), CHECKS)


def test_equal_findings_give_equal_bytes():
    """Its digest means something."""
    assert matrix().render() == matrix().render()
    assert json.loads(matrix().render())["format"] == "plugwright-kill-matrix/1"


def test_summary_tells_the_flake_rate():
    """With what it rests on."""
    found = replace(matrix(alarms=["CON-LIF-02"]), seeds=["1", "2"])

    assert found.flakes == (1, 3)
    assert "flake rate                      33 %, 1 of 3 verdicts\n" in summary(found, "ab")


@pytest.mark.slow
def test_workers_find_what_one_finds(monkeypatch):
    """In whatever order."""
    monkeypatch.setattr(kill_matrix, "BENIGN", [b for b in BENIGN if b.id in {"G05", "G11"}])
    checks = [check for check in CHECKS if check.id in {"CON-LIF-02", "SNK-ERR-04"}]
    tried = []

    one, two = (
        compute_matrix(
            checks,
            MatrixOptions(
                plugin_path=PLUGIN_PATH, seeds=["1", "2"], controls_only=True, workers=workers
            ),
            listener=SilentListener(),
            progress=tried.append,
        ).render()
        for workers in (1, 2)
    )

    assert one == two
    assert sorted(tried[:4]) == sorted(tried[4:])
    assert [row["checks"] for row in json.loads(two)["benign"]] == [2, 4]


@pytest.mark.slow
def test_computation_tells_killed_mutants_from_survivors(monkeypatch):
    """By the expected words, not by any failure."""
    one = next(mutant for mutant in MUTANTS if mutant.id == "M028")
    odd = type(one)("M028x", "x", one.base, one.killed_by, "other words", one.module)
    object.__setattr__(odd, "class_name", one.class_name)
    monkeypatch.setattr(kill_matrix, "MUTANTS", (one, odd))
    monkeypatch.setattr(kill_matrix, "BENIGN", [b for b in BENIGN if b.id == "G05"])
    checks = [check for check in CHECKS if check.id in {"CON-CFG-06", "CON-LIF-02", "PLG-PKG-09"}]

    found = compute_matrix(
        checks,
        MatrixOptions(plugin_path=PLUGIN_PATH, seeds=["1", "2"]),
        listener=SilentListener(),
        progress=lambda _: None,
    )

    assert [(row.id, row.killed, tuple(row.also)) for row in found.mutants] == [
        ("M028", True, ()),
        ("M028x", False, ()),
    ]
    assert (found.score, [row.id for row in found.survivors]) == ("1 of 2", ["M028x"])
    assert [(row.id, row.checks, tuple(row.false_alarms)) for row in found.benign] == [
        ("G05", 6, ())
    ]


def test_the_command_writes_the_matrix_as_json(monkeypatch, capsys):
    """The whole of it, with its digest, and nothing else on standard output."""
    data = b'{"format": "x"}'
    found = SimpleNamespace(render=lambda: data, survivors=["M001"], false_alarms=[])
    monkeypatch.setattr(kill_matrix, "compute_matrix", lambda *_, **__: found)
    KILL_MATRIX.configure(parser := argparse.ArgumentParser())

    status = KILL_MATRIX.run(parser.parse_args(["--json"]))

    assert (status, json.loads(capsys.readouterr().out)) == (
        4,
        {
            "format": "plugwright-kill-matrix-run/1",
            "matrix": {"format": "x"},
            "sha256": hashlib.sha256(data).hexdigest(),
        },
    )
