"""Numbering boundary events, and stopping the world at one of them."""

from __future__ import annotations

import pytest

from plugwright.worker import Boundary
from plugwright_conformance.simulator import Recorder


class StoppedError(Exception):
    """Stands for the end of the process."""


def _stop():
    raise StoppedError


def test_world_stops_at_the_event_of_that_number():
    """Counted from 0, the event itself has happened."""
    recorder = Recorder(stop_at=2, stop=_stop)
    recorder.boundary(Boundary.START)
    recorder.event("group.join")
    with pytest.raises(StoppedError):
        recorder.boundary(Boundary.PUT_ENTER)
    assert recorder.events == ["start", "group.join", "put.enter"]


def test_world_stops_at_an_occurrence_of_a_class():
    """For lives that do not repeat."""
    recorder = Recorder(stop_in=("put.enter", 2), stop=_stop)
    for name in ("put.enter", "put.return"):
        recorder.event(name)
    with pytest.raises(StoppedError):
        recorder.event("put.enter")


def test_long_series_of_reads_is_two_events_pairs_long():
    """Reading changes nothing, so a crash among the others would be the same."""
    recorder = Recorder()
    for _ in range(5):
        recorder.reading("file.read", "before")
        recorder.reading("file.read", "after")
    recorder.event("poll.return")
    recorder.reading("file.read", "before")
    read = ["file.read before", "file.read after"]
    assert recorder.events == [*read, *read, "poll.return", "file.read before"]
