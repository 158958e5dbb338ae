"""What a process and its children print, taken at its descriptors."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import logging, os, subprocess, sys
from plugwright.logs import captured_output

logging.basicConfig(filename=sys.argv[1], format="%(message)s", level=sys.argv[2])
print("before", flush=True)
with captured_output():
    print("python")
    sys.stderr.write("without end")
    os.write(2, b" raw\\x00\\n")
    subprocess.run(["echo", "child"], check=True)
print("after")
"""


def _printed(tmp_path, level):
    """What is in the log, and what came out all the same."""
    file = tmp_path / "log.txt"
    command = [sys.executable, "-c", SCRIPT, str(file), level]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return file.read_text(), done.stdout + done.stderr


def test_everything_is_logged_and_nothing_comes_out(tmp_path):
    """Until the block ends."""
    logged, out = _printed(tmp_path, "INFO")
    assert logged == "python\nwithout end raw?\nchild\n"
    assert out == "before\nafter\n"


def test_what_the_log_does_not_want_comes_out_as_before(tmp_path):
    """It is lost in neither case."""
    logged, out = _printed(tmp_path, "WARNING")
    assert logged == ""
    assert out == "before\npython\nwithout end raw\x00\nchild\nafter\n"
