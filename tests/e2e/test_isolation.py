"""Plugins with conflicting dependencies work together and side by side, on Spark and Kafka."""

from __future__ import annotations

import json
import os
import re
import signal
import time

import pytest
from tests.runtime.hosts import locations

from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.kafka import TopicWriter, create_topic, read_topic
from plugwright.plugins import Plugins

pytestmark = [pytest.mark.spark, pytest.mark.kafka]


class Deployment:
    """Generated locations, and a herder that runs what is in them."""

    def __init__(self, broker, launcher, fresh, root):
        self.broker = broker
        self.root = root
        self.topic = fresh("isolation")
        self._launcher = launcher
        self.herder = None
        create_topic(broker.bootstrap_servers, self.topic)

    def open(self, **worker):
        """A herder over the locations that are there now."""
        config = {
            "bootstrap.servers": self.broker.bootstrap_servers,
            "key.converter": "StringConverter",
            "value.converter": "StringConverter",
            "offset.storage.topic": f"{self.topic}-offsets",
            "offset.storage.partitions": "1",
            **worker,
        }
        plugins = Plugins.service_load([self.root])
        self.herder = EmbeddedHerder(WorkerConfig.parse(config), plugins, self._launcher)

    def start(self, connector, topic=None, **more):
        """Start a connector of that class; its job."""
        topic = topic or self.topic
        return self.herder.start_connector(
            {"name": f"{connector}-{topic}", "connector.class": connector, "topic": topic, **more}
        )

    def values(self, job, count=2, topic=None):
        """What reached the topic, once that many records have."""
        deadline, messages = time.monotonic() + 60, []
        while len(messages) < count and time.monotonic() < deadline:
            job.wait_for(lambda tasks: tasks[0].state == "FAILED", 0.1)
            assert job.statuses[0].state != "FAILED", job.statuses[0].trace
            messages = list(read_topic(self.broker.bootstrap_servers, topic or self.topic))
        return [message.value() for message in messages]


def _moved(tasks):
    return sum(task.counters.get("records", 0) for task in tasks)


@pytest.fixture
def deployment(broker, launcher, fresh, tmp_path):
    """Generated locations, and a herder that is closed at the end."""
    made = Deployment(broker, launcher, fresh, tmp_path / "path")
    yield made
    if made.herder is not None:
        made.herder.close()


MARKED = {
    "transforms": "mark",
    "transforms.mark.type": "ShopMark",
    "transforms.mark.mark": "smt PID",
    "value.converter": "ShopConverter",
    "value.converter.pid": "true",
}


def test_three_versions_of_one_dependency_work_in_one_pipeline(deployment):
    """Connector, transformation and converter each see their own, in processes of their own."""
    locations.connector(deployment.root, version="1.4")
    locations.converter(deployment.root, version="2.5")
    locations.transformation(deployment.root, version="3.6")
    deployment.open()

    job = deployment.start("ShopSource", **MARKED)
    values = deployment.values(job)

    found = [re.fullmatch(rb"(.*) smt (\d+) (.*) (\d+)", value) for value in values]
    assert [(match[1], match[3]) for match in found] == [
        (b"source 1.4 |", b"3.6 | converter 2.5"),
        (b"source 1.4 |", b"3.6 | converter 2.5"),
    ]
    pids = {int(pid) for pid in found[0].group(2, 4)}
    assert len({*pids, job.statuses[0].pid}) == 3


def test_without_a_conflict_one_process_runs_everything(deployment):
    """The composite: the same versions need no bridge."""
    for make in (locations.connector, locations.converter, locations.transformation):
        make(deployment.root, version="1.4")
    deployment.open()

    job = deployment.start("ShopSource", **MARKED)
    values = deployment.values(job)

    pid = str(job.statuses[0].pid).encode()
    expected = b"source 1.4 | smt " + pid + b" 1.4 | converter 1.4 " + pid
    assert values == [expected, expected]


