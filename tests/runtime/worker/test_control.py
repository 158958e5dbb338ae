"""The target state of a task, set from any thread."""

from __future__ import annotations

import threading
import time

import pytest

from plugwright.worker import TaskControl


@pytest.mark.parametrize(
    ("commands", "stopping", "paused"),
    [
        ([], False, False),
        (["pause"], False, True),
        (["pause", "resume"], False, False),
        (["stop"], True, False),
        (["pause", "stop"], True, True),
        (["stop", "resume"], True, False),
        (["stop", "pause"], True, True),
    ],
    ids=str,
)
def test_commands_set_the_target_state(commands, stopping, paused):
    """A stop is final, whatever comes after it."""
    control = TaskControl()
    for command in commands:
        getattr(control, command)()
    assert (control.stopping, control.paused) == (stopping, paused)


def test_a_wait_ends_with_the_time():
    """And changes nothing."""
    control = TaskControl()
    began = time.monotonic()
    control.wait(0.02)
    assert time.monotonic() - began >= 0.02


def test_a_task_that_is_to_stop_does_not_wait():
    """The command may have come between a look at it and the wait."""
    control = TaskControl()
    control.stop()
    began = time.monotonic()
    control.wait(10.0)
    assert time.monotonic() - began < 5.0


def test_a_wait_ends_when_the_target_changes():
    """A stop does not have to wait for a sleeping loop."""
    control = TaskControl()
    threading.Timer(0.01, control.stop).start()
    began = time.monotonic()
    control.wait(10.0)
    assert time.monotonic() - began < 5.0
