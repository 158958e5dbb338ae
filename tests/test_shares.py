"""Workers that have shares of the files leave out no test and run none twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.shares import is_in_another_share

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests.shares import is_in_another_share, pytest_configure_node, pytest_xdist_make_scheduler
def pytest_ignore_collect(collection_path, config):
    return collection_path.suffix == ".py" and is_in_another_share(collection_path, config) or None
"""
TESTS = """
from pathlib import Path
def note(text):
    with open({log!r}, "a") as file:
        file.write(text + "\\n")
def test_first(): note(f"{{Path(__file__).name}} first")
def test_last(): note(f"{{Path(__file__).name}} last")
"""
CRASHES = "import os\ndef test_end(): os._exit(1)\n"


@pytest.mark.parametrize("count", [1, 2, 3, 16])
def test_each_file_is_in_one_share(count):
    """Of this repository."""
    workers = [
        SimpleNamespace(rootpath=ROOT, workerinput={"share": (number, count)})
        for number in range(count)
    ]
    files = list(Path(__file__).parent.rglob("test_*.py"))

    runs = {f: [w for w in workers if not is_in_another_share(f, w)] for f in files}

    assert len(files) > 400
    assert {len(by) for by in runs.values()} == {1}


def test_a_run_without_workers_has_all_files():
    """Pytest gives its configuration an input in workers alone."""
    assert not is_in_another_share(Path(__file__), SimpleNamespace(rootpath=ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("crashes", [False, True])
def test_each_test_runs_once(tmp_path, crashes):
    """On real workers, one of which may have to be replaced."""
    log = tmp_path / "log"
    names = [f"test_{letter}.py" for letter in "abcdefgh"]
    (tmp_path / "pytest.toml").write_text("")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name in names:
        (tmp_path / name).write_text(TESTS.format(log=str(log)))
    if crashes:
        (tmp_path / "test_0.py").write_text(CRASHES)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "--dist", "each", str(tmp_path)],
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        | {"PYTEST_PLUGINS": "xdist"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == int(crashes), done.stdout
    ran = sorted(log.read_text().splitlines())
    assert ran == sorted(f"{name} {test}" for name in names for test in ("first", "last"))
    assert f"{len(ran)} passed" in done.stdout
