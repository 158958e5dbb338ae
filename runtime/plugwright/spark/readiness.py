"""Waits for the executors of a cluster, and reports in plain words what they lack."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright.spark.placement import Placement
from plugwright.spark.warming import warm_up
from plugwright.spark.watch import NO_SLOT, lack_of_slots

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SLOTS_S = 60.0
_PYTHON_S = 240.0
_LOOK_S = 0.5
_FAILURES = 3
"""Attempts of an empty task after which another one would fail, too."""


def require_executors(
    session: SparkSession, slots: int, *, slots_s: float = _SLOTS_S, python_s: float = _PYTHON_S
) -> None:
    """Wait until executors have this many slots and have run an empty Python task.

    Args:
        session: of the executors.
        slots: how many tasks are to run at once.
        slots_s: seconds that executors may take to appear.
        python_s: seconds that the empty task may take; executors may have to fetch and unpack an
            environment first. If it fails, that is reported at once.

    Raises:
        SetupError: ``spark.no-slot``, or ``spark.no-python`` with Spark's words.
    """
    placement = Placement(session)
    deadline = time.monotonic() + slots_s
    while (found := placement.slots()) < slots:
        if time.monotonic() >= deadline:
            text = lack_of_slots(found, slots, placement.master)
            raise SetupError(text, code=NO_SLOT)
        time.sleep(_LOOK_S)
    words = ""

    def fails(tag: str) -> bool:
        nonlocal words
        attempts, words = placement.failures(tag).get(0, (0, words))
        return attempts >= _FAILURES

    if not warm_up(session, "", python_s, fails):
        raise _no_python(placement.master, words)


def _no_python(master: str, words: str) -> SetupError:
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    return SetupError(
        f"the executors of {master} run no Python task: {words or 'see the log of Spark'}",
        code="spark.no-python",
        hint=f"set spark.pyspark.python to a Python {own} with this Plugwright on every machine, "
        "or send an environment with the job: plugwright pack-environment",
        facts={"master": master, "python": own, "spark": words},
    )
