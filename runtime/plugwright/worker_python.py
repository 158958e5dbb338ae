"""Whether the Python that runs Spark's workers finds Plugwright."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from plugwright.errors import SetupError

__all__ = ["require_worker_python"]

_ASK = "import importlib.util, sys; sys.exit(importlib.util.find_spec('plugwright') is None)"
_ASK_S = 20.0


def require_worker_python(executable: str) -> None:
    """Ask a Python on this machine for the package, unless it is the one that runs this.

    PySpark starts its workers with ``PYSPARK_PYTHON``, by default the ``python3`` of the path,
    which need not be the Python of the driver. They import the data sources by name.

    Args:
        executable: what PySpark starts, such as ``python3``.

    Raises:
        SetupError: ``environment.worker-python`` if there is no such program or it lacks the
            package.
    """
    found = shutil.which(executable)
    if found and Path(found).absolute() == Path(sys.executable).absolute():
        return
    if found is None or _lacks_package(found):
        place = f" ({found})" if found and found != executable else ""
        raise SetupError(
            f"PySpark starts its workers with {executable}{place}, which "
            f"{'has no package plugwright' if found else 'is no program here'}",
            code="environment.worker-python",
            hint=f"set PYSPARK_PYTHON={sys.executable} before the session is created",
            facts={"python": found or executable},
        )


def _lacks_package(python: str) -> bool:
    """Whether it says so; one that does not answer may still work."""
    try:
        asked = subprocess.run(  # noqa: S603  # asking the user's own Python is the point
            [python, "-c", _ASK], capture_output=True, timeout=_ASK_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 1
