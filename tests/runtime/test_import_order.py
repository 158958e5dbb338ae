"""The import path of every process that runs plugins."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from plugwright.import_order import placed

pytestmark = pytest.mark.slow

LIB = os.path.dirname(os.__file__)  # noqa: PTH120  # as the path has it
INSTALLED = f"{LIB}/site-packages"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ([LIB, f"{LIB}/lib-dynload", INSTALLED], [LIB, f"{LIB}/lib-dynload", "a", "b", INSTALLED]),
        (["/spark.zip", LIB, INSTALLED], ["/spark.zip", LIB, "a", "b", INSTALLED]),
        ([LIB, "b", INSTALLED, "a"], [LIB, "a", "b", INSTALLED]),
        ([f"{LIB}-of-another", LIB], [f"{LIB}-of-another", LIB, "a", "b"]),
        ([LIB, f"{LIB}/dist-packages"], [LIB, "a", "b", f"{LIB}/dist-packages"]),
        (["/nothing/known"], ["/nothing/known", "a", "b"]),
    ],
)
def test_locations_stand_behind_the_library_and_before_what_is_installed(path, expected):
    """In their order, each once, wherever they stood before."""
    assert placed(path, ["a", "", "b", "a"]) == expected


@pytest.mark.parametrize(
    "module", ["plugins._fork_server", "hosts._serving", "import_order", "processes"]
)
def test_what_runs_before_a_location_is_on_the_path_needs_nothing_that_is_installed(module):
    """Or a plugin would get the host's copy of it instead of its own."""
    code = (
        f"import sys, plugwright.{module}\n"
        "known = {*sys.stdlib_module_names, 'plugwright', '__main__'}\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules if n not in before} - known))"
    )
    command = [sys.executable, "-c", f"import sys; before = set(sys.modules)\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_fork_server_has_what_every_child_needs():
    """Or each child would import the author's API anew, for every location."""
    code = (
        "import sys, plugwright.plugins._fork_server; before = set(sys.modules)\n"
        "import plugwright; plugwright.SinkConnector; import plugwright.import_order\n"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
