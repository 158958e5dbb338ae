"""Making the data sources known to a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.spark.datasource._source import PlugwrightDataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

__all__ = ["DATA_SOURCES", "register"]

DATA_SOURCES: tuple[type[DataSource], ...] = (PlugwrightDataSource,)
"""What `register` makes known."""


def register(spark: SparkSession) -> None:
    """Let a session use the data sources by their names: ``spark.read.format("plugwright")``.

    Workers import them by name: the package is to be installed wherever Python runs for Spark.
    """
    for source in DATA_SOURCES:
        spark.dataSource.register(source)
