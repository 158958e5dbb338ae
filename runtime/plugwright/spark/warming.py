"""Runs an empty task before the first real one, so that everything is loaded."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from plugwright.spark._environment import worker_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

_LIMIT_S = 30.0
_LOOK_S = 1.0


def warm_up(
    session: SparkSession,
    python_path: str,
    limit_s: float = _LIMIT_S,
    is_hopeless: Callable[[str], bool] = lambda _: False,
) -> bool:
    """Make Spark compile a plan, and start the processes that task hosts are forked from.

    Args:
        session: runs the tasks.
        python_path: directories that the tasks' plugins are imported from.
        limit_s: maximum wait; a cluster may have no executor yet.
        is_hopeless: whether to give up before, asked now and then with the tag of the task's job.

    Returns:
        Whether the task ran in time.
    """
    tag = f"warm-up-{uuid4().hex}"
    ran = threading.Event()

    def run() -> None:
        try:
            session.sparkContext.addJobTag(tag)
            with worker_environment(session, python_path):
                plan = session.range(0, 1, 1, 1).mapInArrow(_nothing, "task bigint")
            plan.collect()
            ran.set()
        except Exception as error:  # noqa: BLE001  # a real task will say the same to its connector
            log.debug("no warm-up task could be run: %s", error)

    thread = threading.Thread(target=run, name=tag, daemon=True)
    begun = time.monotonic()
    deadline = begun + limit_s
    thread.start()
    thread.join(min(_LOOK_S, limit_s))
    while thread.is_alive() and time.monotonic() < deadline and not is_hopeless(tag):
        thread.join(min(_LOOK_S, max(0.0, deadline - time.monotonic())))
    if thread.is_alive():
        passed_s = time.monotonic() - begun
        log.warning("Spark has not run an empty task within %.2g s; see its log", passed_s)
        session.sparkContext.cancelJobsWithTag(tag)
    return ran.is_set()


def _nothing(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches
