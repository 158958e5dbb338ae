"""The runtime's log of a run is in its file, and not on the terminal."""

from __future__ import annotations

import subprocess
import sys

LOGS = """
import logging, sys
from pathlib import Path
from plugwright_conformance.live.log_file import logging_to

with logging_to(Path(sys.argv[1])):
    logging.getLogger("plugwright.kafka").warning("no broker at %s", "a:1")
logging.getLogger("plugwright.kafka").warning("after it")
"""


def test_what_is_logged_meanwhile_is_in_the_file_alone(tmp_path):
    """With time, level and logger; a process of its own has no other handlers."""
    file = tmp_path / "worker.log"

    done = subprocess.run(
        [sys.executable, "-c", LOGS, file], capture_output=True, text=True, check=True
    )

    assert file.read_text("utf-8")[23:] == " WARNING plugwright.kafka: no broker at a:1\n"
    assert (done.stdout, done.stderr) == ("", "after it\n")
