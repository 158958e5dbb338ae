"""The machine and the versions of a run."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.live.system import LiveSystem

__all__ = ["describe_environment"]

_PACKAGES = ("plugwright", "pyspark", "pyarrow", "confluent-kafka")


def describe_environment(live: LiveSystem | None) -> Mapping[str, str]:
    """Versions and machine facts by name, in a stable order."""
    facts = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": str(os.cpu_count()),
        **{package: _version(package) for package in _PACKAGES},
    }
    return facts | dict(live.facts if live is not None else {})


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
