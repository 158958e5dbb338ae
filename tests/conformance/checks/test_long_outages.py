"""A sink that tries again at once, up to a time limit of its own, is left alone."""

from __future__ import annotations

import shutil

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

INSISTING = """

import time


def _insist(self, data):
    until, rest = time.monotonic() + 240, memoryview(data)
    while rest:
        try:
            rest = rest[os.write(self._descriptor, rest) :]
        except BlockingIOError as error:
            if time.monotonic() > until:
                raise ConnectError("the pipe was full for four minutes") from error


FileStreamSinkTask._write = _insist
"""


@pytest.mark.slow
def test_time_limit_without_pauses_is_reached_within_some_hundred_attempts(tmp_path, workspace):
    """Nobody waits four minutes for it, and it does not count as a task that hangs."""
    location = tmp_path / "file-sink"
    shutil.copytree(PLUGIN_PATH / "file-sink", location)
    module = location / "plugwright_file_sink" / "task.py"
    module.write_text(module.read_text("utf-8") + INSISTING, "utf-8")
    subject = open_subjects(location, workspace)[0]
    options = RunOptions(seed="ab", records=300, selection=("SNK-ERR-03",))

    (result,) = run_checks(
        subject, CHECKS, options, workspace=workspace, live=None, listener=SilentListener()
    ).results

    assert result.outcome is Outcome.PASS
    assert result.figures["attempts"] < 400 * result.figures["outages"]
