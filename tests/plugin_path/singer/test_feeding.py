"""A target that is stopped by one thread while another one feeds it."""

from __future__ import annotations

import os
import threading

import pytest
from tests.plugin_path.singer.programs import write_program

from plugwright import ConnectError
from plugwright_singer import run as implementation
from plugwright_singer.feeding import FedTarget
from plugwright_singer.masking import Mask
from plugwright_singer.run import ChildRun, Command, Limits

LIMITS = Limits(line=1000, held=1000)


@pytest.fixture
def command(tmp_path):
    """A program that reads all there is."""
    program = write_program(tmp_path / "target-test", "for line in sys.stdin:\n    pass\n")
    return Command(str(program), {}, Mask([]))


def test_an_input_is_not_closed_while_it_is_written_to(command, monkeypatch):
    """Its number may be another file's by then."""
    run, write, was_open = ChildRun(command, LIMITS, feeds=True), os.write, []

    def slowly(descriptor, data):
        other = threading.Thread(target=run.end_input)
        other.start()
        other.join(0.2)  # it would be done by then
        was_open.append(os.fstat(descriptor).st_size == 0)
        return write(descriptor, data)

    monkeypatch.setattr(implementation.os, "write", slowly)
    assert run.feed(memoryview(b"{}\n")) == 3
    monkeypatch.undo()
    assert was_open == [True]
    run.stop()


def test_a_stopped_target_takes_nothing(command):
    """The thread that feeds it receives that."""
    target = FedTarget(command, LIMITS, lambda: False)
    target.write(b"{}\n", 10)
    target.stop()

    with pytest.raises(ConnectError, match="target-test was stopped while it was fed") as raised:
        target.write(b"{}\n", 10)

    assert raised.value.code == "singer.stopped"
