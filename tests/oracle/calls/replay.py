"""Lives the recorded lives with our worker, and prints where it calls otherwise than Java."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tests.oracle.calls.deviations import DEVIATIONS, sequences_that_differ
from tests.oracle.calls.lives import SITTINGS
from tests.oracle.calls.playing import PACKAGES, SETTINGS, lived
from tests.oracle.calls.recording import chosen, recorded
from tests.oracle.worker.steps import DISTRIBUTED
from tests.oracle.worker.workers import our_worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.calls.playing import Calls

__all__ = ["main", "replayed"]

_WAIT_S = 60.0


def replayed(sitting: str, only: Sequence[str] = ()) -> dict[str, tuple[Calls, Calls]]:
    """The calls of each life of a sitting: Java's, and ours."""
    java = recorded()
    if not (lives := chosen(sitting, only)):
        return {}
    with our_worker(DISTRIBUTED, PACKAGES, SETTINGS[sitting]) as stage:
        ours = lived(stage, lives, _WAIT_S)
    return {name: (java[name]["calls"], found) for name, found in ours.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print whose calls differ, then how many lives are equal but for argued differences."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.calls.replay")
    parser.add_argument("lives", nargs="*", help="only these")
    only = parser.parse_args(arguments).lives
    found, new = {}, 0
    for sitting in SITTINGS:
        found |= replayed(sitting, only)
    for name, (java, ours) in found.items():
        for sequence in sequences_that_differ(java, ours):
            reason = DEVIATIONS.get((name, sequence), "")
            new += not reason
            sys.stdout.write(f"{name}, {sequence}: {reason or 'DIFFERS'}\n")
            sys.stdout.write(f"    java: {'; '.join(java.get(sequence, ()))}\n")
            sys.stdout.write(f"    ours: {'; '.join(ours.get(sequence, ()))}\n")
    equal = sum(java == ours for java, ours in found.values())
    sys.stdout.write(f"{len(found)} lives, {equal} equal, {new} new differences\n")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
