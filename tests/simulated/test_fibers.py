"""Virtual time is that of the simulated threads alone."""

from __future__ import annotations

import threading
import time

from tests.simulated.fibers import Fibers, time_of


def test_thread_of_an_earlier_test_has_real_time():
    """It runs in the same process, and no other code passes its time."""
    fibers = Fibers(1)
    clock = time_of(fibers)
    seen = []

    def earlier():
        before = clock.monotonic()
        clock.sleep(0.01)
        seen.append((before, clock.monotonic()))

    def main():
        other = threading.Thread(target=earlier)
        other.start()
        other.join()
        clock.sleep(3600)
        return clock.monotonic()

    started = time.monotonic()
    assert fibers.run(main) == 3600
    ((before, after),) = seen
    assert started <= before < after <= time.monotonic()
