"""Registers the data sources with a session."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from plugwright.spark.datasource._source import PlugwrightDataSource
from plugwright.worker_python import require_worker_python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

_KAFKA_CLIENT = "confluent_kafka"


def register(spark: SparkSession) -> None:
    """Register the data sources under their names: ``spark.read.format("plugwright")``.

    This includes ``plugwright-kafka`` if the extra ``kafka`` is installed. Python workers import
    them by name: the package must be installed wherever Spark runs Python.

    The session becomes the active one of the calling thread, where Spark looks up the formats of
    ``writeStream``: other threads that start such a query must call this too.

    Raises:
        SetupError: ``environment.worker-python`` if the session runs Python on this machine, with
            an interpreter that lacks the package.
    """
    if getattr(spark, "_jvm", None):
        _require_workers(spark.sparkContext)
    for source in data_sources():
        spark.dataSource.register(source)
    if jvm := getattr(spark, "_jvm", None):  # Spark Connect has none, and does not need this
        java = spark._jsparkSession  # noqa: SLF001  # pyspark's only way to the session
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(java)


def _require_workers(context: SparkContext) -> None:
    """Ask the Python of workers on this machine, unless files of the job may bring the package."""
    local = (context.master or "").startswith("local")
    if local and not context._python_includes:  # noqa: SLF001  # what --py-files and addPyFile add
        require_worker_python(context.pythonExec)


def data_sources() -> Iterator[type[DataSource]]:
    """The data sources that `register` registers."""
    yield PlugwrightDataSource
    if find_spec(_KAFKA_CLIENT) is not None:
        from plugwright.spark.kafka_source import KafkaDataSource  # noqa: PLC0415  # an extra

        yield KafkaDataSource
