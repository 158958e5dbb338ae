"""The same artifact, suite and seed give the same verdicts and the same evidence."""

from __future__ import annotations

import re

import pytest

from plugwright_conformance.certificate import evidence_hash
from plugwright_conformance.checks import CHECKS

pytestmark = pytest.mark.slow

GROUPS = ("TYP", "PAR", "SPK", "CON-DLV-13", "CON-CFG", "SRC-OFF", "SNK-OFF-0[1245]")
"""Where chance has a say; ``plugwright replay`` repeats the long sweeps."""


@pytest.mark.parametrize("kind", [pytest.param("source", marks=pytest.mark.drill), "sink"])
def test_run_is_repeatable(kind, run):
    """Whatever runs beside what: evidence is what a replay compares."""
    drawn = re.compile("|".join(GROUPS))
    chosen = [c.id for c in CHECKS if kind in c.kinds and not c.live and drawn.search(c.id)]

    first, second = (run(f"file-{kind}", *chosen).results for _ in "12")

    assert [evidence_hash(result) for result in first] == [evidence_hash(r) for r in second]
    assert len({result.outcome for result in first}) > 1
