"""``plugwright config``: ready property files, which workers and connectors take as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from plugwright.config import parse_properties
from plugwright.herder import (
    CLUSTER_CONFIG,
    CONNECTOR_CONFIG,
    WORKER_CONFIG,
    ClusterConfig,
    WorkerConfig,
)
from plugwright.plugins import import_from, location_at
from plugwright.rest import REST_CONFIG
from plugwright_toolkit.commands.config import ready_files

PLUGINS = Path(__file__).parents[3] / "plugin-path"
SINK, SOURCE = (
    import_from(
        location_at(PLUGINS / name)[0], f"plugwright_{name.replace('-', '_')}.settings"
    ).CONFIG
    for name in ("file-sink", "file-source")
)

WORKERS = ["connect-distributed", "connect-standalone"]
CONNECTORS = {
    "connect-console-sink": SINK,
    "connect-console-source": SOURCE,
    "connect-file-sink": SINK,
    "connect-file-source": SOURCE,
}
# The settings of the files of that name in Kafka 4.3.1, without comments; its JSON converters.
KAFKAS = {
    "connect-standalone": {
        "bootstrap.servers": "localhost:9092",
        "offset.storage.file.filename": "/tmp/connect.offsets",  # noqa: S108  # as in Kafka's file
        "offset.flush.interval.ms": "10000",
    },
    "connect-distributed": {
        "bootstrap.servers": "localhost:9092",
        "group.id": "connect-cluster",
        "offset.storage.topic": "connect-offsets",
        "offset.storage.replication.factor": "1",
        "config.storage.topic": "connect-configs",
        "config.storage.replication.factor": "1",
        "status.storage.topic": "connect-status",
        "status.storage.replication.factor": "1",
        "offset.flush.interval.ms": "10000",
    },
    "connect-file-source": {
        "name": "local-file-source",
        "connector.class": "FileStreamSource",
        "tasks.max": "1",
        "file": "test.txt",
        "topic": "connect-test",
    },
    "connect-file-sink": {
        "name": "local-file-sink",
        "connector.class": "FileStreamSink",
        "tasks.max": "1",
        "file": "test.sink.txt",
        "topics": "connect-test",
    },
    "connect-console-source": {
        "name": "local-console-source",
        "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "tasks.max": "1",
        "topic": "connect-test",
    },
    "connect-console-sink": {
        "name": "local-console-sink",
        "connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
        "tasks.max": "1",
        "topics": "connect-test",
    },
}
JSON = "org.apache.kafka.connect.json.JsonConverter"
CONVERTERS = {
    f"{side}.converter{key}": value
    for side in ("key", "value")
    for key, value in (("", JSON), (".schemas.enable", "true"))
}


def _settings(name, *, proposed=False):
    text = ready_files()[name].read_text("utf-8")
    if proposed:
        text = re.sub(r"(?m)^#(?=[a-z.]+=)", "", text)
    return parse_properties(text)


def test_the_files_are_listed(plugwright):
    """By the names that Kafka's distribution has for them."""
    assert plugwright("config") == (0, "".join(f"{n}\n" for n in sorted(KAFKAS)), "")


@pytest.mark.parametrize("name", KAFKAS)
def test_a_file_has_the_settings_of_kafkas(name):
    """What people copy from Kafka's guides fits."""
    settings = _settings(name)
    assert settings == KAFKAS[name] | (CONVERTERS if name in WORKERS else {})


@pytest.mark.parametrize("asked", ["file-source", "connect-file-source.properties"])
def test_a_file_is_printed(plugwright, asked):
    """With or without what all their names have."""
    code, out, _ = plugwright("config", asked)
    assert (code, out) == (0, ready_files()["connect-file-source"].read_text("utf-8"))


def test_another_name_is_explained(plugwright):
    """With those that there are."""
    code, out, err = plugwright("config", "../pyproject")
    assert (code, out) == (2, "")
    assert err.startswith(
        "config.no-such-file: there is no bundled file ../pyproject; expected one"
    )


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_starts_with_its_file_and_with_everything_that_it_proposes(name):
    """Every line that is commented out is a setting of today, too."""
    for proposed in (False, True):
        settings = _settings(name, proposed=proposed)
        WorkerConfig.parse(settings, distributed=name == "connect-distributed")
        known = {*WORKER_CONFIG.keys, *REST_CONFIG.keys}
        if name == "connect-distributed":
            ClusterConfig.parse(settings)
            known |= set(CLUSTER_CONFIG.keys)
        plain = {key for key in settings if not key.endswith(".converter.schemas.enable")}
        assert plain <= known


@pytest.mark.parametrize(("name", "definition"), CONNECTORS.items())
def test_a_connector_takes_its_file(name, definition):
    """Nothing is missing, nothing unknown."""
    settings = _settings(name)
    definition.parse(settings)
    common = {"topics", *CONNECTOR_CONFIG.keys}
    assert set(settings) <= {*definition.keys, *common}
