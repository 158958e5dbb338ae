"""The legacy sink works, although discovery by manifests does not see it."""

from __future__ import annotations

import os

from legacy_sink import LegacySinkConnector
from plugwright import SinkRecord, TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def _started(directory):
    connector = LegacySinkConnector()
    connector.start({"directory": str(directory)})
    task = connector.task_class()()
    task.start(connector.task_configs(1)[0])
    return task


def test_each_partition_has_a_file_of_its_own(tmp_path):
    """Named after it, one value a line."""
    task = _started(tmp_path)
    task.open([T0, T1])
    task.put([SinkRecord(*at, None, None, None, f"v{at[1]}", 0) for at in (T0, T1)])
    task.stop()
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"t-0.txt": "v0\n", "t-1.txt": "v1\n"}


def test_flush_waits_for_the_named_partitions(tmp_path, monkeypatch):
    """Only for those that are open."""
    task = _started(tmp_path)
    task.open([T0, T1])
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    task.flush({T0: 1, TopicPartition("gone", 0): 1})
    task.stop()
    assert len(synced) == 1


def test_a_closed_partition_may_come_back(tmp_path):
    """Its file is appended to."""
    task = _started(tmp_path)
    for value in ("a", "b"):
        task.open([T0])
        task.put([SinkRecord(*T0, None, None, None, value, 0)])
        task.close([T0])
    assert (tmp_path / "t-0.txt").read_text() == "a\nb\n"
