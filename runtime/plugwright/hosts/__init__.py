"""Isolated processes for plugin locations, on the driver and beside tasks: no Spark, no Kafka.

A location's plugins run in a process that imports from that location first; locations without
conflicting modules may share it (reference D7).
"""

from __future__ import annotations

from plugwright.hosts._connector import HostedConnector
from plugwright.hosts._pipeline import StagePipeline
from plugwright.hosts._provider import provider_class
from plugwright.hosts._setup import ChainSetup, ConnectorService, ConverterSetup, Examined, TaskPlan
from plugwright.hosts.hosts import PluginHosts
from plugwright.hosts.stage import StageSetup

__all__ = [
    "ChainSetup",
    "ConnectorService",
    "ConverterSetup",
    "Examined",
    "HostedConnector",
    "PluginHosts",
    "StagePipeline",
    "StageSetup",
    "TaskPlan",
    "provider_class",
]
