"""The common part of commands that run a worker: logging, and waiting for a stop signal."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.logs import log_formatter, redirected_output

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.cli.ending import Ending
    from plugwright.cli.process import RunningWorker
    from plugwright.config import HiddenTexts

log = logging.getLogger("plugwright.worker")


def begin_log(level: str) -> None:
    """Log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(log_formatter("text"))
    logging.basicConfig(level=level, handlers=[handler])


@contextmanager
def worker_log(properties: Mapping[str, str], hidden: HiddenTexts) -> Iterator[None]:
    """Log in the worker's format, including what plugins print in this process.

    Known secrets are replaced in every line.

    Raises:
        ConfigError: if the log format is unknown.
    """
    from plugwright.herder import WORKER_CONFIG  # noqa: PLC0415  # needs extras

    kind = WORKER_CONFIG.parse_value("log.format", properties.get("log.format", "text"))
    before = [(handler, handler.formatter) for handler in logging.getLogger().handlers]
    for handler, _ in before:
        handler.setFormatter(log_formatter(str(kind).lower(), hidden.hide))
    try:
        with redirected_output():
            yield
    finally:
        for handler, formatter in before:
            handler.setFormatter(formatter)


def serve(worker: RunningWorker, ending: Ending) -> None:
    """Wait for a stop signal.

    Raises:
        SetupError: if Spark has died. Other workers can only take over after this one has
            ended.
    """
    ending.serve()
    log.info("Kafka Connect worker is running at %s", worker.url)
    while not ending.wait(1.0):
        if not worker.lives():
            raise SetupError(
                "Spark's JVM ended, so this worker ends too",
                code="spark.ended",
                hint="see the log of the machine or of Spark, and start the worker again",
            )
    log.info("Stopping")
