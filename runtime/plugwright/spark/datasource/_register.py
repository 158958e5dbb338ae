"""Making the data sources known to a session."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from plugwright.spark.datasource._source import PlugwrightDataSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

_KAFKA_CLIENT = "confluent_kafka"


def register(spark: SparkSession) -> None:
    """Let a session use the data sources by their names: ``spark.read.format("plugwright")``.

    ``plugwright-kafka`` is among them where the extra ``kafka`` is installed. Workers import them
    by name: the package is to be installed wherever Python runs for Spark.

    The session becomes the active one of the calling thread, where Spark looks for what
    ``writeStream`` names: other threads that start such a query call this, too.
    """
    for source in data_sources():
        spark.dataSource.register(source)
    if jvm := getattr(spark, "_jvm", None):  # a session of Spark Connect has none, and no such need
        java = spark._jsparkSession  # noqa: SLF001  # pyspark's only way to the session
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(java)


def data_sources() -> Iterator[type[DataSource]]:
    """What `register` makes known."""
    yield PlugwrightDataSource
    if find_spec(_KAFKA_CLIENT) is not None:
        from plugwright.spark.kafka_source import KafkaDataSource  # noqa: PLC0415  # an extra

        yield KafkaDataSource
