"""Archives the classes of Spark's JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark import SparkContext

from plugwright.java import find_java
from plugwright.processes import await_or_kill
from plugwright.spark._classes import spark_archive
from plugwright.spark.session import close_session, open_session
from plugwright.spark.warming import warm_up

if TYPE_CHECKING:
    from pathlib import Path

    from plugwright.class_archive import ClassArchive

_WRITTEN_S = 120.0


def archive_spark_classes() -> Path | None:
    """Archive the classes of Spark's JVM, which then starts and runs a first task twice as fast.

    Starts Spark in this process, which must not have a session, and ends its JVM. Takes about
    twenty seconds, unless there is an archive that fits.

    Returns:
        The archive; ``None`` if this Java cannot have one.

    Raises:
        SetupError: see `open_session`; ``environment.no-class-archive``.
    """
    archive = spark_archive(find_java())
    if archive is None:
        return None
    if not archive.exists:
        _record(archive)
    return archive.file


def _record(archive: ClassArchive) -> None:
    with archive.recording() as options:
        session = open_session("class archive", java_options=options)
        try:
            warm_up(session, "")
        finally:
            close_session(session)
            _end_jvm()


def _end_jvm() -> None:
    """End the JVM, and wait until it has written what it writes at its end."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001  # pyspark's only way to its JVM
    gateway.shutdown()
    gateway.proc.stdin.close()
    await_or_kill(gateway.proc, _WRITTEN_S)
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001  # the same
