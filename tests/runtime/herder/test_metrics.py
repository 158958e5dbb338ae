"""A worker's figures: Kafka Connect's names, and what Prometheus' own parser reads of them."""

from __future__ import annotations

import logging

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.oracle.record_settings import recorded_metrics
from tests.peer.record_metrics import recorded_worker_metrics
from tests.runtime.herder.fakes import failure
from tests.runtime.herder.remembered import World
from tests.runtime.worker.fakes import Clock

from plugwright.control_plane import MetricValue, RestartRequest
from plugwright.herder.metric_names import METRICS
from plugwright.herder.metrics import worker_metrics
from plugwright.herder.prometheus import prometheus_text
from plugwright.herder.rebalances import Rebalances
from plugwright.herder.startups import Startups
from plugwright.metrics import MetricName, figures_of_plugins, reported_figures
from plugwright.spark.report import TaskReport
from plugwright.worker import TaskCounters, carried_on
from plugwright.worker.counters import Meter

ODD = 'or"ders\\n 50%\n{café}'
FULL = {
    **TaskCounters(records=5, polled=6, commits=3, commit_failures=1).snapshot(),
    "partitions": 2,
    "records-rate": 1.5,
    "polled-rate": 2.5,
    "commits-rate": 0.1,
    **dict.fromkeys(("batch-size-avg", "batch-size-max", "batch-ms-avg", "batch-ms-max"), 1.0),
    **dict.fromkeys(("commit-ms-avg", "commit-ms-max", "running-ratio", "pause-ratio"), 0.5),
    **dict.fromkeys(("active", "active-max", "active-avg", "lag-max", "commit-number"), 3),
    **{f"transaction-size-{part}": 2.0 for part in ("min", "max", "avg")},
    "commit_skips-rate": 0.0,
}


@pytest.fixture
def world():
    """A fresh one, closed at the end."""
    world = World()
    yield world
    world.herder.close()


def _kafkas():
    return set(recorded_metrics())


