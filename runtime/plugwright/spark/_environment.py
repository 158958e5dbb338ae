"""What the Python workers of a family find in their environment."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.processes import memory_variables
from plugwright.spark._input import input_variables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_SITE = Path(__file__).with_name("_site")


@contextmanager
def worker_environment(session: SparkSession, python_path: str) -> Iterator[None]:
    """Give it to whatever plan is made meanwhile, on this thread or any other.

    Args:
        session: whose plans.
        python_path: directories that plugins are imported from, separated as in PYTHONPATH.
    """
    environment = session.sparkContext.environment
    variables = {
        "PYTHONPATH": str(_SITE),
        "PLUGWRIGHT_LOCATIONS": python_path,
        # Arrow's allocator would start a thread, and the daemon is to fork without any.
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
