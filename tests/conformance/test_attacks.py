"""Attacks on the harness end in an error or a failure, never in a pass (reference 5.4)."""

from __future__ import annotations

import argparse
import re
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance import checks
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.checks.delivery import open_pipeline
from plugwright_conformance.commands.certify import CERTIFY
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Outcome
from plugwright_conformance.execution.workbench import Workbench
from plugwright_conformance.simulator import SimulatedCheck


def test_every_attack_of_the_reference_has_a_test_that_names_it():
    """H01 to H24, wherever the test of it belongs."""
    text = " ".join(file.read_text() for file in Path(__file__).parent.rglob("test_*.py"))

    assert [
        name for n in range(1, 25) if (name := f"H{n:02}") not in set(_NAMED.findall(text))
    ] == []


def check(act, base=Check, **more):
    """A check that does what a test specifies."""
    texts = {"group": "Tests", "title": "a claim", "why": "", "mend": ""}
    body = {"id": "TST-TST-01", "level": Level.C1, **texts, **more}
    return type("Acting", (base,), {**body, "run": lambda self, bench: act(bench)})


def certify(*words):
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser()
    CERTIFY.configure(parser)
    return CERTIFY.run(parser.parse_args([*map(str, words)]))


@pytest.fixture
def location(tmp_path):
    """A copy of the good file sink, to be tampered with."""
    return shutil.copytree(PLUGIN_PATH / "file-sink", tmp_path / "file-sink")


def tamper(location, module, *changes):
    """Replace text in a module of the plugin."""
    file = location / "plugwright_file_sink" / f"{module}.py"
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)


MEMORY = "SEEN = []\n\n\n"
_NAMED = re.compile(r"H[0-2]\d(?=[,)])")
IMPORT = "from plugwright_file_sink.testing import SEEN\n"
SETTINGS = "from plugwright_file_sink.settings"
DRIVER = '    """A file in a private directory, written and read without the connector."""\n'
FROM_MEMORY = "\n    def read_back(self):\n        return SEEN\n"
TO_MEMORY = """
    def seed(self, values):
        SEEN.extend(values)
        super().seed(values)
"""


@pytest.mark.slow
def test_suite_without_checks_certifies_nothing(location, monkeypatch, tmp_path):
    """Nothing that went wrong is not the same as something that went well (H01)."""
    monkeypatch.setattr(checks, "CHECKS", ())

    with pytest.raises(ConnectError) as caught:
        certify(location, "--no-live", "--report", tmp_path / "out")

    assert caught.value.code == "conformance.nothing-to-run"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_driver_that_answers_from_memory_proves_nothing(run, location):
    """A sink that writes nowhere, and a driver that reads what both remember (H03).

    The task lives in another process than the driver, so there is nothing that both remember.
    """
    tamper(
        location,
        "testing",
        ("class File", f"{MEMORY}class File"),
        (DRIVER, f"{DRIVER}{FROM_MEMORY}"),
    )
    remembering = ("self._write(data)", "SEEN.extend(data.decode().splitlines())")
    tamper(location, "task", remembering, (SETTINGS, f"{IMPORT}{SETTINGS}"))

    found = run(location, "SNK-OFF-01", "CON-DLV-03").results

    assert {result.outcome for result in found} <= {Outcome.FAIL, Outcome.ERROR}


@pytest.mark.slow
def test_memory_that_task_and_driver_share_proves_nothing(run, location):
    """Checks that call the task beside the driver are not fooled either (H03)."""
    tamper(
        location,
        "testing",
        ("class File", f"{MEMORY}class File"),
        (DRIVER, f"{DRIVER}{TO_MEMORY}{FROM_MEMORY}"),
    )
    remembering = ("self._write(data)", "SEEN.extend(data.decode().splitlines())")
    tamper(location, "task", remembering, (SETTINGS, f"{IMPORT}{SETTINGS}"))

    found = run(location, "SNK-TYP-01", "SNK-OFF-02").results

    assert {result.outcome for result in found} == {Outcome.ERROR}
    assert "the endpoint driver answers from memory" in found[0].message


def test_driver_that_is_silent_on_both_sides_is_an_error(bench, monkeypatch):
    """Nothing equals nothing, and is no observation (H04)."""
    monkeypatch.setattr("plugwright_conformance.subject.endpoint._Guarded.seed", lambda *_: None)
    monkeypatch.setattr(Workbench, "live", SimpleNamespace())

    with (
        pytest.raises(AssertionError, match="does not read back its seeded values"),
        open_pipeline(bench),
    ):
        pass


