"""Subjects made of the bundled plugins and of their broken variants, and runs over them."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.execution.workbench import Workbench
from plugwright_conformance.mutants import MUTANTS, materialise
from plugwright_conformance.reference import reference
from plugwright_conformance.simulator import ExperimentProcesses
from plugwright_conformance.subject.imports import forgetting_imports
from plugwright_conformance.subject.subject import open_subjects

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"


def check_of(check_id):
    """The check with an id."""
    (found,) = (check for check in CHECKS if check.id == check_id)
    return found


class Listener:
    """Remembers what a run said."""

    def __init__(self):
        self.heard = []

    def started(self, plugin_name, total):
        """Note it."""
        self.heard.append(("started", plugin_name, total))

    def phase(self, text):
        """Note it."""
        self.heard.append(("phase", text))

    def check_started(self, id, title):  # noqa: A002  # the seam's name
        """Note it."""
        self.heard.append(("check_started", id))

    def check_finished(self, result):
        """Note it."""
        self.heard.append(("check_finished", result.id))

    def finished(self, results, directory):
        """Note it."""
        self.heard.append(("finished",))


@pytest.fixture(autouse=True)
def _no_bundled_plugins(monkeypatch):
    """Each subject brings its own code: nothing of the bundled plugins is there before it."""
    bundled = str(PLUGIN_PATH)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if bundled not in entry])
    for name in [name for name in sys.modules if name.startswith("plugwright_file_")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def listener():
    """Hears of runs."""
    return Listener()


@pytest.fixture
def workspace(tmp_path):
    """An empty directory for a run."""
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def mutate(tmp_path):
    """Makes a mutant, by its id, and returns its location."""
    by_id = {mutant.id: mutant for mutant in MUTANTS}
    return lambda name: materialise(by_id[name], PLUGIN_PATH, tmp_path / "mutants")


@pytest.fixture
def subject(workspace, tmp_path):
    """Opens the one connector of a location, or of a good plugin by its name."""

    def subject(location):
        if own := reference(str(location)):
            location = tmp_path / "references" / str(location)
            if not location.exists():
                own.materialise(location)
        return open_subjects(PLUGIN_PATH / location, workspace)[0]

    return subject


@pytest.fixture(scope="session")
def shared_experiment_processes():
    """The experiment processes of all runs: each experiment has a new one."""
    with ExperimentProcesses() as made:
        yield made


@pytest.fixture
def run(subject, workspace, listener, shared_experiment_processes):
    """Runs checks over a location."""

    def run(location, *checks, live=None, records=1000, seed="7f3c", registry=CHECKS, **more):
        more = {"experiment_processes": shared_experiment_processes, **more}
        options = RunOptions(seed=seed, records=records, selection=checks, **more)
        return run_checks(
            subject(location), registry, options, workspace=workspace, live=live, listener=listener
        )

    return run


@pytest.fixture
def bench(subject, workspace):
    """A workbench over the good file sink, in a module state of its own."""
    made = subject("file-sink")
    with forgetting_imports(made.root):
        yield Workbench(subject=made, random=Random(0), workspace=workspace, records=1000)  # noqa: S311  # repeatable
