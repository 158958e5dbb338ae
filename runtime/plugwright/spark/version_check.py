"""Compares the version of Plugwright on an executor with the driver's."""

from __future__ import annotations

import socket
import sys

from plugwright._version import __version__
from plugwright.errors import SetupError

__all__ = ["require_version"]


def require_version(drivers: str) -> None:
    """Require that the driver has this process's version of Plugwright.

    Args:
        drivers: version of Plugwright on the driver.

    Raises:
        SetupError: ``spark.other-version`` if it has another one.
    """
    if drivers == __version__:
        return
    host = socket.gethostname()
    raise SetupError(
        f"the driver has Plugwright {drivers}, and {sys.executable} on {host}, where Spark runs "
        f"the task, has {__version__}",
        code="spark.other-version",
        hint="install the driver's version on every machine of the cluster, or send it with "
        "`plugwright pack-environment`",
        facts={"driver": drivers, "executor": __version__, "host": host},
    )
