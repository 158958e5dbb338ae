"""Generated connectors pass every check, on Spark against a live Kafka, without an edit."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.live import LiveSystem
from plugwright_conformance.outcome import Outcome
from plugwright_conformance.runner import RunOptions, run_checks
from plugwright_conformance.subject import open_subjects

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

RECORDS = 5000
UNCLAIMED = {
    "source": {"CON-ERR-03", "CON-ERR-05"},  # it has no network
    "sink": {
        "CON-CFG-05",  # it has no number to get wrong
        "CON-DLV-05",  # it delivers at least once
        "CON-ERR-03",
        "CON-ERR-05",
        "SNK-ERR-04",  # it fails on a bad record instead of reporting it
        "SNK-OFF-05",  # it has no threads
    },
}
"""What the generated connectors do not claim."""


class Silent:
    """Listens to a run and says nothing."""

    def __getattr__(self, name):
        return lambda *_: None


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_a_generated_connector_passes_every_check(made, kind, broker, launcher, tmp_path):
    """Every check was executed; what does not apply to it says why."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=made(kind), check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    (subject,) = open_subjects(wheel, tmp_path)
    live = LiveSystem(broker, launcher, f"generated-{kind}", {})

    options = RunOptions(seed="7f3c", records=RECORDS)
    results = run_checks(subject, CHECKS, options, tmp_path, live, Silent())

    unexpected = {r.id: r for r in results.results if r.outcome is not Outcome.PASS}
    assert set(unexpected) <= UNCLAIMED[kind], unexpected
    assert {r.outcome for r in unexpected.values()} <= {Outcome.NOT_APPLICABLE}
    assert all(r.message for r in unexpected.values())
    assert results.complete
