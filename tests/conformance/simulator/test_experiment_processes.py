"""Experiment processes are forked from one process and do not affect each other."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.simulator import (
    ExperimentProcessError,
    ExperimentProcesses,
)
from plugwright_conformance.simulator import experiment_processes as experiment_processes_module

pytestmark = pytest.mark.slow

LEAVES_A_PROCESS = (
    "import pathlib, subprocess\n"
    "left = subprocess.Popen(['sleep', '100'])\n"
    "pathlib.Path(__file__).with_name('left').write_text(str(left.pid))\n"
)
TELLS = (
    "import json, os, pathlib, sys, time\n"
    "found = {'modules': 'written_before' in sys.modules, 'input': sys.stdin.read(),\n"
    "        'tells': [n for n in os.environ if n.startswith(('PYTEST', 'PLUGWRIGHT'))],\n"
    "        'files': len(os.listdir('/proc/self/fd'))}\n"
    "sys.modules['written_before'] = sys\n"
    "pathlib.Path(__file__).with_name('found').open('a').write(json.dumps(found) + '\\n')\n"
)


@pytest.fixture
def experiment_processes():
    """ExperimentProcesses, whose process has ended at the end."""
    with ExperimentProcesses() as made:
        yield made


@pytest.fixture
def request_for(workspace, subject):
    """A request for an experiment with the good file sink, whose module may say more."""

    def request_for(check="SNK-ERR-05", more=""):
        made = subject("lines-sink")
        home = made.root / made.descriptor.module.partition(".")[0]
        with (home / "__init__.py").open("a", encoding="utf-8") as file:
            file.write(more)
        place = {"location": str(made.root), "workspace": str(workspace)}
        named = {"plugin": made.descriptor.class_name, "check": check}
        return {**place, **named, "seed": 7, "records": 1000}, home

    return request_for


def test_experiment_in_another_process_has_the_same_evidence(experiment_processes, request_for):
    """The second one finds a process that has made one before; another process has made none."""
    request, _ = request_for()

    first = experiment_processes.report(request, 60)
    second = experiment_processes.report(request, 60)
    with ExperimentProcesses() as others:
        third = others.report(request, 60)

    assert first["evidence"] == second["evidence"] == third["evidence"]
    assert first["evidence"]["observations"] > 0


def test_each_life_of_a_task_is_progress(experiment_processes, request_for, monkeypatch):
    """A check with many of them has its time for each, where programs of a plugin are slow."""
    renewed = []

    class Renewed(Patience):
        def renew(self):
            renewed.append(self.left_s())
            super().renew()

    monkeypatch.setattr(experiment_processes_module, "Patience", Renewed)
    request, _ = request_for("SNK-OFF-03")

    report = experiment_processes.report(request, 60)

    outages = report["evidence"]["figures"]["outages"]
    assert len(renewed) > outages / 2  # two may be heard at once


def test_experiment_process_finds_nothing_of_the_one_before_or_of_its_maker(
    experiment_processes, request_for
):
    """No module, no setting, no input, and no more open files."""
    request, place = request_for(more=TELLS)

    for _ in range(2):
        experiment_processes.report(request, 60)

    first, second = (place / "found").read_text("utf-8").splitlines()
    assert first == second
    assert '"modules": false, "input": "", "tells": []' in first


@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_plugin_that_ends_the_process_behind_costs_nothing(
    experiment_processes, request_for, monkeypatch, number
):
    """Another one is started, and the parent continues as well."""
    request, _ = request_for(more=f"import os, signal\nos.kill(os.getppid(), signal.{number})\n")
    monkeypatch.setattr(experiment_processes_module, "_HELLO_S", 3.0)

    found = [experiment_processes.report(request, 60) for _ in range(2)]

    assert ["evidence" in each for each in found] == [True, True]


def test_what_a_plugin_has_started_ends_with_its_process(experiment_processes, request_for):
    """Also where it is not waited for."""
    request, place = request_for(more=LEAVES_A_PROCESS)

    experiment_processes.report(request, 60)

    assert has_ended(int((place / "left").read_text("utf-8")))


def test_experiment_process_that_hangs_is_given_up_with_its_processes(
    experiment_processes, request_for
):
    """In the words that a verdict has for it."""
    hanging = LEAVES_A_PROCESS + "import threading\nthreading.Event().wait(100)\nwhile True: pass\n"
    request, place = request_for(more=hanging)

    with pytest.raises(ExperimentProcessError, match="not done within its budget of 3 s") as caught:
        experiment_processes.report(request, 3)

    assert caught.value.ending is CheckEnd.HUNG
    assert has_ended(int((place / "left").read_text("utf-8")))


@pytest.mark.parametrize(
    ("more", "last"),
    [
        ("raise ImportError('no numpy here')\n", "no numpy here"),
        ("import os\nos._exit(3)\n", "no output"),
    ],
    ids=["raises", "ends"],
)
def test_experiment_process_without_a_report_tells_its_last_words(
    experiment_processes, request_for, more, last
):
    """What went wrong is found there."""
    request, _ = request_for(more=more)

    with pytest.raises(
        ExperimentProcessError, match=f"^the experiment process gave no report: .*{last}"
    ):
        experiment_processes.report(request, 60)


def test_nothing_is_left_after_the_end(request_for):
    """No process and no experiment of it remains."""
    request, _ = request_for()
    with ExperimentProcesses() as experiment_processes:
        experiment_processes.report(request, 60)
        maker = experiment_processes._maker._process

    assert isinstance(maker, subprocess.Popen)
    assert maker.poll() == 0


def has_ended(pid):
    """Whether a process is gone soon, or is a zombie whose parent does not wait."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False
