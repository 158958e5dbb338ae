"""A builder used step by step does as Java's."""

from __future__ import annotations

import pytest
from tests.oracle import steps
from tests.oracle.golden import golden

LINES = golden("builder")


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_builder_does_as_java_does(line):
    """Each step is accepted or refused as there, and the schema is the same."""
    assert steps.outcome(line) == "same"


def test_all_properties_are_there():
    """The comparison cannot pass by not running."""
    assert len(LINES) == 6
