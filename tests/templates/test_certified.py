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

    open_ = {r.id: r.message for r in results.results if not r.outcome.fulfils}
    reasons = [r.message for r in results.results if r.outcome is Outcome.NOT_APPLICABLE]
    assert open_ == {}
    assert all(reasons)
    assert results.complete
