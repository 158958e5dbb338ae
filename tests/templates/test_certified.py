"""Generated connectors pass every check, on Spark against a live Kafka, without an edit."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.live.system import LiveSystem
from plugwright_conformance.subject.subject import open_subjects

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

RECORDS = 5000
LONG = ("CON-REB-03", "CON-REB-04")
"""Checks that take a minute each."""
EITHER = {
    "CON-CFG-11",  # its settings have no groups
    "CON-CFG-12",  # it recommends nothing
    "CON-DOC-08",  # its change log is not in the wheel
    "CON-ERR-03",  # it has no network
    "CON-ERR-04",  # it has no threads
    "CON-ERR-05",
    "CON-ERR-06",  # its driver denies nothing
    "CON-ERR-08",  # it makes no requests
    "CON-ERR-09",
    "CON-ERR-10",
    "CON-PAR-02",  # it does not divide its work by itself
    "CON-PAR-05",
    "CON-PAR-07",
    "CON-SEC-02",  # it has no secret
    "CON-SEC-03",
    "CON-SEC-04",
    "CON-SEC-09",
    "CON-SEC-10",
    "CON-DLV-06",  # it delivers at least once
    "CON-DLV-12",
    "CON-SPK-08",  # its values have no fields
}
UNCLAIMED = {
    "source": EITHER
    | {
        "CON-CFG-19",  # it has no number
        "CON-BRK-09",  # it delivers at least once
        "CON-DLV-07",
        "CON-DLV-09",
        "CON-OBS-04",  # it waits an outage out
        "CON-PAR-06",  # it does not divide its work by itself
        "CON-RES-06",  # it declares no size of its batches
        "CON-PAR-08",  # it does not divide its work by itself
        "SRC-ERR-03",  # no line of a file is corrupt
        "SRC-OFF-08",  # its endpoint does not know what was read
        "SRC-OFF-14",  # it has no snapshot
        "SRC-SCH-01",  # its values have no fields
        "SRC-SCH-02",
        "SRC-TYP-01",  # its values have no fields
        "SRC-TYP-03",
        "SRC-TYP-04",
        "SRC-TYP-08",  # its records have no keys
        "SRC-TYP-10",  # its endpoint knows no times
        "SRC-OFF-20",  # its endpoint knows no times
        "SRC-OFF-21",  # its endpoint does not track what was read
        "SRC-TYP-12",  # its place has to be named
        "SRC-TYP-13",  # its driver reads no keys
        "SRC-TYP-14",  # its values have no fields
    },
    "sink": EITHER
    | {
        "CON-CFG-03",  # none of its settings has a default
        "CON-CFG-06",
        "CON-CFG-07",
        "CON-CFG-10",
        "CON-DLV-05",  # it delivers at least once
        "CON-DLV-08",
        "CON-SPK-04",
        "CON-RES-05",  # it has no threads
        "SNK-ERR-07",  # it reports no record
        "SNK-ERR-09",
        "SNK-ERR-08",  # it has no requests of several records
        "CON-DLV-11",  # it does not overwrite by key
        "SNK-ERR-04",  # it fails on a bad record instead of reporting it
        "SNK-ERR-11",  # it writes by a file object
        "SNK-ERR-12",  # it has no connection
        "SNK-ERR-13",  # it fails on a bad record instead of reporting it
        "SNK-OFF-05",
        "SNK-SCH-01",  # its values have no fields
        "SNK-SCH-02",
        "SNK-SCH-03",
        "SNK-SCH-04",
        "SNK-SCH-05",
        "SNK-SCH-07",
        "SNK-SCH-08",
        "SNK-TYP-03",
        "SNK-TYP-04",
        "SNK-TYP-05",
        "SNK-TYP-08",
        "SNK-TYP-16",  # its endpoint keeps no times
        "SNK-TYP-17",  # its place has to be named
        "SNK-TYP-18",  # it does not overwrite by key
        "SNK-SCH-09",  # its rows have no fields
        "SNK-TYP-22",  # its driver reads no topics
        "SNK-TYP-23",  # it takes records only
        "SNK-TYP-24",  # it stores no rows
    },
}
"""What the generated connectors do not claim."""


class Silent:
    """Listens to a run and says nothing."""

    def __getattr__(self, name):
        return lambda *_: None


@pytest.fixture
def certified(made, broker, launcher, tmp_path):
    """Builds a project's wheel and runs checks, by default all, over its plugin of a kind."""

    def certified(project, kind, selection=(), delivery="at-least-once"):
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
        home = made(project, delivery=delivery)
        subprocess.run(build, cwd=home, check=True, capture_output=True)
        (wheel,) = tmp_path.glob("*.whl")
        (subject,) = (each for each in open_subjects(wheel, tmp_path) if each.kind == kind)
        run = f"generated-{project}-{kind}-{delivery}"
        options = RunOptions(seed="7f3c", records=RECORDS, selection=tuple(selection))
        with closing(LiveSystem(broker, launcher, run, {}, outage_s=15)) as live:
            return run_checks(
                subject, CHECKS, options, workspace=tmp_path, live=live, listener=Silent()
            )

    return certified


def require_passed(results, kind):
    """What does not apply to a generated connector says why; all the rest passes."""
    others = {r.id: r for r in results.results if r.outcome is not Outcome.PASS}
    surprises = others.keys() ^ UNCLAIMED[kind]
    assert not surprises, [others.get(check, check) for check in sorted(surprises)]
    assert {r.outcome for r in others.values()} <= {Outcome.NOT_APPLICABLE}
    assert all(r.message for r in others.values())


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["source", "sink"])
def test_a_generated_connector_passes_every_check(certified, kind):
    """Every check was executed, the longest in a drill; what does not apply to it says why."""
    chosen = [check.id for check in CHECKS if kind in check.kinds and check.id not in LONG]

    results = certified(kind, kind, chosen)

    require_passed(results, kind)
    assert {r.id for r in results.results} == {*chosen}


@pytest.mark.drill
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["source", "sink"])
def test_a_generated_connector_is_certified_whole(certified, kind):
    """The longest checks among the others: kills, and a suspended worker that wakes up."""
    results = certified(kind, kind)

    require_passed(results, kind)
    assert results.complete


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_both_connectors_of_one_wheel_are_durable(certified, kind):
    """What C3 asks for on Spark and Kafka; the rest of its checks needs neither."""
    durable = [c for c in CHECKS if c.live and kind in c.kinds and c.level.value <= Level.C3.value]

    results = certified("both", kind, [check.id for check in durable])

    assert [r.id for r in results.results if r.outcome is not Outcome.PASS] == []
    assert len(results.results) == len(durable) >= 2


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_connectors_that_deliver_exactly_once_are_durable_too(certified, kind):
    """Without faults, with a crash at every boundary, and after the loss of a worker."""
    checks = ["CON-DLV-01", "CON-DLV-05", "CON-REB-01"]

    results = certified("both", kind, checks, "exactly-once")

    assert {r.id: r.outcome for r in results.results} == dict.fromkeys(checks, Outcome.PASS)
