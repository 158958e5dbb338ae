"""One small run with every outcome in it, and one whose plugin means harm."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plugwright_conformance.evidence.outcome import (
    CheckResult,
    Level,
    LiveEvent,
    Outcome,
    Severity,
    TableCell,
)
from plugwright_conformance.report.results import PluginUnderTest, RunResults

PLUGIN = PluginUnderTest(
    name="orders-sink",
    version="1.2.0",
    plugin_class="orders_sink.OrdersSinkConnector",
    type="sink",
    location="dist/orders_sink-1.2.0-py3-none-any.whl",
    digest="3fa9c1d2e4b5" + "0" * 52,
    capabilities={"delivery": "at-least-once", "upsert": True, "schema": ["int64", "string"]},
)

QUALITY = {
    "benign_checks": 499,
    "benign_controls": 8,
    "false_alarms": 0,
    "killed": 126,
    "mutants": 128,
    "not_tried": 1,
    "of_this_suite": "yes",
    "seeds": 1,
    "sha256": "edcb" * 16,
    "survived": 1,
}


def check(check_id, title, group, outcome, **more):
    """A result with quiet defaults."""
    quiet = {
        "revision": 1,
        "severity": Severity.MUST,
        "level": Level.C1,
        "observations": 4,
        "seed": "7f3c",
        "duration_s": 0.25,
        "message": "",
        "replay": f"plugwright replay {check_id} --seed 7f3c",
    }
    return CheckResult(check_id, title, group, outcome=outcome, **(quiet | more))


RESULTS = (
    check("PLG-PKG-01", "Installs alone and imports", "Packaging", Outcome.PASS, digest="ab" * 32),
    check("PLG-PKG-10", "Licence is stated and shipped", "Packaging", Outcome.PASS),
    check(
        "SNK-OFF-02",
        "Committed offset is never beyond the durable mark",
        "Offsets",
        Outcome.FAIL,
        level=Level.C2,
        duration_s=1.5,
        message="expected commit <= 41; observed commit 57",
        expected="commit <= 41 for (orders, 2)",
        observed="commit 57 at event 23 (preCommit return);\n16 records not durable",
        scenario="seed 7f3c, endpoint slow x20, no crash",
        likely="offsets taken from put() arguments, not from confirmed writes",
        mend="return from pre_commit only what the endpoint has confirmed",
    ),
    check(
        "CON-DLV-01",
        "Without faults, output equals input",
        "Delivery",
        Outcome.PASS,
        level=Level.C2,
        figures={"in": 12000, "out": 12000, "lost": 0, "duplicated": 3, "crash points": 501},
        cells=(
            TableCell("crashes", "put.enter", "crash", "14 held, 8 repeated"),
            TableCell("crashes", "put.return", "crash", "1 of 14 lost", sound=False),
        ),
        begun_s=20.5,
        events=(
            LiveEvent(20.5, "starting", "run-sink-1"),
            LiveEvent(20.6, "running", "run-sink-1"),
            LiveEvent(20.65, "kill", "kill -9 of task 0 of run-sink-1"),
            LiveEvent(20.7, "stopped", "run-sink-1"),
        ),
    ),
    check(
        "CON-DLV-03",
        "Zero loss over the crash-point sweep",
        "Delivery",
        Outcome.ERROR,
        level=Level.C2,
        message="the endpoint did not start",
    ),
    check(
        "CON-DLV-06",
        "The same on live Kafka",
        "Delivery",
        Outcome.NOT_RUN,
        level=Level.C5,
        message="needs a broker",
    ),
    check(
        "CON-DLV-11",
        "Replay of a batch is idempotent",
        "Delivery",
        Outcome.NOT_APPLICABLE,
        level=Level.C3,
        message="UPSERT is not declared",
    ),
    check(
        "PLG-DOC-04",
        "The readme has a quick start",
        "Documentation",
        Outcome.WAIVED,
        severity=Severity.SHOULD,
        message="until 2026-12-31, docs team",
    ),
)


@pytest.fixture(scope="session")
def results():
    """A complete run that reached C1."""
    return RunResults(
        plugin=PLUGIN,
        environment={"python": "3.11.7", "kafka": "4.3.1"},
        seed="c0ffee",
        started="2026-03-01T10:20:30Z",
        duration_s=127.5,
        command="plugwright certify dist/orders_sink-1.2.0-py3-none-any.whl --seed c0ffee",
        results=RESULTS,
        registry=tuple(r.id for r in RESULTS),
        catalogue={"C1": 1, "C2": 3},
        workers=2,
        setup_s=9.5,
        quality=QUALITY,
    )


HOSTILE = "\x1b[2J\x00\x07<script src=//evil>x</script>\u202egpj\u2066\ud800\ufffe]]>[red]\r\nPASS"


@pytest.fixture(scope="session")
def hostile(results):
    """The same run by a plugin that writes hostile text wherever it can."""
    bad = replace(
        RESULTS[2],
        title=HOSTILE,
        group=HOSTILE,
        message=HOSTILE,
        expected=HOSTILE,
        observed=HOSTILE,
        figures={"lost": HOSTILE, HOSTILE: 1},
    )
    plugin = replace(results.plugin, name=HOSTILE, version=HOSTILE, capabilities={HOSTILE: HOSTILE})
    others = tuple(r for r in RESULTS if r.id != bad.id)
    return replace(results, plugin=plugin, results=(*others, bad), environment={"os": HOSTILE})
