"""Options of commands whose live checks may run on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from plugwright_conformance.live.spark_cluster import SparkChoice

__all__ = ["add_spark", "read_spark"]

_MASTER, _PREFIX = "spark.master", "spark."
_DISTRIBUTION = "plugin.distribution"


def add_spark(parser: argparse.ArgumentParser) -> None:
    """Add ``--spark-master`` and ``--worker-config``."""
    parser.add_argument(
        "--spark-master",
        metavar="URL",
        help="run the tasks of live checks on this cluster, such as spark://host:7077, instead of "
        "on this machine",
    )
    parser.add_argument(
        "--worker-config",
        metavar="FILE",
        type=Path,
        help="a worker's properties file, of which the spark.* settings and plugin.distribution "
        "count",
    )


def read_spark(arguments: argparse.Namespace) -> SparkChoice:
    """The Spark cluster that the options specify.

    Raises:
        ConfigError: if the file cannot be read, or a value in it is wrong.
    """
    from plugwright_conformance.live.spark_cluster import SparkChoice  # noqa: PLC0415  # needs extras

    worker = _worker(arguments.worker_config) if arguments.worker_config else {}
    spark = {name: value for name, value in worker.items() if name.startswith(_PREFIX)}
    master = spark.pop(_MASTER, "")
    return SparkChoice(
        arguments.spark_master or master, spark, worker.get(_DISTRIBUTION, "auto").lower()
    )


def _worker(file: Path) -> Mapping[str, str]:
    """The settings in a worker's file, with references to config providers resolved."""
    from plugwright.config import HiddenTexts  # noqa: PLC0415  # after --help
    from plugwright.herder import (  # noqa: PLC0415  # an extra
        WORKER_CONFIG,
        read_settings_file,
        resolved_properties,
    )
    from plugwright.plugins import Plugins  # noqa: PLC0415  # after --help

    hidden = HiddenTexts()
    with hidden.in_errors():
        given = read_settings_file(file)
        wanted = {name: given[name] for name in given if _counts(name)}
        worker = resolved_properties(wanted, Plugins.service_load([]), hidden)
        if _DISTRIBUTION in worker:
            WORKER_CONFIG.parse_value(_DISTRIBUTION, worker[_DISTRIBUTION])
    return worker


def _counts(name: str) -> bool:
    return name.startswith((_PREFIX, "config.providers")) or name == _DISTRIBUTION
