"""Broken connectors that show only on Spark against a live Kafka, and the good ones beside them."""

from __future__ import annotations

import shutil
import time

import pytest
from tests.conformance.conftest import PLUGIN_PATH
from tests.plugin_paths import end_where_it_writes

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.live.system import LiveSystem
from plugwright_conformance.mutants import MUTANTS
from plugwright_conformance.subject.engines import labelled

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

LIVE = {check.id: check for check in CHECKS if check.live}
LONG = {"CON-DLV-06", "CON-DLV-12", "CON-REB-03", "CON-SEC-10", "CON-SPK-05"}
"""A dozen kills, or a second Spark; `make drills` runs these."""
KILLED_LIVE = [
    pytest.param(mutant, id=mutant.id, marks=[pytest.mark.drill] * (mutant.killed_by in LONG))
    for mutant in MUTANTS
    if mutant.killed_by in LIVE
]
CONTROLS = [
    (f"{check.id}[resident]", kind)
    for check in LIVE.values()
    for kind in sorted(check.kinds)
    if (check.id, kind)
    not in {
        ("CON-REB-02", "source"),  # the same scenario as SRC-OFF-02
        ("CON-SPK-05", "source"),  # a Spark of its own takes long to start
        ("CON-DLV-02", "source"),  # below
        ("CON-DLV-02", "sink"),
        ("CON-BRK-06", "source"),  # below: the task has to fail
        ("CON-SEC-10", "source"),  # below: a connector with a password
        ("CON-SEC-10", "sink"),
        ("CON-DLV-06", "sink"),  # below: a sink that declares exactly-once
        ("CON-DLV-12", "sink"),
        ("CON-DLV-12", "source"),  # the same scenario as CON-REB-03
        ("CON-REB-03", "source"),  # below: long
        ("CON-REB-03", "sink"),
    }
]
CONTROLS += [("CON-REB-01[stream]", "sink")]
ELSEWHERE = {"CON-BRK-01", "CON-BRK-03", "CON-BRK-04", "CON-REB-04", "CON-DLV-06"}
"""Generated connectors pass these in ``tests/templates``, but for the dozen kills of a drill."""
RECORDS = 2000


class ImpatientSystem(LiveSystem):
    """What is certified with patience is tested with less."""

    @staticmethod
    def wait_until(condition, progress, engine="resident"):
        """Give up after a while in which nothing moved; a busy machine may be slow to begin."""
        patience_s = 15 if engine == "resident" else 60
        last, since = None, time.monotonic()
        while not condition():
            if (now := progress()) != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > patience_s:
                return False
            time.sleep(0.05)
        return True


@pytest.fixture(scope="session")
def live(broker, launcher):
    """The live system over the shared broker and session."""
    system = ImpatientSystem(broker, launcher, "conformance-tests", {}, outage_s=15)
    yield system
    system.close()


@pytest.mark.parametrize("mutant", KILLED_LIVE)
def test_mutant_is_killed_by_its_check(mutant, mutate, run, live):
    """The check fails, and says what is wrong in the words that its author needs."""
    location = mutate(mutant.id)

    label = labelled(mutant.killed_by, mutant.engine)
    (result,) = run(location, label, live=live, records=RECORDS).results

    assert result.outcome is Outcome.FAIL, result.message
    assert mutant.failure in f"{result.expected} | {result.observed} | {result.scenario}"


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        pytest.param(
            check, kind, marks=[pytest.mark.drill] * (check.partition("[")[0] in ELSEWHERE)
        )
        for check, kind in CONTROLS
    ],
)
def test_good_connector_passes(check, kind, run, live):
    """Nothing is lost, repeated or invented, and every value was compared."""
    (result,) = run(f"file-{kind}", check, live=live, records=RECORDS).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.figures["in"] == result.observations > 100
    assert (result.figures["lost"], result.figures["foreign"]) == (0, 0)
    assert "not known" not in str(result.figures.get("kill_met_it"))


@pytest.mark.drill
@pytest.mark.parametrize(
    ("check", "location"),
    [
        ("CON-DLV-06", "exact-lines-sink"),
        ("CON-DLV-12", "exact-lines-sink"),
        ("CON-DLV-12", "file-source"),
        ("CON-REB-03", "file-sink"),
    ],
)
def test_good_connector_is_exact_among_kills_and_wake_ups(check, location, run, live):
    """Nothing is lost or repeated; at least once, nothing is lost."""
    (result,) = run(location, f"{check}[resident]", live=live, records=RECORDS).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert (result.figures["lost"], result.figures["foreign"]) == (0, 0)
    assert result.figures["duplicated"] == 0 or location == "file-sink"


def test_good_connector_shows_no_secret(run, live):
    """Spark's files, arguments and environments of all processes were searched."""
    (result,) = run("rows-sink", "CON-SEC-10[resident]", live=live, records=RECORDS).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.observations >= 10


def test_good_source_fails_by_the_name_of_the_topic(run, live):
    """One record that Kafka does not take."""
    (result,) = run("file-source", "CON-BRK-06[resident]", live=live, records=RECORDS).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.figures == {"ended": "FAILED, the topic named"}


def test_task_that_ends_its_process_is_reported_as_in_the_simulator(run, tmp_path, live):
    """With the exit code and the call, where it would only be seen that nothing has arrived."""
    location = tmp_path / "deadly"
    shutil.copytree(PLUGIN_PATH / "file-sink", location)
    end_where_it_writes(location, 3)

    (result,) = run(location, "CON-DLV-01[resident]", live=live, records=RECORDS).results

    assert result.outcome is Outcome.FAIL, result.message
    assert " ended with status 3 in put()" in result.observed
    assert result.mend.startswith("Raise a ConnectError instead of ending the process")


@pytest.mark.parametrize(
    ("kind", "engines"), [("source", ["resident"]), ("sink", ["resident", "stream"])]
)
def test_good_connector_is_quiet_without_data_and_delivers_the_tail(kind, engines, run, live):
    """Idle time leaves no trace, and the few records after it all arrive, on each engine."""
    tails = run(f"file-{kind}", "CON-DLV-02", live=live, records=RECORDS).results

    assert [(r.outcome, r.message) for r in tails] == [(Outcome.PASS, "")] * len(engines)
    assert [r.engine for r in tails] == engines
    seen = [(r.observations, r.figures["lost"], r.figures["foreign"]) for r in tails]
    assert seen == [(137, 0, 0)] * len(engines)
