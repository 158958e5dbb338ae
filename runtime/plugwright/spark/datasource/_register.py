"""Making the data sources known to a session."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from plugwright.spark.datasource._source import PlugwrightDataSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

__all__ = ["data_sources", "register"]

_KAFKA_CLIENT = "confluent_kafka"


def register(spark: SparkSession) -> None:
    """Let a session use the data sources by their names: ``spark.read.format("plugwright")``.

    ``plugwright-kafka`` is among them where the extra ``kafka`` is installed. Workers import them
    by name: the package is to be installed wherever Python runs for Spark.
    """
    for source in data_sources():
        spark.dataSource.register(source)


def data_sources() -> Iterator[type[DataSource]]:
    """What `register` makes known."""
    yield PlugwrightDataSource
    if find_spec(_KAFKA_CLIENT) is not None:
        from plugwright.spark.kafka_source import KafkaDataSource  # noqa: PLC0415  # an extra

        yield KafkaDataSource