def _read(text):
    """Value by sample name and labels, as Prometheus' parser has it."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_names_are_kafkas():
    """And three of our own."""
    ours = {(group, name) for group, name in METRICS if group != "plugwright-task-metrics"}
    assert ours == _kafkas()


@pytest.mark.parametrize("kind", ["source", "sink"])
def test_a_task_has_every_figure_of_its_kind(world, kind):
    """Of both kinds together nothing is missing but what only a cluster has."""
    world.create(type=kind, **{"connector.class": "Shop", "task.class": "ShopTask"})
    found = list(worker_metrics(world.herder._parts, {"a": {0: FULL}}, Startups()))
    other = {"source": "sink-task-metrics", "sink": "source-task-metrics"}[kind]
    wanted = {name for name in _kafkas() if name[0] != other and "rebalance" not in name[0]}
    assert wanted <= {(metric.group, metric.name) for metric in found}
    tags = {(m.group, m.name): list(m.tags) for m in found if (m.group, m.name) in wanted}
    assert tags == {name: recorded_metrics()[name] for name in wanted}


def test_prometheus_reads_what_is_written(world):
    """With an odd name, types and texts."""
    world.create(ODD, **{"connector.class": "Shop"})
    text = world.herder.metrics()
    read = _read(text)
    task = (("connector", ODD), ("task", "0"))
    assert read["kafka_connect_task_error_metrics_total_retries_total", task] == 3.0
    assert read["kafka_connect_source_task_metrics_source_record_write_total", task] == 7.0
    assert read["kafka_connect_connector_task_metrics_status", (*task[:1], ("status", "running"),
                                                                *task[1:])] == 1.0  # fmt: skip
    assert read["kafka_connect_connector_metrics_connector_class",
                (("connector", ODD), ("connector_class", "Shop"))] == 1.0  # fmt: skip
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["kafka_connect_task_error_metrics_total_retries"].type == "counter"
    assert families["kafka_connect_connect_worker_metrics_task_count"].type == "gauge"
    assert all(family.documentation for family in families.values())


def _shape(group, name, tags, value):
    return (group, name, tuple(tags), isinstance(value, str) and value != "NaN")


@pytest.mark.parametrize("connector", ["from-file", "to-file"])
def test_a_connector_has_the_figures_of_the_real_worker(world, connector):
    """Names, tags in their order, and whether it is a text, as one of each kind was recorded."""
    config = {"connector.class": "Shop", "task.class": "ShopTask"}
    kind = {"from-file": "source", "to-file": "sink"}[connector]
    world.create(connector, type=kind, **config)
    found = worker_metrics(world.herder._parts, {connector: {0: FULL}}, Startups())
    ours = {_shape(m.group, m.name, m.tags, m.value) for m in found}
    javas = {
        _shape(row["group"], row["name"], row["tags"], row["value"])
        for row in recorded_worker_metrics()
        if row["tags"].get("connector", connector) == connector
        and "rebalance" not in row["group"]
        and (kind == "source" or row["group"] not in CHAIN)
    }
    assert javas - ours == set()


CHAIN = {"connector-transform-metrics", "connector-predicate-metrics"}
"""The recorded sink has neither."""


def test_a_worker_of_a_group_tells_of_no_leader(monkeypatch, world):
    """Texts as of the real worker, where there is one."""
    monkeypatch.setattr(type(world.shards), "figures", lambda _: Rebalances().figures())
    found = {
        m.name: m.value for m in world.herder.figures() if m.group.endswith("rebalance-metrics")
    }
    recorded = {
        row["name"]
        for row in recorded_worker_metrics()
        if "rebalance" in row["group"] and row["type"] == "String"
    }
    assert recorded == {name for name, value in found.items() if isinstance(value, str)}
    assert (found["leader-name"], found["connect-protocol"]) == ("n/a", "consumer")


def test_metrics_of_plugins_are_shown_with_the_workers_own(world):
    """Of the worker's, of a connector and of a task, whatever they are named (KIP-877)."""
    world.create(type="source", **{"connector.class": "Shop"})

    def figures_of(name, value, **tags):
        return reported_figures([(MetricName(name, "plugins", "One\nor two.", tags), value)])

    world.worker.figures[""] = figures_of("logins", 3.0, config="rest.extension.classes")
    world.worker.figures["a"] = figures_of("tables of shop", "many", connector="a")
    counters = {"a": {0: {**FULL, **figures_of("hits-rate", 0.5, connector="a", task="0")}}}
    found = list(worker_metrics(world.herder._parts, counters, Startups()))
    assert [(m.name, m.tags, m.value) for m in found if m.group == "plugins"] == [
        ("logins", {"config": "rest.extension.classes"}, 3.0),
        ("tables of shop", {"connector": "a"}, "many"),
        ("hits-rate", {"connector": "a", "task": "0"}, 0.5),
    ]
    read = _read(prometheus_text(found))
    assert read["kafka_connect_plugins_hits_rate", (("connector", "a"), ("task", "0"))] == 0.5
    tags = (("connector", "a"), ("tables_of_shop", "many"))
    assert read["kafka_connect_plugins_tables_of_shop", tags] == 1.0


def test_metrics_of_a_plugin_go_with_its_task():
    """The last report of a task has its totals and none of them."""
    channel = Channel()
    report = TaskReport(channel, Clock())
    report.counters = lambda: {"records": 1}
    report.plugins = lambda: reported_figures([(MetricName("m", "plugins"), 1.0)])
    report._recent_until = 0
    report.running()
    report.failed(ValueError("x"))
    with_it, without = [list(figures_of_plugins(each)) for each in channel.counters]
    assert ([each.name for each in with_it], without) == (["m"], [])


class Channel:
    """Remembers the figures that were sent."""

    def __init__(self):
        self.counters = []

    def send(self, update):
        """Remember them."""
        self.counters.append(update.counters)


def test_each_family_is_named_once():
    """Prometheus refuses a page that names one twice."""
    figures = [
        MetricValue("connect-worker-metrics", "connector-total-task-count", {"connector": c}, 1)
        for c in ("a", "b")
    ]
    name = "kafka_connect_connect_worker_metrics_connector_total_task_count"
    assert prometheus_text(figures).splitlines() == [
        f"# HELP {name} Tasks of the connector.",
        f"# TYPE {name} gauge",
        f'{name}{{connector="a"}} 1.0',
        f'{name}{{connector="b"}} 1.0',
    ]


