"""Checks which database servers are installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from plugwright.databases import SYSTEMS, installed_servers
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.databases import DatabaseServer, DatabaseSystem

    _Installed = Callable[[DatabaseSystem, Mapping[str, str]], Sequence[DatabaseServer]]

_NONE = "none is installed; connectors need one only where they are tried with it"


def databases(
    environ: Mapping[str, str] = os.environ, installed: _Installed = installed_servers
) -> Sequence[EnvironmentFinding]:
    """The servers that tests and ``plugwright demo`` can start; they are optional.

    Args:
        environ: the environment variables.
        installed: finds the servers of a system.
    """
    found = [
        f"{server} from {server.source}"
        for system in SYSTEMS.values()
        for server in installed(system, environ)
    ]
    return [EnvironmentFinding("databases", Condition.OK, ", ".join(found) or _NONE)]
