"""Values come to an endpoint in the middle of a life."""

from __future__ import annotations

from plugwright_conformance.simulator import Recorder


def test_more_is_fed_at_an_event_before_a_crash_there():
    """What was fed is known to those who come after the crash."""
    reported = []
    recorder = Recorder(
        stop_at=1,
        stop=lambda: reported.append("stopped"),
        feed_at=1,
        feed=lambda: reported.append("fed"),
    )

    for name in ("poll.enter", "file.read before", "file.read after"):
        recorder.event(name)

    assert reported == ["fed", "stopped"]
    assert recorder.events == ["poll.enter", "file.read before", "file.read after"]
