"""What a task host tells its driver, without Spark."""

from __future__ import annotations

import threading

import pytest

from plugwright.spark import _report as implementation


class FakeChannel:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = []
        self.heard = threading.Event()

    def send(self, kind, **content):
        """To the driver."""
        self.sent.append((kind, content))
        self.heard.set()


@pytest.fixture
def report(monkeypatch):
    """A report that looks for news all the time."""
    monkeypatch.setattr(implementation, "_REPORT_S", 0.001)
    return implementation.TaskReport(FakeChannel())


def test_a_task_without_news_says_nothing(report):
    """A hundred idle tasks would keep the driver busy."""
    report.running()

    with report:
        threading.Event().wait(0.02)

    assert len(report._channel.sent) == 1


def test_forgotten_topics_are_told_once_records_use_them_again(report):
    """The set is the loop's own."""
    used = report.topics = {"a", "b"}
    report.running()
    report.forget_topics()
    used.add("b")
    report.running()

    assert [content["topics"] for _, content in report._channel.sent] == [["a", "b"], ["b"]]


def test_new_figures_are_told_without_a_new_state(report):
    """They are for the metrics, which nobody waits for."""
    report.running()
    report._channel.heard.clear()

    with report:
        report.counters = lambda: {"records": 3}
        assert report._channel.heard.wait(10)

    assert report._channel.sent[-1] == (
        "status",
        {"state": "RUNNING", "trace": "", "counters": {"records": 3}, "topics": []},
    )


class Waits:
    """An event that nobody sets for some turns; remembers how long each was to be."""

    def __init__(self, turns):
        self.asked = []
        self._turns = turns

    def wait(self, timeout_s):
        """At once."""
        self.asked.append(timeout_s)
        return len(self.asked) == self._turns


def test_a_calm_task_looks_for_news_less_and_less_often():
    """A hundred of them share a machine."""
    report = implementation.TaskReport(FakeChannel())
    report._ended = Waits(5)

    report._beat()

    assert report._ended.asked == [0.25, 0.25, 0.5, 1.0, 1.0]
