"""A run ends every check in one of six outcomes, with evidence, and goes on to the next."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from typing import ClassVar

import pytest
from tests.conformance.execution.given_checks import OUTCOMES, check, raising

from plugwright.errors import NotFoundError
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import (
    CheckEnd,
    CheckFailedError,
    Evidence,
    Level,
    NotRunError,
    Outcome,
)


def hang_in_plugin(bench):
    """Waits in the plugin's own code for what never comes."""
    _start(bench, {"wait": lambda: time.sleep(30)})


def wait_for_programs(bench):
    """Waits in the plugin's own code for one program after the other, and each computes."""
    _start(bench, {"wait": lambda: [subprocess.run(_BUSY, check=True) for _ in range(30)]})


def call_slow_plugin(bench):
    """Calls the plugin for ever; each call returns."""
    while True:
        _start(bench, {"wait": lambda: time.sleep(0.05)})


_BUSY = [sys.executable, "-ISc", "import time\nwhile time.process_time() < 0.4: pass"]


def _start(bench, namespace):
    """Have ``wait`` called from a file of the plugin."""
    connector = bench.connector()
    source = "def start(props):\n    wait()\n"
    exec(compile(source, str(bench.subject.root.resolve() / "slow.py"), "exec"), namespace)  # noqa: S102
    connector.start = namespace["start"]
    connector.start({})


@pytest.mark.parametrize(("act", "outcome", "words"), OUTCOMES.values(), ids=OUTCOMES)
def test_check_ends_in_its_outcome(run, act, outcome, words):
    """Whatever a check does, its result says how it ended and why."""
    (result,) = run("file-sink", registry=[check(1, act)]).results

    assert result.outcome is outcome
    assert words in result.message


def test_pass_carries_its_evidence(run):
    """Observations, digest and figures get into the result."""
    (result,) = run("file-sink", registry=[check(1, OUTCOMES["pass"][0])]).results

    assert (result.observations, result.digest, result.figures) == (3, "ab", {"in": 3})


def test_run_ends_at_its_level(run):
    """A check above it is not run, not even if another one asks for it."""
    above = check(2, OUTCOMES["pass"][0], level=Level.C3)
    asking = check(1, lambda bench: raising(NotRunError(bench.outcome_of(above.id).message))(bench))

    found = run("file-sink", registry=[asking, above], level=Level.C2)

    assert [(r.id, r.message) for r in found.results] == [("TST-TST-01", "above C2")]
    assert found.command.endswith(" --level C2 --seed 7f3c --records 1000")
    assert found.level() is None


def test_failure_carries_its_parts_and_what_to_mend(run):
    """The failure text is kept in its parts."""
    error = CheckFailedError("a", "b", "c", "d", Evidence(7, "ef"))

    (result,) = run("file-sink", registry=[check(1, raising(error))]).results

    parts = (result.expected, result.observed, result.scenario, result.likely, result.mend)
    assert parts == ("a", "b", "c", "d", "mend it")
    assert (result.observations, result.digest) == (7, "ef")


@pytest.mark.slow
def test_check_over_its_budget_is_interrupted(run):
    """A harness that hangs is an error, not a verdict about the plugin."""
    slow = check(1, lambda _: time.sleep(30), budget_s=0.05)

    (result,) = run("file-sink", registry=[slow]).results

    assert (result.outcome, result.ending) == (Outcome.ERROR, CheckEnd.HUNG)
    assert result.message.startswith(
        "not measured: not done within its budget of 0.05 s (test_runner.py:"
    )


@pytest.mark.slow
def test_check_that_loses_its_process_says_so(run):
    """As a fact beside its words."""
    (result,) = run("file-sink", registry=[check(1, lambda _: os._exit(3))]).results

    assert (result.outcome, result.ending) == (Outcome.ERROR, CheckEnd.ENDED)
    assert result.message == "its process ended with status 3 before there was a verdict"


@pytest.mark.slow
def test_plugin_that_hangs_fails_with_the_place(run):
    """A plugin that hangs is reported with its position."""
    (result,) = run("file-sink", registry=[check(1, hang_in_plugin, budget_s=0.3)]).results

    assert (result.outcome, result.expected) == (Outcome.FAIL, "calls that return within 0.3 s")
    assert result.ending is CheckEnd.HUNG
    assert result.observed.endswith("still in slow.py:2 in start()")


@pytest.mark.slow
def test_plugin_that_waits_for_busy_programs_is_not_blamed(run):
    """On a busy machine each of them takes longer, and their work has a limit of its own."""
    (result,) = run("file-sink", registry=[check(1, wait_for_programs, budget_s=0.3)]).results

    assert (result.outcome, result.ending) == (Outcome.ERROR, CheckEnd.HUNG)
    assert result.message.startswith("not measured: not done within its budget of 0.3 s")


