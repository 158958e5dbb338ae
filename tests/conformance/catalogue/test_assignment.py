"""How long a connector may take to ask for its tasks to be configured again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright_conformance.catalogue.assignment import TaskAssignment
from plugwright_conformance.subject.contexts import RecordingConnectorContext


class Time:
    """Virtual time in which a thread of the connector asks at a moment.

    Args:
        context: of the connector.
        asks_at_s: when it asks; never by default.
        alone: whether there is no other thread.
    """

    def __init__(self, context, asks_at_s=float("inf"), *, alone=False):
        self._context, self._asks_at_s, self._alone = context, asks_at_s, alone
        self.virtual_s = self.real_s = 0.0

    def skip(self, seconds):
        """Let time pass at once."""
        self.virtual_s += seconds
        if self.virtual_s >= self._asks_at_s:
            self._context.request_task_reconfiguration()

    def breathe(self, seconds):
        """Wait for other threads if there are any."""
        if self._alone:
            return 0.0
        self.real_s += seconds
        return seconds


@pytest.mark.parametrize(
    ("asks_at_s", "asked"),
    [(0.1, True), (300.0, True), (600.0, True), (3600.0, False)],
)
def test_a_connector_that_looks_every_ten_minutes_has_asked(asks_at_s, asked):
    """In little real time, whatever its other threads are waiting for."""
    context = RecordingConnectorContext()
    time = Time(context, asks_at_s)
    assignment = TaskAssignment(SimpleNamespace(context=context))

    assert assignment.await_renewal(time) is asked
    assert time.real_s < 3.0


def test_nothing_is_awaited_without_another_thread():
    """No one is there who could ask."""
    context = RecordingConnectorContext()
    time = Time(context, alone=True)

    assert TaskAssignment(SimpleNamespace(context=context)).await_renewal(time) is False
    assert time.virtual_s < 10.0


def test_a_request_is_answered_once():
    """By the next task, which is kept with those before."""
    context = RecordingConnectorContext()
    connector = SimpleNamespace(
        context=context, task_configs=lambda most: [{"most": str(most)}], task_class=lambda: object
    )
    assignment = TaskAssignment(connector)
    first, config = assignment.task()
    context.request_task_reconfiguration()
    second, _ = assignment.renewed()

    assert config == {"most": "1"}
    assert assignment.renewed() is None
    assert assignment.tasks == [first, second]
