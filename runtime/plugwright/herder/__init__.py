"""The control plane: connectors' life cycles, their configuration, where their tasks run."""

from __future__ import annotations

from plugwright.herder._assembly import distributed_herder, standalone_herder
from plugwright.herder._cluster_config import CLUSTER_CONFIG, ClusterConfig
from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._connector_files import read_connector_file, read_settings_file
from plugwright.herder._context import ConnectorStatus
from plugwright.herder._herder import Herder
from plugwright.herder._offset_file import OffsetFile
from plugwright.herder._parts import HerderSettings
from plugwright.herder._spark_worker import SparkWorker
from plugwright.herder._standalone import StandaloneHerder
from plugwright.herder._worker_config import WORKER_CONFIG, WorkerConfig
from plugwright.herder._worker_references import resolved_properties

__all__ = [
    "CLUSTER_CONFIG",
    "CONNECTOR_CONFIG",
    "WORKER_CONFIG",
    "ClusterConfig",
    "ConnectorConfig",
    "ConnectorStatus",
    "Herder",
    "HerderSettings",
    "OffsetFile",
    "SparkWorker",
    "StandaloneHerder",
    "WorkerConfig",
    "distributed_herder",
    "read_connector_file",
    "read_settings_file",
    "resolved_properties",
    "standalone_herder",
]
