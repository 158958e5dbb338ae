"""Files in a directory or an object store: a sink and a source of JSON lines, Avro, Parquet."""

from __future__ import annotations

from plugwright_lake.connector import LakeSinkConnector
from plugwright_lake.source_connector import LakeSourceConnector
from plugwright_lake.source_task import LakeSourceTask
from plugwright_lake.task import LakeSinkTask

__all__ = ["LakeSinkConnector", "LakeSinkTask", "LakeSourceConnector", "LakeSourceTask"]
