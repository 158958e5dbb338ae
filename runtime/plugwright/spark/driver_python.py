"""Lets the driver find Python where executors have an environment of their own.

``spark.pyspark.python=./environment/bin/python`` is relative to the directory in which an executor
has unpacked ``spark.archives``. The driver runs the same command to plan a data source, such as the
Kafka source of a streamed sink, in the directory in which its JVM was started.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PYTHON = "spark.pyspark.python"
_FILES = ("spark.archives", "spark.files", "spark.jars", "spark.submit.pyFiles")


def driver_directory(settings: Mapping[str, str], scratch: Path) -> Path | None:
    """The directory to start the JVM in; ``None`` for the present one.

    In it, the interpreter of executors is this process's own.

    Args:
        settings: Spark's.
        scratch: where to make it.
    """
    python = Path(settings.get(_PYTHON, ""))
    environment = python.parent.parent
    own = Path(sys.prefix, *python.parts[-2:])
    if environment.is_absolute() or environment == Path() or not own.exists():
        return None
    directory = scratch / "driver"
    link = directory / environment
    link.parent.mkdir(parents=True)
    link.symlink_to(sys.prefix)
    return directory


def absolute_files(settings: Mapping[str, str]) -> dict[str, str]:
    """The same settings, with files that do not depend on the directory of the JVM."""
    paths = {name: settings[name] for name in _FILES if name in settings}
    return {**settings, **{name: _absolute(value) for name, value in paths.items()}}


def _absolute(paths: str) -> str:
    return ",".join(
        each if ":" in each or not each else str(Path.cwd() / each) for each in paths.split(",")
    )
