"""What connectors share out among tasks."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden

from plugwright import group_partitions


@pytest.mark.parametrize("line", golden("group_partitions"), ids=str)
def test_groups_are_those_of_java(line):
    """As ``ConnectorUtils.groupPartitions`` groups, with its message where it does not."""
    elements, groups = line.case["elements"], line.case["groups"]

    if "error" in line.result:
        with pytest.raises(ValueError, match=f"^{line.result['error']['message']}$"):
            group_partitions(elements, groups)
    else:
        assert group_partitions(elements, groups) == line.result["groups"]
