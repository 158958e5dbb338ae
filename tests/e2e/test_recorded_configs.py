"""Configurations as users of Kafka Connect have them start unchanged."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.e2e.workers import WorkerProcess, free_port, until
from tests.oracle.worker.recording import failed_requests
from tests.oracle.worker.steps import STANDALONE
from tests.runtime.herder.conftest import FakeLauncher

from plugwright.herder import (
    OffsetFile,
    SparkWorker,
    WorkerConfig,
    read_connector_file,
    read_settings_file,
)
from plugwright.hosts import PluginHosts
from plugwright.plugins import Plugins

CONFIGS = Path(__file__).with_name("configs")
PLUGINS = Path(__file__).parents[2] / "plugin-path"
CONNECTORS = sorted(each.name for each in CONFIGS.iterdir() if each.name != "worker.properties")
SECRET = "s3cret-w0rd"  # noqa: S105  # to be looked for
LINES = [f"line {number}" for number in range(50)]
ODD = [
    *(("POST", "/connectors", body) for body in (b"{", b"[]", b"\xff", b'{"name":1}', b"x" * 9**7)),
    *(("PUT", f"/connectors/{name}/config", b"{}") for name in ("%00", "%2F", "..", "a" * 9000)),
    *(("PATCH", f"/connectors/{name}/offsets", b"{}") for name in ("local-file-source", "%C3%BC")),
    ("POST", "/connectors/local-file-sink/restart?includeTasks=perhaps&x=%ff", b""),
    ("POST", "/connectors/local-file-sink/tasks/99999999999999999999/restart", b""),
    ("PUT", "/connector-plugins/Nope/config/validate", b'{"connector.class":"Nope"}'),
    ("BREW", "/connectors", b""),
]
JAVA_FAILS = failed_requests(STANDALONE, "odd-requests")


def _is_explained(request, code, text):
    """Whether an answer refuses an odd request, or fails where Kafka Connect fails as well."""
    method, target, body = request
    fails = (f"{method} {target}", body) in JAVA_FAILS
    return "Traceback" not in text and (code < 500 or (code == 500 and fails))


class Recorded:
    """The files, with the places of a test in them."""

    def __init__(self, directory, broker="localhost:9092"):
        self.directory = directory
        self.url = f"http://127.0.0.1:{free_port()}"
        places = {"DATA": str(directory / "data"), "BROKER": broker}
        places |= {"PLUGINS": str(PLUGINS), "LISTENER": self.url}
        self.data = directory / "data"
        self.data.mkdir()
        for each in CONFIGS.iterdir():
            text = each.read_text("utf-8")
            for mark, place in places.items():
                text = text.replace(f"@{mark}@", place)
            (directory / each.name).write_text(text, "utf-8")
        (self.data / "in.txt").write_text("".join(f"{line}\n" for line in LINES))
        (self.data / "settings.properties").write_text(f"input.file={self.data}/in.txt\n")
        (self.data / "secrets").mkdir()
        (self.data / "secrets" / "topic").write_text("recorded-provided")

    def worker(self):
        """The worker's properties."""
        return read_settings_file(self.directory / "worker.properties")

    def connectors(self):
        """The connectors' files."""
        return [self.directory / name for name in CONNECTORS]

    def lines(self, name):
        """What a sink has written."""
        path = self.data / name
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Without a broker."""
    monkeypatch.setenv("RECORDED_PASSWORD", SECRET)
    return Recorded(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONNECTORS)
def test_a_recorded_configuration_is_valid(recorded, name):
    """By alias or by Java's class name; nothing that a provider gave is shown."""
    config = WorkerConfig.parse({**recorded.worker(), "plugin.isolation": "none"})
    plugins = Plugins.service_load([str(each) for each in PLUGINS.iterdir()])
    worker = SparkWorker(config, PluginHosts(plugins, isolated=False), FakeLauncher())

    given = read_connector_file(recorded.directory / name)
    found = worker.validate({"name": given.name, **given.config})

    errors = {each["value"]["name"]: each["value"]["errors"] for each in found["configs"]}
    assert {key: problems for key, problems in errors.items() if problems} == {}
    assert found["error_count"] == 0


@pytest.mark.spark
@pytest.mark.kafka
@pytest.mark.timeout(300)
def test_all_of_them_run_on_one_worker(broker, tmp_path):
    """Data flows through every pair, offsets go on from the file, secrets stay where they are."""
    recorded = Recorded(tmp_path, broker.bootstrap_servers)
    partition = {"filename": str(recorded.data / "in.txt")}
    offsets = recorded.data / "connect.offsets"
    OffsetFile(offsets).write("local-file-source", [(partition, {"position": len("line 0\n")})])
    names = [read_connector_file(path).name for path in recorded.connectors()]

    with WorkerProcess(
        recorded.worker(),
        *recorded.connectors(),
        environment={"RECORDED_PASSWORD": SECRET},
    ) as worker:
        for name in names:
            worker.wait_for_state(name)
        arrived = {"lines.out": LINES[1:], "structs.out": LINES}
        until(lambda: {name: recorded.lines(name) for name in arrived} == arrived)
        assert {name: recorded.lines(name) for name in arrived} == arrived, worker.said
        refused = until(lambda: _dead_letters(broker, len(LINES)), 20)
        for name in names:
            worker.wait_for_state(name, timeout_s=1)
        answers = [
            worker.call(f"/connectors/{name}{path}")
            for name in names
            for path in ("", "/status", "/tasks", "/topics", "/offsets")
        ]
        odd = [(request, *_answer(recorded.url, *request)) for request in ODD]
        said = worker.said

    assert {code for code, _ in answers} == {200}
    assert [answer for answer in odd if not _is_explained(*answer)] == []
    assert refused, said
    # Its topic has several partitions, which have no order among them.
    assert sorted(value.decode() for value, _ in refused) == sorted(LINES)
    assert refused[0][1]["__connect.errors.connector.name"] == b"refusing-sink"
    assert refused[0][1]["origin"] == b"routing-source"
    position = {"position": (recorded.data / "in.txt").stat().st_size}
    for name in ("local-file-source", "hoisting-source", "routing-source", "provided-source"):
        assert OffsetFile(offsets).read(name) == [(partition, position)]
    assert SECRET not in json.dumps(answers) + said


def _answer(url, method, path, body):
    """Status and text of a request that no careful client would send."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=30)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def _dead_letters(broker, count):
    """Values and headers in the dead-letter queue, once there are so many."""
    from plugwright.kafka import read_topic, topic_exists  # noqa: PLC0415  # an extra

    topic = "recorded-dead-letters"
    if not topic_exists(broker.bootstrap_servers, topic):
        return None
    found = [(m.value(), dict(m.headers())) for m in read_topic(broker.bootstrap_servers, topic)]
    return found if len(found) >= count else None
