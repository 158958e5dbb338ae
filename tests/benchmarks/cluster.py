"""Traffic and processor time of a large group: real herders and drivers, simulated Kafka and Spark.

Run it as ``python -m tests.benchmarks.cluster``. All workers of the group share one process and one
virtual clock, so their processor time is measured together and divided by their number; the
simulation is part of it. A/A: the same seed is run twice; records must be the same, and what the
times differ by is the error of the method. With ``PYTHONHASHSEED=0`` runs repeat exactly.
"""

from __future__ import annotations

import argparse
import logging
import os
import platform
import resource
import sys
from typing import TYPE_CHECKING

from tests.simulated.scenario import Shape, check_event, config_bound, rehearse, status_bound

import plugwright
from plugwright.spark import CrashBudget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulated.scenario import Measured, Rehearsal


def main() -> int:
    """Measure and print; 0 when done."""
    options = _parsed()
    shape = Shape(
        workers=options.workers,
        executors=options.executors,
        slots=8 * options.tasks // (options.workers * options.executors) + 1,
        connectors=options.connectors,
        tasks=options.tasks,
        shards=options.shards,
        budget=CrashBudget(restarts=3),
    )
    logging.disable(logging.ERROR)
    _say(
        f"plugwright {plugwright.__version__}, python {platform.python_version()}, "
        f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, "
        f"load {os.getloadavg()[0]:.1f}; seed {options.seed}\n"
        f"{shape.workers} workers, {shape.workers * shape.executors} executors, "
        f"{shape.connectors} connectors, {shape.tasks} tasks, {shape.shards} shards\n"
    )
    rounds = [rehearse(shape, options.seed, _play).events for _ in range(1 + options.rounds)]
    for turns in zip(*rounds, strict=True):
        _print(turns, shape.workers)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    _say(f"\nmemory at most, all workers and the simulation: {peak_mb:.0f} MB")
    return 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--executors", type=int, default=10, help="of each worker")
    parser.add_argument("--connectors", type=int, default=400)
    parser.add_argument("--tasks", type=int, default=5000)
    parser.add_argument("--shards", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="repetitions of the same run")
    return parser.parse_args()


def _play(rehearsal: Rehearsal) -> None:
    rehearsal.begin()
    rehearsal.create()
    rehearsal.idle()
    rehearsal.join()
    rehearsal.leave()
    rehearsal.kill()
    rehearsal.storm(0.1)
    rehearsal.storm(0.5)
    rehearsal.lose_executors(min(10, rehearsal.shape.workers - 1))
    rehearsal.repair(rehearsal.break_tasks(0.01))
    rehearsal.configure(0.1)
    rehearsal.upgrade()
    rehearsal.delete(0.5)


def _print(turns: Sequence[Measured], workers: int) -> None:
    """One line for an event, and its repetition."""
    for event in turns:
        check_event(event)
    first, *others = turns
    same = all(each.written == first.written for each in others)
    spent = [each.processor_s / workers for each in turns]
    _say(
        f"{first.name:28}{first.connectors:5} connectors{first.tasks:6} tasks"
        f"   config {first.records('config'):5} of {config_bound(first):5}"
        f"   status {first.records('status'):6} of {status_bound(first):6}"
        f" in {first.written['status']['requests']:6} requests,"
        f" {first.written['status']['bytes'] / 1000:7.0f} kB"
        f"   Spark asked {first.asked:6}"
        f"   {first.seconds:6.1f} s   worker {spent[0]:5.2f} s,"
        f" A/A {' '.join(f'{each:.2f}' for each in spent[1:])}"
        f" {'same records' if same else 'OTHER RECORDS'}"
        f"   tasks of a worker {first.workers[0]}-{first.workers[1]},"
        f" of an executor {first.executors[0]}-{first.executors[1]}"
    )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
