"""The figures of our worker after a scenario are those of the real Kafka Connect after the same."""

from __future__ import annotations

import pytest
from tests.e2e.workers import WorkerProcess, until
from tests.peer.metric_scenario import BAD, GOOD, Scenario, is_count, worker_settings
from tests.peer.record_metrics import recorded_worker_metrics

from plugwright.plugins import JAVA_NAMES

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(420)]

BUNDLED = "plugin-path"
NO_STARTS = "Java 4.3.1 counts no task that starts"
NO_TEXT = "this file sink reports values that are no text, where Java's writes {n=0}"
TOLERANT = (("connector", "tolerant"), ("task", "0"))
ARGUED = {
    ("connect-worker-metrics", "task-startup-attempts-total"): (0, 7, NO_STARTS),
    ("connect-worker-metrics", "task-startup-success-total"): (0, 7, NO_STARTS),
    **{
        ("task-error-metrics", name, *TOLERANT): (BAD, GOOD + BAD, NO_TEXT)
        for name in (
            "deadletterqueue-produce-requests",
            "total-errors-logged",
            "total-record-errors",
            "total-record-failures",
            "total-records-skipped",
        )
    },
}
"""The figures that differ: Java's, ours, and the reason."""


def _counts(rows):
    """The figures that depend on what was done alone, by group, name and tags."""
    return {
        (row["group"], row["name"], *sorted(row["tags"].items())): row["value"]
        for row in rows
        if is_count(row) and row["group"] != "plugwright-task-metrics"
    }


def _texts(rows):
    """What names classes and kinds; versions are each worker's own."""
    return {
        (row["group"], row["name"], *sorted(row["tags"].items())): row["value"]
        for row in rows
        if row["name"].endswith("-class") or row["name"] == "connector-type"
    }


@pytest.fixture(scope="module")
def figures(broker, tmp_path_factory):
    """What our worker shows once all is done."""
    settings = {
        **worker_settings(),
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": BUNDLED,
        "plugin.discovery": "service_load",
    }
    with WorkerProcess(settings, distributed=True) as worker:
        scenario = Scenario(tmp_path_factory.mktemp("files"), worker.call, worker.wait_for_state)
        scenario.begin()
        reported = lambda: worker.call("/metrics.json")[1]  # noqa: E731  # asked again and again
        if not until(lambda: scenario.is_at_rest(reported()), 120, 0.5):
            raise TimeoutError(f"not at rest: {_counts(reported())}\n{worker.said[-4000:]}")
        return reported()


def test_counts_and_totals_are_those_of_kafka_connect(figures):
    """Of a copy, a filter, tolerated and fatal errors, and a pause."""
    ours, javas = _counts(figures), _counts(recorded_worker_metrics())

    assert {
        place: (value, ours.get(place))
        for place, value in javas.items()
        if ours.get(place) != value
    } == {place: (java, our) for place, (java, our, _) in ARGUED.items()}


def test_classes_are_those_of_kafka_connect(figures):
    """Connectors, tasks, converters, transformations and predicates, under our names of them."""
    ours, javas = _texts(figures), _texts(recorded_worker_metrics())

    assert ours == {place: JAVA_NAMES.get(text, text) for place, text in javas.items()}


def test_nothing_is_counted_that_kafka_connect_does_not_count(figures):
    """Every figure of these kinds has one of Java's beside it."""
    ours, javas = _counts(figures), _counts(recorded_worker_metrics())

    assert [place for place in ours if place not in javas] == []