@pytest.mark.parametrize("observations", [0, -1])
def test_pass_without_an_observation_is_an_error(run, observations):
    """Whatever a check says of itself (H04)."""
    (result,) = run("file-sink", registry=[check(lambda _: Evidence(observations))]).results

    assert result.outcome is Outcome.ERROR


def test_broker_that_goes_away_is_an_error(run):
    """Neither the plugin's failure nor its success (H05)."""

    def gone(_):
        raise ConnectError("no Kafka answers", code="environment.kafka-unreachable")

    (result,) = run("file-sink", registry=[check(gone)]).results

    assert (result.outcome, result.message.split(" (")[0]) == (
        Outcome.ERROR,
        "ConnectError: no Kafka answers",
    )


@pytest.mark.slow
def test_plugin_that_behaves_under_test_is_found(run, location):
    """The experiment does not look like a test: a defeat device shows itself (H07)."""
    tested = "'pytest' in sys.modules or 'PYTEST_CURRENT_TEST' in os.environ"
    honest = "        self._write(data)"
    tamper(location, "task", (honest, f"        if {tested}:\n    {honest}"))
    tamper(location, "task", ("import os\n", "import os\nimport sys\n"))

    (result,) = run(location, "CON-DLV-03").results

    assert result.outcome is Outcome.FAIL


@pytest.mark.slow
def test_no_name_tells_a_plugin_that_it_is_tested(run, location):
    """Connector, topic and threads are called as in production (H07)."""
    opened = "        self._path = Path(file"
    names = "[props['name'], props['topics'], *(each.name for each in threading.enumerate())]"
    tells = "any(word in name for word in ('conform', 'certif', 'plugwright') for name in names)"
    device = f"        names = {names}\n        if {tells}:\n            return\n{opened}"
    tamper(location, "task", (opened, device), ("import os\n", "import os\nimport threading\n"))

    (result,) = run(location, "CON-DLV-03").results

    assert result.outcome is Outcome.PASS


@pytest.mark.slow
@pytest.mark.parametrize("place", [".", "file-sink", "file-sink/plugwright_file_sink"])
def test_projects_own_conftest_is_not_loaded(location, monkeypatch, tmp_path, place):
    """Nobody's fixtures or hooks have a say (H09)."""
    short = tuple(check for check in CHECKS if check.id == "PLG-PKG-08")
    monkeypatch.setattr(checks, "CHECKS", short)
    monkeypatch.chdir(tmp_path)
    (tmp_path / place / "conftest.py").write_text("raise SystemExit('loaded')\n")

    assert certify(location, "--no-live") == 0


@pytest.mark.slow
def test_clock_that_is_set_back_saves_no_time(run, monkeypatch):
    """Durations and budgets are those of a clock that only goes forward (H15)."""

    def turn(_):
        monkeypatch.setattr(time, "time", lambda: 0.0)
        time.sleep(0.02)
        return Evidence(1)

    (result,) = run("file-sink", registry=[check(turn)]).results

    assert 0.02 <= result.duration_s < 60  # the pause, and no day


def test_failure_is_not_tried_again(run, tmp_path):
    """The first answer counts: a second that differs cannot hide it (H21)."""
    calls = tmp_path / "calls"  # of a check that runs in another process

    def fickle(_):
        with calls.open("a") as file:
            file.write("x")
        if calls.read_text() == "x":
            raise CheckFailedError("a", "b")
        return Evidence(1)

    (result,) = run("file-sink", registry=[check(fickle)]).results

    assert (result.outcome, calls.read_text()) == (Outcome.FAIL, "x")


@pytest.mark.slow
def test_experiment_process_that_dies_with_its_results_is_an_error(run, location):
    """A process that is gone has not said that all was well (H22)."""
    tamper(location, "task", ('"""The task', 'import os as _os; _os._exit(0)\n"""The task'))
    lost = type("Lost", (SimulatedCheck,), {**vars(check(None)), "experiment": lambda *_: None})
    lost.run, lost.id = SimulatedCheck.run, "CON-DLV-03"

    (result,) = run(location, registry=[lost]).results

    assert result.outcome is Outcome.ERROR
    assert "gave no report" in result.message
