"""The archive of the classes that Spark's JVM loads until it runs a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark.find_spark_home import _find_spark_home

from plugwright.class_archive import ClassArchive

if TYPE_CHECKING:
    from plugwright.java import Java


def spark_archive(java: Java) -> ClassArchive | None:
    """The archive for this Java and this installation of Spark; ``None`` if it has none."""
    jars = Path(_find_spark_home(), "jars").glob("*.jar")
    return ClassArchive.of(f"spark-{pyspark.__version__}", java, jars)
