"""Every connector plugin as a Spark data source: DataFrames from sources, DataFrames to sinks."""

from __future__ import annotations

from plugwright.spark.datasource._errors import RowsError
from plugwright.spark.datasource._source import PlugwrightDataSource
from plugwright.spark.datasource.options import OPTIONS
from plugwright.spark.datasource.registration import data_sources, register

__all__ = ["OPTIONS", "PlugwrightDataSource", "RowsError", "data_sources", "register"]
