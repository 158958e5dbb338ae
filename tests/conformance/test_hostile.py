"""Whatever a package does to whoever tests it: a verdict or its reason, and the next check."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.conftest import PLUGIN_PATH
from tests.plugin_paths import end_where_it_writes

pytestmark = pytest.mark.slow

PLUGWRIGHT = str(Path(sys.executable).with_name("plugwright"))
DEADLINE_S = 120

CHECKS = ("PLG-PKG-10", "PLG-PKG-11", "CON-CFG-08", "SNK-ERR-10")
"""One that runs no code of the plugin, and three that do: afresh, sheltered, simulated."""

NO_REPORT = "ERROR NoReportError: the import of plugwright_file_sink: exit"
NO_EXPERIMENT_REPORT = "ERROR ExperimentProcessError: the experiment process gave no report"
PASSES = ("PASS", "PASS")

AT_IMPORT = {
    "does-not-import": (
        "raise ImportError('no driver here')",
        "FAIL ImportError: no driver here from __init__.py",
        "ERROR DiscoveryError: the endpoint driver",
        NO_EXPERIMENT_REPORT,
    ),
    "calls-exit": (
        "import sys\nsys.exit(0)",
        f"{NO_REPORT} 0",
        "FAIL SystemExit: 0 from __init__.py",
        NO_EXPERIMENT_REPORT,
    ),
    "ends-the-process": (
        "import os\nos._exit(0)",
        f"{NO_REPORT} 0",
        "ERROR the plugin cannot be imported: its process ended with status 0",
        "ERROR the plugin cannot be imported: its process ended with status 0",
    ),
    "kills-the-process": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        f"{NO_REPORT} -9",
        "ERROR the plugin cannot be imported: its process was ended by SIGKILL",
        "ERROR the plugin cannot be imported: its process was ended by SIGKILL",
    ),
    "raises-what-is-not-caught": (
        "class Out(BaseException): ...\nraise Out('out')",
        f"{NO_REPORT} 1",
        "ERROR the plugin cannot be imported: Out: out",
        "ERROR the plugin cannot be imported: Out: out",
    ),
    "hangs": (
        "import time\ntime.sleep(10**6)",
        "FAIL none",
        "ERROR the plugin's import does not end within 10 s",
        "ERROR the plugin's import does not end within 10 s",
    ),
    "forks": ("import os\nos.fork()", "FAIL starts a process", *PASSES),
    "leaks-threads": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(10**6,)).start()",
        "FAIL changes the threads",
        *PASSES,
    ),
    "prints-megabytes": (
        "import os\nfor _ in range(500):\n    os.write(1, b'x' * 10_000)",
        "PASS",
        *PASSES,
    ),
    "deletes-its-directory": (
        "import pathlib, shutil\nshutil.rmtree(pathlib.Path(__file__).parents[1])",
        "FAIL removes a directory",
        "ERROR DiscoveryError: the endpoint driver",
        NO_EXPERIMENT_REPORT,
    ),
    "looks-for-tests": (
        "import sys\nif 'plugwright_conformance' in sys.modules:\n    raise RuntimeError('a test')",
        "FAIL RuntimeError: a test from __init__.py",
        "FAIL RuntimeError: a test from __init__.py",
        NO_EXPERIMENT_REPORT,
    ),
}


def certify(location, *checks):
    """Exit code, and how each check ended and why; too long a run is killed and fails."""
    words = [word for check in checks for word in ("--check", check)]
    command = [PLUGWRIGHT, "certify", location, "--no-live", "--json", "--seed", "ab", *words]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(location.parent)},
        timeout=DEADLINE_S,
        check=False,
    )
    results = json.loads(done.stdout)["runs"][0]["results"]["results"]
    reported = [f"{r['outcome']} {r['observed'] or r['message']}".strip() for r in results]
    return done.returncode, dict(zip([r["id"] for r in results], reported, strict=True))


@pytest.fixture
def location(tmp_path):
    """A copy of the good file sink."""
    made = tmp_path / "sink"
    shutil.copytree(PLUGIN_PATH / "file-sink", made, ignore=shutil.ignore_patterns("__pycache__"))
    return made


@pytest.mark.parametrize(
    ("code", "afresh", "sheltered", "simulated"), AT_IMPORT.values(), ids=AT_IMPORT
)
def test_import_that_does_harm_ends_no_run(code, afresh, sheltered, simulated, location):
    """Each check has its line, and those that run no code of the plugin have their verdict."""
    with (location / "plugwright_file_sink" / "__init__.py").open("a") as module:
        module.write(f"\n{code}\n")

    _, reported = certify(location, *CHECKS)

    assert list(reported) == list(CHECKS)
    assert reported["PLG-PKG-10"] == "PASS"
    assert reported["PLG-PKG-11"].startswith(afresh)
    assert reported["CON-CFG-08"].startswith(sheltered)
    assert reported["SNK-ERR-10"].startswith(simulated)


def test_task_that_ends_the_process_is_an_error_and_the_next_check_runs(location):
    """A process that ends with success is no success (H08)."""
    end_where_it_writes(location, 0)

    status, reported = certify(location, "CON-CFG-08", "SNK-TYP-01", "SNK-TYP-10", "CON-PAR-01")

    lost = "ERROR its process ended with status 0 before there was a verdict"
    assert list(reported.values()) == ["PASS", lost, lost, "PASS"]
    assert status == 4


def test_task_that_ends_its_process_in_the_simulator_has_instructions(location):
    """With the exit code, and the call that it was in."""
    end_where_it_writes(location, 3)

    _, reported = certify(location, "CON-DLV-03")

    assert reported["CON-DLV-03"].startswith(
        "ERROR ExperimentProcessError: the task ended: its process ended with status 3 in "
        "put(). "
        "Raise a ConnectError instead of ending the process, in which others work too; if it is "
        "not your own code, look for native code that fails, or for a want of memory."
    )


def test_copy_that_the_plugin_makes_of_the_process_gives_no_verdicts(location):
    """Else the next check would be given the copy's verdict of the last one."""
    with (location / "plugwright_file_sink" / "__init__.py").open("a") as module:
        module.write("\nimport os\nos.fork()\n")

    _, reported = certify(location, "CON-CFG-08", "SNK-TYP-01", "SNK-TYP-10")

    assert list(reported.values()) == ["PASS", "PASS", "PASS"]
