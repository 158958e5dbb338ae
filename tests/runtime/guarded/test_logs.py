"""Logs of processes started here."""

from __future__ import annotations

import os
import subprocess

from plugwright.guarded import hold, new_log, tail


def test_only_the_last_ten_logs_are_kept(tmp_path):
    """Per subject: those of another one stay."""
    other = new_log(tmp_path, "ivy")

    logs = [new_log(tmp_path, "broker") for _ in range(12)]

    assert sorted((tmp_path / "logs").glob("broker-*.log")) == logs[2:]
    assert other.exists()


def test_the_log_of_a_process_that_runs_is_kept(tmp_path):
    """Whatever is written to later; once the process is over, the log is one of the oldest."""
    log = new_log(tmp_path, "broker")
    with log.open("ab") as output:
        hold(output)
        process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=output)  # noqa: S607  # any

    for _ in range(12):
        new_log(tmp_path, "broker")
    assert log.exists()

    process.communicate()
    new_log(tmp_path, "broker")
    assert not log.exists()


def test_a_name_tells_the_process(tmp_path):
    """Subject, time and process id."""
    log = new_log(tmp_path, "broker")

    assert log.parent == tmp_path / "logs"
    assert log.name.startswith("broker-20")
    assert log.name.endswith(f"-{os.getpid()}.log")


def test_the_tail_leaves_blank_lines_out(tmp_path):
    """The last lines that say something, also from a long log."""
    log = tmp_path / "log"
    log.write_bytes(b"x" * 100_000 + b"\nsecond \n\n  \nlast \xff\n")

    assert tail(log, 2) == ("second", "last \N{REPLACEMENT CHARACTER}")


def test_a_missing_log_has_no_lines(tmp_path):
    """An error about something else must not fail on its log."""
    assert tail(tmp_path / "log", 5) == ()
