"""Order under retries: repeated values count where they arrive last."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.checks.flows import require_last, require_order
from plugwright_conformance.evidence.outcome import CheckFailedError, Outcome
from plugwright_conformance.mutants import BENIGN, materialise
from plugwright_conformance.mutants.reported import UNUSUAL
from plugwright_conformance.mutants.reported import materialise as materialise_reported


@pytest.mark.parametrize(
    "flow", [[], [0, 1, 2], [0, 1, 2, 0, 1, 2, 3], [8, 0, 4, 8, 12], [0, 0, 1, 1]]
)
def test_a_repetition_brings_what_follows_along(flow):
    """Which is what Kafka's rewinds do."""
    require_order({"only": flow}, "partition", "a scenario")


@pytest.mark.parametrize(
    ("flow", "observed"),
    [
        ([0, 2, 1, 3], "value 1 after value 2"),
        ([0, 1, 2, 3, 1], "value 1 after value 3"),
        ([4, 0, 8], "value 0 after value 4"),
    ],
)
def test_an_older_value_alone_is_out_of_order(flow, observed):
    """Whether it had arrived before or not."""
    with pytest.raises(CheckFailedError) as caught:
        require_order({"other": [0, 1], "this": flow}, "partition", "a scenario")

    assert caught.value.observed == observed


def test_an_older_value_does_not_replace_the_last_one():
    """Twenty values have four keys, so that 17 is the last one of its key."""
    require_last({1: [17]}, "key", "a scenario")
    require_last({"anything": [3]}, "partition", "a scenario")
    with pytest.raises(CheckFailedError) as caught:
        require_last({1: [13]}, "key", "a scenario")

    assert str(caught.value) == "expected value 17, the last of its key; observed value 13"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["G03", "U210"])
def test_unusual_sinks_keep_their_order(name, tmp_path, run):
    """One reverses partitions, the other has a batch written while the one before it fails."""
    made = {each.id: each for each in (*BENIGN, *UNUSUAL)}[name]
    if name.startswith("G"):
        location = materialise(made, PLUGIN_PATH, tmp_path)
    else:
        location = materialise_reported(made, tmp_path)

    (result,) = run(location, "CON-DLV-10").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
