"""The values and errors that herders and the REST API exchange, without HTTP."""

from __future__ import annotations

from plugwright.control_plane._connectors import (
    ActiveTopics,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorOffsets,
    ConnectorState,
    ConnectorStatus,
    CreateConnector,
    EngineInfo,
    RestartRequest,
    TaskId,
    TaskInfo,
    TaskState,
)
from plugwright.control_plane._errors import (
    BadRequestError,
    OperationDisabledError,
    RebalanceNeededError,
    RequestTargetError,
)
from plugwright.control_plane._plugins import (
    ConfigInfo,
    ConfigInfos,
    ConfigKeyInfo,
    ConfigValueInfo,
    PluginInfo,
)
from plugwright.control_plane._worker import (
    LoggerLevel,
    Message,
    MetricValue,
    ServerInfo,
    Stage,
)

__all__ = [
    "ActiveTopics",
    "BadRequestError",
    "ConfigInfo",
    "ConfigInfos",
    "ConfigKeyInfo",
    "ConfigValueInfo",
    "ConnectorInfo",
    "ConnectorOffset",
    "ConnectorOffsets",
    "ConnectorState",
    "ConnectorStatus",
    "CreateConnector",
    "EngineInfo",
    "LoggerLevel",
    "Message",
    "MetricValue",
    "OperationDisabledError",
    "PluginInfo",
    "RebalanceNeededError",
    "RequestTargetError",
    "RestartRequest",
    "ServerInfo",
    "Stage",
    "TaskId",
    "TaskInfo",
    "TaskState",
]
