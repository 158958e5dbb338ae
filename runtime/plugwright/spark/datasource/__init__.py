"""Every connector plugin as a Spark data source: DataFrames from sources, DataFrames to sinks."""

from __future__ import annotations

from plugwright.spark.datasource._options import OPTIONS
from plugwright.spark.datasource._register import DATA_SOURCES, register
from plugwright.spark.datasource._source import PlugwrightDataSource
from plugwright.spark.datasource._told import RowsError

__all__ = ["DATA_SOURCES", "OPTIONS", "PlugwrightDataSource", "RowsError", "register"]
