"""``plugwright prepare``: has everything on this machine that Kafka and Spark start faster with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["PREPARE"]

_FORMAT = "plugwright-prepare/1"
_NONE = "none: this Java has no archive of its own classes, to which others could be added"
_EPILOG = """\
Fetches the jars of the embedded Kafka into the cache, and archives the classes that Kafka and Spark
load, so that both start twice as fast. Java verifies an archive before it uses it; repeat the
command when Java or Spark has changed. In an image of a container it also saves the download.

examples:
  plugwright prepare
  PLUGWRIGHT_CACHE=/opt/connect/cache plugwright prepare
"""


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_toolkit.output import write  # noqa: PLC0415  # after --help

    archives = _archives()
    if arguments.json:
        plain = {name: None if file is None else str(file) for name, file in archives.items()}
        write_json({"format": _FORMAT, "archives": plain}, sys.stdout)
    else:
        lines = (f"{name}: {file or _NONE}\n" for name, file in archives.items())
        write("".join(lines), sys.stdout)
    return ExitCode.DONE


def _archives() -> Mapping[str, Path | None]:
    from plugwright.kafka.brokers import archive_broker_classes  # noqa: PLC0415  # an extra
    from plugwright.spark import archive_spark_classes  # noqa: PLC0415  # the same

    kafka = archive_broker_classes(progress=_report)
    _report("archiving the classes of Apache Spark")
    return {"kafka": kafka, "spark": archive_spark_classes()}


def _report(step: str) -> None:
    sys.stderr.write(f"{step} ...\n")
    sys.stderr.flush()


PREPARE = Command(
    name="prepare",
    summary="fetch and archive what Kafka and Spark start faster with",
    epilog=_EPILOG,
    configure=add_json,
    run=_run,
)
