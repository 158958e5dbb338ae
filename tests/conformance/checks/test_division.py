"""Checks of the division of work do not blame a source for values that the suite made twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.subject.subject import open_subjects

pytestmark = pytest.mark.slow

LAKE = Path(__file__).parents[3] / "plugin-path" / "lake"


@pytest.mark.parametrize("seed", ["22bca4156ec9200d", "ab"])
def test_a_good_source_passes_with_a_seed_that_makes_short_values(seed, workspace, listener):
    """With the first one, two ledgers make the same value."""
    subject = open_subjects(LAKE, workspace, "plugwright_lake.LakeSourceConnector")[0]
    options = RunOptions(seed=seed, selection=("CON-PAR-07",), skip_waits=True)

    (found,) = run_checks(
        subject, CHECKS, options, workspace=workspace, live=None, listener=listener
    ).results

    assert (found.id, found.outcome) == ("CON-PAR-07", Outcome.PASS), found
