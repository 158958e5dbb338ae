"""Database servers that are installed on this machine, and private ones that are made with them."""

from __future__ import annotations

from plugwright.databases._installed import DatabaseServer, installed_servers
from plugwright.databases._mariadb import MariaDb
from plugwright.databases._postgresql import PostgreSql
from plugwright.databases._running import RunningDatabase, running_database
from plugwright.databases._system import DatabaseSystem

__all__ = [
    "DatabaseServer",
    "DatabaseSystem",
    "MariaDb",
    "PostgreSql",
    "RunningDatabase",
    "installed_servers",
    "running_database",
]
