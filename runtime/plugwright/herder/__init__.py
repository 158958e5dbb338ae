"""The control plane: connectors' life cycles, their configuration, where their tasks run."""

from __future__ import annotations

from plugwright.herder._connector_config import CONNECTOR_CONFIG, ConnectorConfig
from plugwright.herder._context import ConnectorStatus
from plugwright.herder._standalone import StandaloneHerder
from plugwright.herder._worker_config import WORKER_CONFIG, WorkerConfig

__all__ = [
    "CONNECTOR_CONFIG",
    "WORKER_CONFIG",
    "ConnectorConfig",
    "ConnectorStatus",
    "StandaloneHerder",
    "WorkerConfig",
]