@pytest.mark.slow
def test_plugin_whose_calls_return_is_not_blamed_for_their_number(run):
    """Whichever of them is interrupted, on a machine where all take longer."""
    (result,) = run("file-sink", registry=[check(1, call_slow_plugin, budget_s=0.5)]).results

    assert (result.outcome, result.ending) == (Outcome.ERROR, CheckEnd.HUNG)
    assert result.message.startswith("not measured: not done within its budget of 0.5 s (")


def test_timer_of_others_goes_on_after_a_check(run):
    """A time limit that was set around the run still holds."""
    before = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        run("file-sink", registry=[check(1, OUTCOMES["pass"][0])])
        left, _ = signal.getitimer(signal.ITIMER_REAL)
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)

    assert 90 < left < 100


@pytest.mark.slow
def test_one_check_that_goes_wrong_does_not_end_the_run(run):
    """Every check gets its line, in catalogue order."""
    registry = [check(n, act) for n, (act, _, _) in enumerate(OUTCOMES.values())]

    results = run("file-sink", registry=registry)

    assert [r.outcome for r in results.results] == [o for _, o, _ in OUTCOMES.values()]
    assert results.complete


def test_listener_hears_of_every_check(run, listener):
    """Progress is reported in order."""
    run("file-sink", registry=[check(1, OUTCOMES["pass"][0])])

    assert listener.heard == [
        ("started", "plugwright-file-sink", 1),
        ("check_started", "TST-TST-01"),
        ("check_finished", "TST-TST-01"),
    ]


class Draws(Check):
    """Fails with what its random source gives."""

    id = "TST-TST-50"
    level = Level.C1
    group = "Tests"
    title = why = mend = "draws"
    drawn: ClassVar[list[float]] = []

    def run(self, bench):
        """Fail with the number."""
        raise CheckFailedError("", str(bench.random.random()))


@pytest.mark.slow
def test_replay_command_repeats_the_check_with_its_seed(run):
    """What the command names is what made the failure."""
    (first,) = run("file-sink", registry=[Draws], seed="0badcafe").results
    words = shlex.split(first.replay)
    seed, selected = words[words.index("--seed") + 1], words[words.index("--check") + 1]

    (again,) = run("file-sink", selected, registry=[Draws], seed=seed).results

    assert (seed, selected) == ("0badcafe", "TST-TST-50")
    assert (again.observed, again.seed) == (first.observed, first.seed)


@pytest.mark.slow
def test_other_seed_draws_otherwise(run):
    """A seed is not decoration."""
    one, other = (run("file-sink", registry=[Draws], seed=s).results[0] for s in ("1", "2"))

    assert one.observed != other.observed


def test_partial_run_is_not_complete(run):
    """The executed ids are those of the registry, or there is no level."""
    registry = [check(n, OUTCOMES["pass"][0]) for n in (1, 2)]

    results = run("file-sink", "TST-TST-02", registry=registry)

    assert [result.id for result in results.results] == ["TST-TST-02"]
    assert (results.complete, results.level()) == (False, None)


def test_unknown_check_is_refused():
    """A misspelt id does not become an empty run."""
    with pytest.raises(NotFoundError, match="no check for a sink is called CON-QQQ-99") as raised:
        select_checks(CHECKS, "sink", ["CON-DLV-01", "CON-QQQ-99"])

    assert "CON-DLV-01" in raised.value.hint


def test_checks_of_the_other_kind_are_left_out():
    """A sink is not asked what only a source can answer."""
    chosen = select_checks(CHECKS, "sink")

    assert "SNK-OFF-01" in {c.id for c in chosen}
    assert not [c.id for c in chosen if c.id.startswith("SRC-")]


@pytest.mark.slow
def test_endpoint_driver_that_fails_is_not_the_connectors_fault(run, mutate):
    """The endpoint is a part of the test, so its failure is an error of the run."""
    location = mutate("M004")
    for file in location.rglob("*"):
        if file.name in {"entry_points.txt", "conformance.toml"}:
            file.write_text(file.read_text().replace("TextFileSink", "FileStreamSink"))
    testing = location / "plugwright_file_sink" / "testing.py"
    testing.write_text(f"{testing.read_text()}\n    def start(self):\n        1 / 0\n")

    (result,) = run(location, "SNK-TYP-01").results

    assert result.outcome is Outcome.ERROR
    assert "the endpoint driver failed: ZeroDivisionError" in result.message
