"""What the host of a streamed task knows of its batch."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.spark import stream_host
from plugwright.task import BatchIdentity

SPARK = {"sql.streaming.queryId": "1f0c", "streaming.sql.batchId": "0"}


@pytest.fixture
def local_properties(monkeypatch):
    """Gives a Spark task these local properties."""

    def give(properties):
        class Context:
            get = classmethod(lambda cls: cls)
            getLocalProperty = staticmethod(properties.get)  # noqa: N815  # pyspark's name

        monkeypatch.setattr(stream_host, "TaskContext", Context)

    return give


@pytest.mark.parametrize(
    ("task", "tasks", "expected"),
    [(1, 2, BatchIdentity("1f0c-2", 0, 1)), (1, 3, BatchIdentity("1f0c-3", 0, 1))],
)
def test_a_batch_among_other_tasks_is_another_batch(local_properties, task, tasks, expected):
    """Task 1 of 2 has other records than task 1 of 3."""
    local_properties(SPARK)

    assert stream_host._identity(task, tasks) == expected


@pytest.mark.parametrize("missing", SPARK)
def test_a_batch_is_never_taken_for_another_because_spark_keeps_silent(local_properties, missing):
    """Records would be lost."""
    local_properties({key: value for key, value in SPARK.items() if key != missing})

    with pytest.raises(ConnectError, match="Spark does not identify this micro-batch") as found:
        stream_host._identity(0, 1)

    assert found.value.code == "stream.no-identity"
