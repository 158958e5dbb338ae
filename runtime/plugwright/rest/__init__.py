"""The Connect REST API: endpoints, status codes and texts of Kafka Connect, for any herder."""

from __future__ import annotations

from plugwright.rest._basic_auth import BasicAuthSecurityRestExtension
from plugwright.rest._config import REST_CONFIG
from plugwright.rest._errors import (
    BadRequestError,
    RebalanceNeededError,
    RequestTargetError,
    RestError,
)
from plugwright.rest._exchange import RestRequest, RestResponse
from plugwright.rest._extension import ClusterState, RestExtensionContext
from plugwright.rest._header_rules import HeaderRule
from plugwright.rest._herder import Herder
from plugwright.rest._listener import Listener, parse_listener
from plugwright.rest._server import RestServer
from plugwright.rest._settings import RestSettings, TlsSettings
from plugwright.rest._values import (
    ActiveTopics,
    ConfigInfo,
    ConfigInfos,
    ConfigKeyInfo,
    ConfigValueInfo,
    ConnectorInfo,
    ConnectorOffset,
    ConnectorOffsets,
    ConnectorState,
    ConnectorStatus,
    CreateConnector,
    EngineInfo,
    ErrorMessage,
    LoggerLevel,
    Message,
    MetricValue,
    PluginInfo,
    RestartRequest,
    ServerInfo,
    Stage,
    TaskId,
    TaskInfo,
    TaskState,
)
from plugwright.rest_extension import RestExtension

__all__ = [
    "REST_CONFIG",
    "ActiveTopics",
    "BadRequestError",
    "BasicAuthSecurityRestExtension",
    "ClusterState",
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
    "ErrorMessage",
    "HeaderRule",
    "Herder",
    "Listener",
    "LoggerLevel",
    "Message",
    "MetricValue",
    "PluginInfo",
    "RebalanceNeededError",
    "RequestTargetError",
    "RestError",
    "RestExtension",
    "RestExtensionContext",
    "RestRequest",
    "RestResponse",
    "RestServer",
    "RestSettings",
    "RestartRequest",
    "ServerInfo",
    "Stage",
    "TaskId",
    "TaskInfo",
    "TaskState",
    "TlsSettings",
    "parse_listener",
]
