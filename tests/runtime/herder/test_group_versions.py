"""What workers of one version write, those of another read or refuse."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from plugwright.control_plane import RestartRequest
from plugwright.herder import MemoryLog, StatusStore
from plugwright.herder.config_state import ConfigState, EntrySubject, Opening, TargetState
from plugwright.herder.status_store import Status
from plugwright.kafka.shard_owners import ShardOwners
from plugwright.kafka.shards import generation_of

GOLDEN = Path(__file__).parents[2] / "golden" / "group" / "records.jsonl"
LINES = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
WRITERS = sorted({line["by"] for line in LINES})
GENERATION = 1764000000000
NEWER = {"version": 2, "worker": "new:8083", "release": "0.9.0"}


def _records(writer, topic):
    found = [line for line in LINES if (line["by"], line["topic"]) == (writer, topic)]
    return [(each["key"], each["value"] and each["value"].encode()) for each in found]


def _with(value, **more):
    """The same record with unknown fields."""
    return value if value is None else json.dumps({**json.loads(value), **more}).encode()


@pytest.fixture(params=[{}, {"later": {"of": ["a", "later"]}, "format": 1}], ids=["as is", "more"])
def more(request):
    """Fields beside those that were written then."""
    return request.param


@pytest.mark.parametrize("writer", WRITERS)
def test_configurations_of_former_versions_are_read(writer, more):
    """Byte for byte as that code wrote them, and with fields of later versions."""
    state = ConfigState()
    changes = [state.apply(key, _with(value, **more)) for key, value in _records(writer, "config")]

    assert state.configs == {
        "a-b": {
            "name": "a-b",
            "connector.class": "FileStreamSource",
            "tasks.max": "2",
            "topic": "größe",
        }
    }
    assert state.targets == {"a-b": TargetState.PAUSED}
    assert state.task_configs == {"a-b": {0: {"task": "0"}, 1: {"task": "1"}}}
    assert state.openings == {"a-b": Opening(GENERATION, (3, 15))}
    assert state.is_open("a-b")
    assert state.fencing_counts == {"a-b": 2}
    assert RestartRequest("a-b", only_failed=True, include_tasks=False) in {
        change.restart for change in changes if change is not None
    }
    levels = {c.name: c.level for c in changes if c and c.subject is EntrySubject.LOGGER}
    assert levels == {"org.apache": "DEBUG"}


@pytest.mark.parametrize("writer", WRITERS)
def test_statuses_of_former_versions_are_read(writer, more):
    """What has stopped there may start here."""
    log = MemoryLog()
    store = StatusStore(log)
    store.start()
    log.send([(key, _with(value, **more)) for key, value in _records(writer, "status")])

    assert store.connector("a-b") == Status("RUNNING", "w:8083", "", 7, "1.0")
    assert store.tasks("a-b") == {
        0: Status("FAILED", "w:8083", "boom\n\tat x", 7, "1.0"),
        1: Status("UNASSIGNED", "w:8083", "", 7, "1.0", GENERATION),
    }


class FakeLog(MemoryLog):
    """A log of claims."""


@pytest.mark.parametrize("writer", WRITERS)
def test_claims_of_former_versions_are_read(writer, more):
    """So that requests are sent on to them."""
    log = FakeLog()
    owners = ShardOwners(log)
    owners.start("http://me:8083")
    log.send([(key, _with(value, **more)) for key, value in _records(writer, "shards")])
    log.send([("lease-3", b'{"of":"a later version"}')])
    assert owners.urls() == {3: "http://w:8083"}


CONFIGS = [
    ("connector-a-b", {"properties": {"name": "other"}}),
    ("task-a-b-0", {"properties": {"task": "9"}}),
    ("commit-a-b", {"tasks": 0, "generation": GENERATION + 1}),
    ("target-state-a-b", {"state": "STARTED", "state.v2": "STARTED"}),
    ("tasks-fencing-a-b", {"task-count": 1, "generation": GENERATION, "shards": [7]}),
    ("restart-connector-a-b", {"include-tasks": True, "only-failed": False}),
    ("logger-cluster-x", {"level": "INFO"}),
]


@pytest.mark.parametrize(("key", "content"), CONFIGS, ids=[key for key, _ in CONFIGS])
def test_a_newer_configuration_is_refused_by_name(key, content, caplog):
    """Nothing changes; the log says which worker wrote it and what to do."""
    state, same = ConfigState(), ConfigState()
    for entry in _records(WRITERS[0], "config"):
        state.apply(*entry)
        same.apply(*entry)

    assert state.apply(key, json.dumps({**content, "format": NEWER}).encode()) is None

    assert state == same
    assert [record.getMessage() for record in caplog.records] == [
        (
            f"kafka.newer-record: record {key} has format 2, written by new:8083 (Plugwright "
            "0.9.0); this worker reads formats up to 1 and ignores the record\n"
            "  → upgrade this worker to the release of the other one"
        )
    ]
    assert caplog.records[0].levelno == logging.ERROR


@pytest.mark.parametrize("version", [2, "two", None], ids=["number", "text", "nothing"])
def test_a_newer_status_is_refused_by_name(version, caplog):
    """Its own field names the worker, if the format does not."""
    log = MemoryLog()
    store = StatusStore(log)
    store.start()
    content = {"state": "RUNNING", "worker_id": "w:1", "generation": 1}
    value = json.dumps({**content, "format": {"version": version}}).encode()
    log.send([("status-task-a-0", value), ("status-connector-a", value)])

    assert (store.connector("a"), store.tasks("a")) == (None, {})
    assert ["written by w:1; this" in r.getMessage() for r in caplog.records] == [True, True]


def test_a_newer_claim_is_refused_by_name(caplog):
    """The owner that is known stays."""
    log = FakeLog()
    owners = ShardOwners(log)
    owners.start("http://me:8083")
    log.send([("shard-3", b'{"url":"http://w:1"}'), ("shard-3", b'{"lease":1,"format":2}')])
    assert owners.urls() == {3: "http://w:1"}
    assert "kafka.newer-record: record shard-3 has format 2, written by an unknown worker" in (
        caplog.text
    )


def test_the_generation_is_read_from_the_client_s_metadata():
    """Recorded from confluent-kafka 2.16; of another layout there is none."""
    assert generation_of(b"CGMDv2:" + (41).to_bytes(4, "little") + b"group\0member\0\0") == 41
    assert generation_of(b"CGMDv3:" + (41).to_bytes(4, "little") + b"group\0") == 0
    assert generation_of(None) == 0
