"""Validations as the real Kafka Connect 4.3.1 answers them, to hundreds of configurations."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.peer.validations import comparable, recorded
from tests.runtime.herder.conftest import FakeLauncher
from tests.runtime.rest.fakes import client_of

from plugwright.herder import HerderSettings, SparkWorker, WorkerConfig, standalone_herder
from plugwright.hosts import PluginHosts
from plugwright.plugins import Plugins

pytestmark = pytest.mark.slow

BUNDLED = Path(__file__).parents[3] / "plugin-path"
JSON = "org.apache.kafka.connect.json.JsonConverter"
CASES = recorded()

VERSION = "the versions are ours"
ALIAS = "nested classes have aliases as well"
GROUP = "the worker of the recording is in a group of the same name"
ARGUED = {
    "snk consumer.override.group.id=g": GROUP,
    "src connector.plugin.version=4.3.1": VERSION,
    "src connector.plugin.version=[4.0,)": VERSION,
    "smt alias nested": ALIAS,
}
"""Cases that are answered otherwise, with the reason."""


@pytest.fixture(scope="module")
def call():
    """A client of a worker with the bundled plugins and the settings of the recorded one."""
    plugins = Plugins.discover([BUNDLED / "file-source", BUNDLED / "file-sink"])
    settings = {"bootstrap.servers": "x:1", "key.converter": JSON, "value.converter": JSON}
    hosts = PluginHosts(plugins, isolated=False)
    config = WorkerConfig.parse(settings, distributed=True)  # as the recorded worker was
    worker = SparkWorker(config, hosts, FakeLauncher())
    herder = standalone_herder(worker, plugins, HerderSettings(cluster_id="x"))
    herder.start("http://localhost:1/")
    yield client_of(herder)
    herder.close()
    worker.close()
    hosts.close()


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.name not in ARGUED], ids=lambda case: case.name
)
def test_validation_answers_as_the_java_worker(call, case):
    """Status, class, groups, and every setting in its place with its definition and value."""
    assert _answer(call, case) == _expected(case)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in ARGUED], ids=lambda case: case.name)
def test_what_is_argued_still_differs(call, case):
    """A reason that is none any more leaves the table."""
    assert _answer(call, case) != _expected(case)


def test_converters_are_proposed_in_the_order_of_java(call):
    """Java's packages, not ours, say what stands before what, as in the list of plugins."""
    path = "/connector-plugins/FileStreamSource/config/validate"
    configs = json.loads(call("PUT", path, {"connector.class": "FileStreamSource"}).body)["configs"]
    values = {each["value"]["name"]: each["value"] for each in configs}
    proposed = [name.rpartition(".")[2] for name in values["key.converter"]["recommended_values"]]

    assert proposed[-4:] == ["LongConverter", "ShortConverter", "JsonConverter", "StringConverter"]


def test_topics_have_no_empty_element(call):
    """As Kafka Connect 4.3.1 says it (KIP-1161)."""
    config = {"connector.class": "FileStreamSink", "topics": "a,,b"}
    path = "/connector-plugins/FileStreamSink/config/validate"
    configs = json.loads(call("PUT", path, config).body)["configs"]
    errors = [each["value"]["errors"] for each in configs if each["value"]["name"] == "topics"]

    assert errors == [["Configuration 'topics' values must not be empty."]]


def test_a_plugin_of_another_kind_is_shown_by_its_full_name(call):
    """Where it is in the place of a converter, its short name is resolved all the same."""
    config = {"connector.class": "FileStreamSource", "key.converter": "FileStreamSource"}
    path = "/connector-plugins/FileStreamSource/config/validate"
    configs = json.loads(call("PUT", path, config).body)["configs"]
    shown = [e["value"]["value"] for e in configs if e["value"]["name"] == "key.converter"]

    assert [name.rpartition(".")[2] for name in shown] == ["FileStreamSourceConnector"]
    assert shown != ["FileStreamSource"]


def test_a_version_that_is_not_there_is_the_fault_of_who_asks_for_it(call):
    """400 with the versions that there are; 404 is for what is there in no version."""
    answer = call("GET", "/connector-plugins/JsonConverter/config?version=0.0.1")

    assert answer.status == 400
    assert "not found that matches the version range" in json.loads(answer.body)["message"]


def test_hardly_anything_is_argued():
    """Most of the recording, and all that documentation shows."""
    assert set(ARGUED) <= {case.name for case in CASES}
    assert not [name for name in ARGUED if name.startswith("documented: ")]


def _answer(call, case):
    path = f"/connector-plugins/{quote(case.plugin, safe='')}/config/validate"
    answer = call("PUT", path, case.config)
    return _without_files(comparable(answer.status, json.loads(answer.body)))


def _expected(case):
    return _without_files(case.answer)


def _without_files(answer):
    """The file connectors are plugins of their own: what is compared is how they are shown."""
    for setting in answer.get("settings", ()):
        if setting[0] == "file" and setting[1]:
            setting[1] = [setting[1][0], None, None, *setting[1][3:]]
    return answer
