"""The environment variables of Spark's Python workers."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.processes import memory_variables
from plugwright.spark.input import input_variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_SITE = Path(__file__).with_name("_site")
_PACKAGES = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


@contextmanager
def worker_environment(session: SparkSession, python_path: str) -> Iterator[None]:
    """Set them for every plan that is created meanwhile, on any thread.

    Args:
        session: the session of the plans.
        python_path: directories that plugins are imported from, separated as in PYTHONPATH.
    """
    environment = session.sparkContext.environment
    variables = {
        "PYTHONPATH": str(_site_directory(str(session.sparkContext.pythonExec))),
        "PLUGWRIGHT_LOCATIONS": python_path,
        # Arrow's allocator would start a thread, and the daemon must fork without any.
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        **input_variables(str(session.sparkContext.master)),
        **memory_variables(),
    }
    environment.update(variables)
    try:
        yield
    finally:
        for variable in variables:
            del environment[variable]


def _site_directory(python: str) -> Path:
    """The directory of the start-up file, on the machines where an interpreter runs.

    Args:
        python: the interpreter of Python workers; a relative one is in an environment that Spark
            unpacks in the executor's working directory (``spark.archives``).
    """
    environment = Path(python).parent.parent
    if environment.is_absolute() or environment == Path():
        return _SITE
    return environment / _PACKAGES / "plugwright" / "spark" / _SITE.name
