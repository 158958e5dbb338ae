"""A failure found by ``plugwright certify`` is reported on the terminal and in every report."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.mutants import MUTANTS, materialise

pytestmark = pytest.mark.slow

PLUGWRIGHT = str(Path(sys.executable).with_name("plugwright"))
EXPECTED = "commit <= 0, the durable mark"
OBSERVED = "commit 1; 1 records not durable"


def certify(*words, cwd):
    """Run the command as a user would."""
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TMPDIR": str(cwd)}
    command = [PLUGWRIGHT, *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A directory with the sink that promises what it has only buffered."""
    made = tmp_path_factory.mktemp("certify")
    (mutant,) = [m for m in MUTANTS if m.id == "M084"]
    materialise(mutant, PLUGIN_PATH, made)
    return made


@pytest.fixture(scope="module")
def done(home):
    """One certification of it, up to the level of the check that fails, without a live system."""
    words = ("--report", "reports", "--no-live", "--level", "C3", "--seed", "ab")
    return certify("certify", "M084", *words, cwd=home)


@pytest.fixture(scope="module")
def report(done, home):
    """Where its reports are."""
    return home / "reports" / "M084"


@pytest.fixture(scope="module")
def failed(report):
    """The line of the failed check in results.json."""
    results = json.loads((report / "results.json").read_text())["results"]
    return next(result for result in results if result["id"] == "SNK-OFF-02")


def test_exit_status_says_that_something_was_found(done):
    """4 is neither a usage error nor a bug."""
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)


@pytest.mark.parametrize(
    "words", ["SNK-OFF-02", EXPECTED, OBSERVED, "--check SNK-OFF-02 --seed ab"]
)
def test_terminal_tells_the_failure(done, words):
    """Whoever reads only the terminal knows enough."""
    assert words in done.stdout + done.stderr


def test_results_tell_the_failure(failed):
    """Programs find the same parts."""
    assert (failed["outcome"], failed["expected"], failed["observed"]) == (
        "FAIL",
        EXPECTED,
        OBSERVED,
    )
    assert "--check SNK-OFF-02 --seed ab" in failed["replay"]


def test_junit_tells_the_failure(report):
    """Continuous integration shows it as a failed test."""
    (case,) = [
        case
        for case in ET.parse(report / "junit.xml").iter("testcase")  # noqa: S314  # our own file
        if "SNK-OFF-02" in case.attrib["name"] + case.attrib.get("classname", "")
        and case.find("failure") is not None
    ]
    text = case.find("failure").text + str(case.find("failure").attrib)

    assert EXPECTED in text
    assert OBSERVED in text
    assert "--seed ab" in text


@pytest.mark.parametrize(
    "words", ["SNK-OFF-02", "commit &lt;= 0, the durable mark", OBSERVED, "--seed ab"]
)
def test_page_tells_the_failure(report, words):
    """People find it in the browser."""
    text = re.sub("<[^>]+>", "", (report / "report.html").read_text())

    assert words in text


def test_replay_command_fails_the_same_check_again(failed, home):
    """The printed command is all that it takes."""
    words = shlex.split(failed["replay"])

    again = certify(*words[1:], cwd=home)

    assert (words[0], again.returncode) == ("plugwright", 4)
    assert EXPECTED in again.stdout + again.stderr
    assert "1 of 1" not in again.stdout


def test_must_check_that_could_not_be_run_is_no_success(home, tmp_path):
    """It is named with its reason; what was declined is no reason to complain."""
    location = tmp_path / "file-sink"
    shutil.copytree(PLUGIN_PATH / "file-sink", location)
    driver = location / "plugwright_file_sink" / "testing.py"
    driver.write_text(f"{driver.read_text()}\n    refuse = None\n")

    missed = certify("certify", str(location), "--no-live", "--check", "CON-OBS-04", cwd=home)
    declined = certify("certify", str(location), "--no-live", "--check", "CON-DLV-01", cwd=home)

    assert missed.returncode == 4
    assert "not run    1: the endpoint driver does not implement refuse()" in missed.stdout
    assert declined.returncode == 0
    assert "not run    2: requires Spark and a Kafka broker" in declined.stdout


def test_type_chooses_among_the_connectors_of_all_locations(tmp_path):
    """The others are not run; without any left there is nothing to do."""
    both = [str(PLUGIN_PATH / name) for name in ("file-source", "file-sink")]
    words = ("--no-live", "--check", "PLG-PKG-08", "--json")
    sinks = certify("certify", *both, "--type", "sink", *words, cwd=tmp_path)
    none = certify("certify", both[0], "--type", "sink", *words, cwd=tmp_path)

    (run,) = json.loads(sinks.stdout)["runs"]
    assert run["results"]["plugin"]["type"] == "sink"
    assert (sinks.returncode, none.returncode) == (0, 2)
    assert "conformance.nothing-to-run" in none.stderr


def test_kill_in_mid_run_leaves_no_half_report(tmp_path):
    """Reports appear whole or not at all."""
    location, report = str(PLUGIN_PATH / "file-source"), tmp_path / "reports"
    command = [PLUGWRIGHT, "certify", location, "--no-live", "--report", str(report)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as run:
        next(line for line in run.stderr if "CON-LIF-04" in line)
        time.sleep(0.2)
        run.kill()

    assert run.returncode == -signal.SIGKILL
    assert [path for path in report.rglob("*") if path.is_file()] == []


def test_json_is_all_of_standard_output(home):
    """The content of ``results.json``, and where the files are; the rest is on standard error."""
    words = ("--json", "--no-live", "--check", "SNK-OFF-02", "--seed", "ab", "--report", "again")
    done = certify("certify", "M084", *words, cwd=home)

    document = json.loads(done.stdout)
    (run,) = document["runs"]
    results = (home / "again/M084/results.json").read_text()
    assert (done.returncode, document["failed"], run["results"]) == (4, True, json.loads(results))
    assert (document["format"], run["report"]) == ("plugwright-certification/1", "again/M084")
    assert (run["certificate"], run["signed_by"]) == (None, None)  # not the whole suite
    assert OBSERVED in done.stderr


def test_each_configuration_is_certified_by_itself(tmp_path):
    """With its settings and its driver, also in other processes, and with reports of its own."""
    location = tmp_path / "configured"
    shutil.copytree(
        PLUGIN_PATH / "file-sink", location, ignore=shutil.ignore_patterns("__pycache__")
    )
    file = location / "plugwright_file_sink" / "conformance.toml"
    head, _, table = file.read_text("utf-8").partition("[[plugin]]")
    good = f'[[plugin]]\nconfiguration = "good"{table}'
    bad = good.replace('"good"', '"bad"').replace(".testing:", ".no_such_module:")
    file.write_text(f"{head}{good}\n{bad}", "utf-8")
    words = ("--json", "--no-live", "--check", "SNK-ERR-10", "--report", "reports")

    done = certify("certify", "configured", *words, cwd=tmp_path)

    sink = "plugwright_file_sink.FileStreamSinkConnector"
    runs = [run["results"] for run in json.loads(done.stdout)["runs"]]
    assert [run["plugin"]["plugin_class"] for run in runs] == [f"{sink}[good]", f"{sink}[bad]"]
    assert [run["results"][0]["outcome"] for run in runs] == ["PASS", "ERROR"]
    assert f"--plugin '{sink}[bad]'" in runs[1]["results"][0]["replay"]
    assert {path.name for path in (tmp_path / "reports").iterdir()} == {
        "configured-FileStreamSinkConnector[good]",
        "configured-FileStreamSinkConnector[bad]",
    }
