"""Checks the environment: reports what exists, what is missing, and how to fix it."""

from __future__ import annotations

from plugwright_toolkit.checkup._databases import databases
from plugwright_toolkit.checkup._finding import (
    Condition,
    EnvironmentCheck,
    EnvironmentFinding,
    examine,
)
from plugwright_toolkit.checkup._kafka import broker, distribution, docker
from plugwright_toolkit.checkup._plugin_path import plugin_path
from plugwright_toolkit.checkup._settings import settings
from plugwright_toolkit.checkup.machine import cache, confined, java, memory, port, temporary
from plugwright_toolkit.checkup.packages import extras, python, worker_python

__all__ = [
    "Condition",
    "EnvironmentCheck",
    "EnvironmentFinding",
    "broker",
    "cache",
    "confined",
    "databases",
    "distribution",
    "docker",
    "examine",
    "extras",
    "java",
    "memory",
    "plugin_path",
    "port",
    "python",
    "settings",
    "temporary",
    "worker_python",
]
