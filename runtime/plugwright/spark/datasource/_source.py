"""The data source ``plugwright``: every connector plugin as a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.sql.datasource import DataSource

from plugwright.errors import ConfigError
from plugwright.plugins import SINK, SOURCE
from plugwright.spark.datasource._errors import readable_errors
from plugwright.spark.datasource.planning import plan_connector
from plugwright.spark.datasource.reader import RowsReader, sampled
from plugwright.spark.datasource.stream_reader import RowsStreamReader
from plugwright.spark.datasource.writer import RowsStreamWriter, RowsWriter, records_for
from plugwright.spark.rows import arrow_schema_of, columns_of, spark_schema_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.datasource import (
        DataSourceArrowWriter,
        DataSourceReader,
        DataSourceStreamArrowWriter,
        SimpleDataSourceStreamReader,
    )
    from pyspark.sql.types import StructType

    from plugwright.spark.datasource.options import RowsOptions
    from plugwright.spark.datasource.plan import ConnectorPlan


class PlugwrightDataSource(DataSource):
    """Reads source connectors and writes to sink connectors, in batches and streams.

    The options are the connector's configuration and those in
    `plugwright.spark.datasource.OPTIONS`. Every method validates the whole configuration before a
    task starts, and raises `RowsError`, which Spark passes on as an ``AnalysisException`` with its
    text.
    """

    _sampled = False

    @classmethod
    def name(cls) -> str:
        """The name for ``format(…)``."""
        return "plugwright"

    def schema(self) -> StructType:
        """The columns of the source's first record; only called without ``.schema(…)``.

        Raises:
            RowsError: if the configuration is wrong, no record arrives, or it cannot be mapped.
        """
        with readable_errors():
            found = spark_schema_of(sampled(plan_connector(self.options, SOURCE)))
            self._sampled = True
            return found

    def reader(self, schema: StructType) -> DataSourceReader:
        """Create a batch reader.

        Raises:
            RowsError: if the configuration or the schema is wrong.
        """
        with readable_errors():
            plan, columns = self._planned(schema)
            return RowsReader(plan, columns, strict=self._sampled)

    def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:  # noqa: N802  # Spark's name
        """Create a stream reader.

        Raises:
            RowsError: if the configuration or the schema is wrong.
        """
        with readable_errors():
            plan, columns = self._planned(schema)
            return RowsStreamReader(plan, columns, strict=self._sampled)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Create a batch writer.

        Raises:
            RowsError: if the configuration or the schema is wrong, or rows would be overwritten.
        """
        with readable_errors():
            plan, columns = self._sink(schema, overwrite=overwrite)
            return RowsWriter(plan, columns, uuid4().hex)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:  # noqa: N802  # Spark's name
        """Create a stream writer.

        Raises:
            RowsError: if the configuration or the schema is wrong, or rows would be overwritten.
        """
        with readable_errors():
            plan, columns = self._sink(schema, overwrite=overwrite)
            return RowsStreamWriter(plan, columns)

    def _planned(self, schema: StructType) -> tuple[ConnectorPlan, pa.Schema]:
        columns = arrow_schema_of(schema)
        plan = plan_connector(self.options, SOURCE)
        return plan, columns_of(columns, plan.options.mode)

    def _sink(self, schema: StructType, *, overwrite: bool) -> tuple[ConnectorPlan, pa.Schema]:
        if overwrite:
            raise ConfigError(
                "a sink connector appends records and cannot overwrite existing data",
                code="rows.overwrite",
                hint='use mode("append"), or outputMode("append") for a stream',
            )
        columns = arrow_schema_of(schema)

        def check(options: RowsOptions) -> Any:
            return records_for(options, columns)

        return plan_connector(self.options, SINK, sink_problems=check), columns
