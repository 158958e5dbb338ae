"""Statistics measure what Kafka's do, by a record of Java's classes."""

from __future__ import annotations

import math

import pytest
from tests.oracle.record_statistics import recorded_statistics

from plugwright import metrics
from plugwright.metrics import SampleWindow

RECORDS = recorded_statistics()


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_a_statistic_measures_what_kafkas_does(record):
    """After each value and each pause, in every window."""
    window = SampleWindow(record["samples"], record["window_ms"] / 1000)
    names = next(step for _, step in record["steps"] if isinstance(step, dict))
    stats = {name: getattr(metrics, name)() for name in names}
    now_ms, ours, javas = 1_000_000, [], []
    for pass_ms, step in record["steps"]:
        now_ms += pass_ms
        if isinstance(step, dict):
            ours += [stat.measure(now_ms / 1000, window) for stat in stats.values()]
            javas += [math.nan if step[name] is None else step[name] for name in names]
            continue
        for stat in stats.values():
            stat.record(step, now_ms / 1000, window)
    assert ours == pytest.approx(javas, rel=1e-9, nan_ok=True)
