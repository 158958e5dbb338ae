"""Versions are chosen and conflicting plugins joined over the REST API of a real worker."""

from __future__ import annotations

import pytest
from tests.e2e.workers import WorkerProcess, until
from tests.runtime.hosts import locations

from plugwright.kafka import TopicWriter, create_topic, read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

LEDGER = '''
import logging

from plugwright import ConfigDef, ConfigType, SinkConnector, SinkTask


class Ledger(SinkConnector):
    """Writes its version before each value."""

    def version(self):
        return "{version}"

    def config(self):
        return ConfigDef().define("file", ConfigType.STRING, documentation="To.")

    def start(self, props):
        self.props = props

    def task_class(self):
        return LedgerTask

    def task_configs(self, max_tasks):
        return [self.props]

    def stop(self):
        pass


class LedgerTask(SinkTask):
    def version(self):
        return "{version}"

    def start(self, props):
        self.file = open(props["file"], "a")
        print("opened", "ledger")

    def put(self, records):
        logging.getLogger("ledger.task").debug("put %d", len(records))
        for record in records:
            self.file.write("{version} " + record.value + "\\n")
        self.file.flush()

    def stop(self):
        self.file.close()
'''


def release(location, version):
    """A location with one version of the sink."""
    metadata = location / f"ledger-{version}.dist-info"
    metadata.mkdir(parents=True)
    (location / "ledger.py").write_text(LEDGER.format(version=version))
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ledger\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text("[plugwright.SinkConnector]\nLedger=ledger:Ledger\n")


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Two versions of the ledger, and two plugins whose dependencies conflict."""
    root = tmp_path_factory.mktemp("plugin-path")
    release(root / "ledger-old", "1.4")
    release(root / "ledger-new", "2.5")
    locations.connector(root, version="1.4")
    locations.converter(root, version="2.5")
    return root


@pytest.fixture(scope="module")
def worker(broker, places):
    """One worker over all of them."""
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": str(places),
        "plugin.discovery": "service_load",
    }
    with WorkerProcess(settings) as started:
        yield started


@pytest.fixture
def topic(broker, fresh):
    """A topic with one value."""
    name = fresh("choice")
    create_topic(broker.bootstrap_servers, name)
    TopicWriter(broker.bootstrap_servers).write(name, [b"apples"])
    return name


def test_both_versions_are_listed(worker):
    """With the class once for each."""
    found = worker.call("/connector-plugins")[1]

    assert [each for each in found if each["class"] == "ledger.Ledger"] == [
        {"class": "ledger.Ledger", "type": "sink", "version": "1.4"},
        {"class": "ledger.Ledger", "type": "sink", "version": "2.5"},
    ]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ({"connector.plugin.version": "1.4"}, "1.4"),
        ({"connector.plugin.version": "[1.0,2.0)"}, "1.4"),
        ({"connector.plugin.version": ">=2"}, "2.5"),
        ({}, "2.5"),
    ],
    ids=["exactly", "range", "specifier", "unsaid"],
)
def test_the_connector_has_the_version_that_its_configuration_asks_for(
    worker, topic, tmp_path, wanted, chosen
):
    """The task runs the code of that version, and the status names it (KIP-891)."""
    file = tmp_path / "out.txt"
    config = {"connector.class": "Ledger", "topics": topic, "file": str(file), **wanted}

    code, _ = worker.create(topic, config)
    status = worker.wait_for_state(topic)
    until(lambda: file.exists() and file.stat().st_size)

    assert code == 201
    assert file.read_text() == f"{chosen} apples\n"
    versions = [part["version"] for part in (status["connector"], *status["tasks"])]
    assert versions == [chosen, chosen]


def test_a_running_task_is_watched(worker, topic, tmp_path, broker):
    """Its lines in the worker's log, a level that is set meanwhile, its figures (KIP-976)."""
    file = tmp_path / "out.txt"
    worker.create(topic, {"connector.class": "Ledger", "topics": topic, "file": str(file)})
    worker.wait_for_state(topic)
    assert until(lambda: file.exists() and file.stat().st_size)

    before = worker.said
    code, _ = worker.call("/admin/loggers/ledger?scope=cluster", "PUT", {"level": "DEBUG"})
    TopicWriter(broker.bootstrap_servers).write(topic, [b"pears"])
    logged = until(lambda: f"DEBUG [{topic}|task-0] put 1 (ledger.task)\n" in worker.said)
    level = worker.call("/admin/loggers/ledger")[1]

    assert code == 204
    assert logged
    assert (level["level"], level["last_modified"] > 0) == ("DEBUG", True)
    assert f"INFO [{topic}|task-0] opened ledger (plugwright.output)\n" in worker.said
    assert "(ledger.task)" not in before
    assert until(lambda: _figures(worker, topic).get("sink-record-send-total") == 2)
    assert until(lambda: _figures(worker, topic).get("partition-count") == 1)


def _figures(worker, connector):
    """What the worker tells of the sink task of a connector."""
    return {
        figure["name"]: figure["value"]
        for figure in worker.call("/metrics.json")[1]
        if figure["tags"] == {"connector": connector, "task": "0"}
        and figure["group"] == "sink-task-metrics"
    }


def test_an_impossible_version_is_refused_with_those_that_there_are(worker, places, topic):
    """And where they are; nothing is created."""
    config = {"connector.class": "Ledger", "topics": topic, "file": "/nowhere"}
    config["connector.plugin.version"] = "[3.0,)"

    code, answer = worker.create(topic, config)

    assert (code, answer["error_code"]) == (400, 400)
    assert (
        "Plugin ledger.Ledger not found that matches the version range [3.0,), available versions: "
        f"[1.4 ({places}/ledger-old), 2.5 ({places}/ledger-new)]"
    ) in answer["message"]
    assert worker.call(f"/connectors/{topic}/status")[0] == 404


def test_a_connector_and_a_converter_with_conflicting_dependencies_work_together(
    worker, broker, fresh
):
    """Each sees its own version of the dependency, in one task that is RUNNING."""
    topic = fresh("conflict")
    config = {"topic": topic, "connector.class": "ShopSource", "value.converter": "ShopConverter"}

    code, _ = worker.create(topic, config)
    worker.wait_for_state(topic)
    written = until(
        lambda: (
            len(found := [m.value() for m in read_topic(broker.bootstrap_servers, topic)]) > 1
            and found
        )
    )

    assert code == 201
    assert written == [b"source 1.4 | converter 2.5", b"source 1.4 | converter 2.5"]
    assert worker.wait_for_state(topic)["tasks"][0]["state"] == "RUNNING"
