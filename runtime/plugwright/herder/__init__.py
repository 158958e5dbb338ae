"""The control plane: connector life cycles, their configuration, and where their tasks run."""

from __future__ import annotations

from plugwright.herder._assembly import distributed_herder, standalone_herder
from plugwright.herder._cluster_config import CLUSTER_CONFIG, ClusterConfig
from plugwright.herder._config_store import ConfigStore
from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._connector_files import read_connector_file, read_settings_file
from plugwright.herder._embedded import EmbeddedHerder
from plugwright.herder._group_kafka import GroupKafka
from plugwright.herder._herder import Herder
from plugwright.herder._java_settings import (
    OTHER_DEFAULTS,
    UNREAD_BY_WORKERS,
    unread_settings,
)
from plugwright.herder._log import MemoryLog
from plugwright.herder._offset_file import OffsetFile
from plugwright.herder._ownership import SoleOwner
from plugwright.herder._parts import HerderParts, HerderSettings
from plugwright.herder._reporters import (
    METRICS_CONFIG,
    Reporters,
    context_labels,
    metrics_reporters,
)
from plugwright.herder._worker_config import WorkerConfig
from plugwright.herder._worker_definition import WORKER_CONFIG
from plugwright.herder._worker_interface import StartRequest, TaskUpdate
from plugwright.herder._worker_references import resolved_properties
from plugwright.herder.context import InstanceStatus
from plugwright.herder.spark_worker import SparkWorker
from plugwright.herder.status_store import StatusStore

__all__ = [
    "CLUSTER_CONFIG",
    "CONNECTOR_CONFIG",
    "METRICS_CONFIG",
    "OTHER_DEFAULTS",
    "UNREAD_BY_WORKERS",
    "WORKER_CONFIG",
    "ClusterConfig",
    "ConfigStore",
    "ConnectorConfig",
    "EmbeddedHerder",
    "GroupKafka",
    "Herder",
    "HerderParts",
    "HerderSettings",
    "InstanceStatus",
    "MemoryLog",
    "OffsetFile",
    "Reporters",
    "SoleOwner",
    "SparkWorker",
    "StartRequest",
    "StatusStore",
    "TaskUpdate",
    "WorkerConfig",
    "context_labels",
    "distributed_herder",
    "metrics_reporters",
    "read_connector_file",
    "read_settings_file",
    "resolved_properties",
    "standalone_herder",
    "unread_settings",
]
