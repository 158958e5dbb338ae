"""Steps in a process of their own report what happened, and nothing else counts."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes import isolated
from plugwright_conformance.processes.isolated import NoReportError, run_isolated

STARTING = {"step": "start-and-stop", "scenario": "a fresh process"}


@pytest.fixture
def place(tmp_path, subject):
    """A subject whose location has a module ``fresh`` with a task class ``Probe``."""

    def place(body):
        lines = "".join(f"        {line}\n" for line in body.splitlines())
        (tmp_path / "fresh.py").write_text(
            "import os, sys\nfrom plugwright import SourceTask\nclass Probe(SourceTask):\n"
            "    def poll(self): pass\n"
            f"    def start(self, props):\n{lines}"
            "    def stop(self): pass\n    def version(self): return '1'\n"
        )
        made = subject("file-sink")
        return type(made)(*(getattr(made, n) for n in made.__slots__[:4]), tmp_path, made.digest)

    return place


def start(subject):
    """Start and stop the task in a fresh process."""
    return run_isolated(subject, **STARTING, module="fresh", qualname="Probe", config={})


def test_report_comes_back(place):
    """A step's report is plain data."""
    assert start(place("pass")) == {"version": "1"}


@pytest.mark.slow
def test_long_question_reaches_a_process_that_is_slow_to_read(place, monkeypatch):
    """More than a pipe holds, and looked at before the process reads at all."""
    monkeypatch.setattr(isolated, "_LOOK_S", 0.001)
    more = {"module": "fresh", "qualname": "Probe", "config": {"long": "x" * 300_000}}

    assert run_isolated(place("pass"), **STARTING, **more) == {"version": "1"}


@pytest.mark.slow
def test_plugin_that_prints_does_not_disturb_the_report(place):
    """Standard output belongs to the harness."""
    assert start(place('print(\'{"version": "9"}\', flush=True)')) == {"version": "1"}


@pytest.mark.slow
def test_plugin_is_given_the_library_that_it_brings_along(place, tmp_path):
    """One of the same name stands beside the suite; a worker would not use it either."""
    subject = place("import iniconfig; assert iniconfig.WHOSE == 'its own'")
    (tmp_path / "iniconfig.py").write_text("WHOSE = 'its own'\n")

    assert start(subject) == {"version": "1"}


@pytest.mark.slow
def test_exception_of_the_plugin_is_a_failure(place):
    """It is reported with its position."""
    with pytest.raises(CheckFailedError) as raised:
        start(place("raise ValueError('no')"))

    assert raised.value.observed == "ValueError: no from fresh.py:6"
    assert raised.value.scenario == "a fresh process"


@pytest.mark.slow
def test_process_that_ends_without_a_report_is_no_verdict(place):
    """A plugin that ends the process with success has not passed (H08)."""
    with pytest.raises(NoReportError, match="exit 0, no report"):
        start(place("os._exit(0)"))


@pytest.mark.slow
def test_process_knows_nothing_of_this_one(place, monkeypatch):
    """Neither variables nor paths of the parent lead anywhere."""
    monkeypatch.setenv("PYTHONPATH", "/nowhere-at-all")

    assert start(place("assert '/nowhere-at-all' not in sys.path")) == {"version": "1"}
