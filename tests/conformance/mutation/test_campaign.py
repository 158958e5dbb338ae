"""Mutants of a real sink before a few checks: the good one passes, bad ones are killed in time."""

from __future__ import annotations

import argparse
import json

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.cli import ExitCode
from plugwright.errors import ConnectError
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.commands.mutate import MUTATE
from plugwright_conformance.mutation import CodeMutant, Equivalents, MutationPlan, find_operators
from plugwright_conformance.mutation.campaign import Campaign
from plugwright_conformance.mutation.order import KillOrder
from plugwright_conformance.mutation.trial import MutantTrial
from plugwright_conformance.processes.temporary import kept_in, temporary_directory
from plugwright_conformance.simulator import ExperimentProcesses

pytestmark = pytest.mark.slow

SINK = PLUGIN_PATH / "file-sink"
MODULE = "plugwright_file_sink/task.py"
CHOSEN = [
    type(check.__name__, (check,), {"__doc__": check.__doc__, "budget_s": 20.0})
    for check in CHECKS
    if check.id in {"CON-LIF-01", "SNK-OFF-01"}
]
WRITES = "        self._write(data)\n"


def mutant(name, line):
    """The sink with another line in ``put``."""
    before = (SINK / MODULE).read_text()
    return CodeMutant(MODULE, name, 1, before, before.replace(WRITES, f"        {line}\n"))


@pytest.fixture
def experiment_processes():
    """Closed at the end."""
    with ExperimentProcesses() as ours:
        yield ours


def test_fates_of_mutants(tmp_path, experiment_processes):
    """Each in a process of its own, the campaign survives all of them."""
    baseline = MutantTrial(
        checks=CHOSEN, seed="01", experiment_processes=experiment_processes
    ).baseline(SINK, tmp_path)
    campaign = Campaign(
        location=SINK,
        checks=CHOSEN,
        baseline=baseline,
        seed="01",
        jobs=2,
        scratch=tmp_path,
        kills=KillOrder(baseline),
    )
    mutants = [
        mutant("fails", "self._write(data[1:])"),
        mutant("ends", "os._exit(3)"),
        mutant("stays", '__import__("time").sleep(3600)'),
        mutant("same", "self._write(bytes(data))"),
    ]

    fates = {each.operator: fate for each, fate in campaign.fates(mutants)}

    assert baseline.checks == ["CON-LIF-01", "SNK-OFF-01"]
    assert {name: fate.how.value for name, fate in fates.items()} == {
        "fails": "failed",
        "ends": "ended its process",
        "stays": "hung",
        "same": "survived",
    }
    assert not any(tmp_path.glob("*/file-sink"))


def test_broken_connector_is_refused(tmp_path, experiment_processes):
    """Its mutants would prove nothing."""
    broken = tmp_path / "file-sink"
    mutant("fails", "self._write(data[1:])").materialise(SINK, broken)

    with pytest.raises(ConnectError) as caught:
        MutantTrial(checks=CHOSEN, seed="01", experiment_processes=experiment_processes).baseline(
            broken, tmp_path
        )

    assert caught.value.code == "mutation.unsound"


def plan(**more):
    """What would be made of a sink."""
    given = {"operators": find_operators([]), "seed": "07", "sample": 5, "jobs": 1}
    table = Equivalents({})
    return MutationPlan(
        checks=CHOSEN, equivalents=table, journal=None, progress=lambda _: None, **{**given, **more}
    )


def test_sample_is_that_of_its_seed(tmp_path):
    """In the order of the mutants, and without the endpoint driver."""
    every, count = plan(sample=None).made(SINK, tmp_path)
    one, two = (plan().made(SINK, tmp_path)[0] for _ in range(2))
    other, _ = plan(seed="08").made(SINK, tmp_path)

    assert one == two != other
    assert len(one) == 5
    assert one == [each for each in every if each in one]
    assert len(every) == count > 300
    assert {each.module.rpartition("/")[2] for each in every} == {
        "connector.py",
        "settings.py",
        "task.py",
    }


def command(*words):
    """The exit status of the command."""
    MUTATE.configure(parser := argparse.ArgumentParser())
    return MUTATE.run(parser.parse_args([str(SINK), *words]))


def test_command_tells_survivors(monkeypatch, tmp_path, capsys):
    """With their diffs, in words and as JSON; the second time it reads its journal."""
    monkeypatch.setattr("plugwright_conformance.checks.CHECKS", CHOSEN)
    words = ["--operators", "last-of-key,not-made-durable", "--journal", str(tmp_path / "j.jsonl")]

    first = command(*words, "--output", str(tmp_path / "out.json"))
    reported = capsys.readouterr()
    again = command(*words, "--json")
    printed = capsys.readouterr()

    assert (first, again) == (ExitCode.FOUND, ExitCode.FOUND)
    assert "+            pass\n" in reported.out
    assert "of 3 plugwright_file_sink/task.py:" in reported.err
    assert "trying" not in printed.err
    written = json.loads((tmp_path / "out.json").read_text())
    assert written == json.loads(printed.out)
    assert written["runs"][0]["score"] == {
        "equivalent": 0,
        "killed": 1,
        "made": 3,
        "survived": 2,
        "tried": 3,
    }


def test_dry_run_shows_mutants_and_tries_none(capsys):
    """As diffs, in words and as JSON."""
    code = command("--operators", "not-made-durable", "--dry-run")
    shown = capsys.readouterr().out
    command("--operators", "not-made-durable", "--dry-run", "--json")
    document = json.loads(capsys.readouterr().out)

    assert code == ExitCode.DONE
    assert shown.count("file-sink not-made-durable\n--- a/") == 2
    assert document["format"] == "plugwright-mutants/1"
    assert [each["line"] for each in document["mutants"]] == [84, 141]


def test_unknown_operator_is_refused():
    """With the names of those that there are."""
    with pytest.raises(ConnectError) as caught:
        command("--operators", "drop-frist")

    assert caught.value.code == "mutation.no-such-operator"
    assert "drop-first" in caught.value.hint


def test_nothing_to_change_is_refused(tmp_path):
    """A sink of files has no secret to log."""
    with pytest.raises(ConnectError) as caught:
        command("--operators", "log-settings")

    assert caught.value.code == "mutation.no-mutant"


def test_temporary_files_of_mutants_go_with_the_run(monkeypatch):
    """And the variable is what it was."""
    import os  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    monkeypatch.setenv("TMPDIR", "/tmp")  # noqa: S108
    with temporary_directory("mutants") as own, kept_in(own) as scratch:
        left = tempfile.mkdtemp()

        assert left.startswith(os.environ["TMPDIR"])
    assert not scratch.exists()
    assert os.environ["TMPDIR"] == "/tmp"  # noqa: S108