def test_totals_only_grow_when_tasks_are_restarted(world):
    """Those of the former task count on; ratios are the new one's."""
    world.create()
    world.herder.restart_connector_and_tasks(RestartRequest("a", False, True))
    world.herder.settle(5)
    figures = {(m.group, m.name): m.value for m in world.herder.figures() if m.tags.get("task")}
    assert figures["source-task-metrics", "source-record-write-total"] == 14
    assert figures["task-error-metrics", "total-retries"] == 6


def test_totals_are_carried_on_and_nothing_else():
    """The time of the last error is the later one."""
    former = {"records": 5, "total-retries": 1, "last-error-timestamp": 99, "batch-size-max": 9}
    later = {"records": 2, "last-error-timestamp": 0, "batch-size-max": 3}
    assert carried_on(former, later) == {
        "records": 7,
        "total-retries": 1,
        "last-error-timestamp": 99,
        "batch-size-max": 3,
    }


def test_a_level_reaches_the_processes_of_plugins_and_tasks(world):
    """Of this worker, or of all; another word changes nothing."""
    world.herder.set_worker_logger_level("lv.here", "trace")
    world.herder.set_cluster_logger_level("lv.everywhere", "ERROR")
    world.herder.set_worker_logger_level("lv.here", "LOUD")
    levels = [call for call in world.worker.calls if call[0] == "level"]
    for name in ("lv.here", "lv.everywhere"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    assert levels == [("level", "lv.here", 5), ("level", "lv.everywhere", logging.ERROR)]


def test_starts_are_counted(caplog):
    """Those of connectors and tasks, well or not; a restart is one more."""
    caplog.set_level(logging.CRITICAL)
    made = World()
    made.create("a", **{"tasks.max": "2"})
    made.worker.failures["start"] = failure()
    made.create("b")
    figures = {m.name: m.value for m in made.herder.figures() if not m.tags}
    made.herder.close()
    assert {n: v for n, v in figures.items() if "startup" in n} == {
        "connector-startup-attempts-total": 2,
        "connector-startup-success-total": 1,
        "connector-startup-success-percentage": 0.5,
        "connector-startup-failure-total": 1,
        "connector-startup-failure-percentage": 0.5,
        "task-startup-attempts-total": 2,
        "task-startup-success-total": 2,
        "task-startup-success-percentage": 1.0,
        "task-startup-failure-total": 0,
        "task-startup-failure-percentage": 0.0,
    }


def test_a_rebalance_lasts_from_what_leaves_to_what_comes():
    """Maximum and average over all, and how long ago the last one was."""
    clock = Clock()
    rebalances = Rebalances(clock)
    assert rebalances.figures() == {"completed-rebalances-total": 0, "rebalancing": 0.0}
    for seconds in (1.0, 3.0):
        rebalances.begin()
        clock.advance(seconds)
        rebalances.end()
    clock.advance(0.5)
    rebalances.begin()
    assert rebalances.figures() == {
        "completed-rebalances-total": 2,
        "rebalancing": 1.0,
        "rebalance-max-time-ms": 3000.0,
        "rebalance-avg-time-ms": 2000.0,
        "time-since-last-rebalance-ms": 500.0,
    }


def test_a_meter_forgets_what_is_two_windows_old():
    """Windows of 30 s, the present one and the one before."""
    clock = Clock()
    meter = Meter(clock)
    meter.add(4.0)
    clock.advance(30.0)
    meter.add(1.0)
    assert meter.figures("x") == {"x-avg": 2.5, "x-min": 1.0, "x-max": 4.0}
    clock.advance(30.0)
    assert meter.figures("x") == {"x-avg": 1.0, "x-min": 1.0, "x-max": 1.0}
    clock.advance(60.0)
    assert meter.figures("x") == {}


class Deaf:
    """A channel that is not read."""

    def send(self, update):
        """Keep the last message."""
        self.last = update


def test_a_host_works_out_rates_and_ratios():
    """Every five seconds; a task without work has the same to say as before."""
    clock, channel = Clock(), Deaf()
    report, counters = TaskReport(channel, clock), TaskCounters()
    report.follow(counters)
    report.running()
    clock.advance(5.0)
    report._news()
    counters.records = 40
    clock.advance(15.0)
    report.paused()
    clock.advance(20.0)
    figures = report._news().counters
    assert (figures["running-ratio"], figures["pause-ratio"]) == (0.5, 0.5)
    assert figures["records-rate"] == round(40 / 35, 3)
    assert report._news().counters == figures
