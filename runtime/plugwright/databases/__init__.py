"""Database servers that are installed on this machine, and private ones that are made with them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.databases._installed import DatabaseServer, installed_servers
from plugwright.databases._mariadb import MariaDb
from plugwright.databases._postgresql import PostgreSql
from plugwright.databases._running import RunningDatabase, running_database
from plugwright.databases._system import DatabaseSystem

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "SYSTEMS",
    "DatabaseServer",
    "DatabaseSystem",
    "MariaDb",
    "PostgreSql",
    "RunningDatabase",
    "installed_servers",
    "running_database",
]

SYSTEMS: Mapping[str, DatabaseSystem] = MappingProxyType(
    {"postgresql": PostgreSql(), "mariadb": MariaDb()}
)
"""The database systems whose servers can be found and started, by what users call them."""
