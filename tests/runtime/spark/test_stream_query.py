"""What the query of a streamed sink tells Spark."""

from __future__ import annotations

import pytest

from plugwright.spark._stream_query import _log_quickly

MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


@pytest.mark.spark
def test_a_local_checkpoint_is_written_by_the_file_system_itself(spark_session, tmp_path):
    """Spark's default starts two processes for the permissions of each file."""
    session = spark_session.newSession()

    _log_quickly(session, str(tmp_path / "checkpoints" / "not-made-yet"))

    assert session.conf.get(MANAGER) == (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    )