def test_two_connectors_with_conflicting_dependencies_run_side_by_side(deployment, fresh):
    """Each sees its own version; the driver sees neither."""
    locations.connector(deployment.root, "first", "1.0", prefix="First")
    locations.connector(deployment.root, "second", "2.0", prefix="Second")
    other = fresh("isolation")
    create_topic(deployment.broker.bootstrap_servers, other)
    deployment.open()

    jobs = [deployment.start("FirstSource"), deployment.start("SecondSource", other)]
    values = [deployment.values(jobs[0]), deployment.values(jobs[1], topic=other)]

    assert values == [[b"source 1.0"] * 2, [b"source 2.0"] * 2]


def test_killing_a_location_host_fails_its_connector_only(deployment, fresh):
    """With the reason; its tasks and the other connector go on."""
    locations.connector(deployment.root, "first", "1.0", prefix="First")
    locations.connector(deployment.root, "second", "2.0", prefix="Second")
    other = fresh("isolation")
    create_topic(deployment.broker.bootstrap_servers, other)
    deployment.open()
    jobs = [deployment.start("FirstSource"), deployment.start("SecondSource", other)]
    first, second = f"FirstSource-{deployment.topic}", f"SecondSource-{other}"

    os.kill(deployment.herder.status(first).pids[0], signal.SIGKILL)
    for job, topic in zip(jobs, (None, other), strict=True):
        deployment.values(job, topic=topic)

    assert deployment.herder.status(first).state == "FAILED"
    assert "was ended by SIGKILL" in deployment.herder.status(first).trace
    assert deployment.herder.status(second).state == "RUNNING"


def test_a_stage_host_that_dies_fails_its_task_with_the_reason(deployment):
    """Plugin, version, location and phase, and what the plugin printed last."""
    locations.connector(deployment.root, version="1.0")
    press = locations.converter(deployment.root, version="2.0")
    deployment.open()

    job = deployment.start("ShopSource", value="die", **{"value.converter": "ShopConverter"})
    job.wait_for(lambda tasks: tasks[0].state == "FAILED", 60)

    (status,) = job.statuses
    trace = re.sub(r"process \d+", "process PID", status.trace)
    assert (status.state, status.attempt) == ("FAILED", 0)
    assert trace.startswith(
        "plugin.host-ended: press_plugin.ShopConverter 1.0 failed in from_connect_data: its host "
        f"process PID for {press.path} ended with status 9; it printed 'converter dies'"
    )


def test_pythons_idioms_work_on_the_driver_and_in_a_task(deployment):
    """Pickles, dataclasses, resources, metadata, late imports, processes of its own."""
    locations.idioms(deployment.root)
    deployment.open()

    job = deployment.start("ShopSource")
    values = deployment.values(job)

    assert [json.loads(value) for value in values] == [locations.IDIOMS_WORK] * 2


def test_a_location_replaces_neither_the_standard_library_nor_the_runtime(deployment):
    """An installer may have put a copy of the runtime beside the plugin."""
    shop = locations.connector(deployment.root, version="1.0")
    (shop.path / "colorsys.py").write_text("raise SystemExit('shadowed')")
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write("import colorsys\n")
    (shop.path / "plugwright").mkdir()
    (shop.path / "plugwright/__init__.py").write_text("raise SystemExit('bundled')")
    deployment.open()

    job = deployment.start("ShopSource")

    assert deployment.values(job) == [b"source 1.0"] * 2


def test_a_sink_reads_through_a_converter_of_a_conflicting_location(deployment, tmp_path):
    """Converter, then transformation, then put, each in its own process."""
    locations.sink(deployment.root, version="1.4")
    locations.converter(deployment.root, version="2.5")
    locations.transformation(deployment.root, version="3.6")
    deployment.open()
    TopicWriter(deployment.broker.bootstrap_servers).write(deployment.topic, [b"a", b"drop", b"b"])

    job = deployment.start(
        "ShopSink", topics=deployment.topic, file=str(tmp_path / "out"), **MARKED
    )
    job.wait_for(lambda tasks: _moved(tasks) >= 2 or tasks[0].state == "FAILED", 60)

    assert job.statuses[0].state == "RUNNING", job.statuses[0].trace
    lines = re.sub(r"smt \d+", "smt PID", (tmp_path / "out").read_text()).splitlines()
    assert lines == [
        f"sink 1.4 | {value} | converter 2.5 | smt PID 3.6" for value in ("a", "drop", "b")
    ]
