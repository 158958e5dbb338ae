"""Statuses as Kafka Connect 4.3.1 writes them."""

from __future__ import annotations

import time

import pytest

from plugwright.herder import MemoryLog, StatusStore
from plugwright.herder.status_store import Status


@pytest.fixture
def log():
    """Where the statuses are."""
    return MemoryLog()


@pytest.fixture
def store(log):
    """Statuses over a log in memory."""
    store = StatusStore(log)
    store.start()
    return store


def test_a_status_is_written_as_connect_writes_it():
    """Byte for byte, recorded from the status topic of Kafka Connect 4.3.1."""
    assert Status("RUNNING", "127.0.0.1:42487", generation=2, version="4.3.1").to_bytes() == (
        b'{"state":"RUNNING","trace":null,"worker_id":"127.0.0.1:42487","generation":2,'
        b'"version":"4.3.1"}'
    )


def test_statuses_of_kafka_connect_are_read(log, store):
    """With and without the version that older workers do not tell."""
    log.send(
        [
            (
                "status-connector-src",
                b'{"state":"FAILED","trace":"boom","worker_id":"h:1","generation":3}',
            ),
            (
                "status-task-src-1",
                b'{"state":"RUNNING","trace":null,"worker_id":"h:1","generation":3,"version":"4"}',
            ),
        ]
    )
    assert store.connector("src") == Status("FAILED", "h:1", "boom", 3)
    assert store.tasks("src") == {1: Status("RUNNING", "h:1", "", 3, "4")}


def test_the_topics_of_a_connector_are_stored_once_and_forgotten(log, store):
    """KIP-558; keys and values recorded from Kafka Connect 4.3.1."""
    sent = []
    log.start(lambda key, value, at: (sent.append((key, value)), store._apply(key, value, at)))
    store.put_topic("src", 0, "lines", 1795286099097)
    store.put_topic("src", 1, "lines", 1795286099999)
    assert sent == [
        (
            "status-topic-lines:connector-src",
            (
                b'{"topic":{"name":"lines","connector":"src","task":0,'
                b'"discoverTimestamp":1795286099097}}'
            ),
        )
    ]
    assert store.topics("src") == ["lines"]
    store.reset_topics("src")
    assert store.topics("src") == []


def test_a_reset_says_whose_topics_and_when(log):
    """Tasks may have used a topic again by the time that they hear of it."""
    store, heard = StatusStore(log), []
    store.start(lambda *reset: heard.append(reset))
    store.put_topic("src", 0, "lines", 1795286099097)
    before_ms = int(time.time() * 1000)
    store.reset_topics("src")

    ((name, at_ms),) = heard
    assert name == "src"
    assert before_ms <= at_ms <= time.time() * 1000


class LateLog(MemoryLog):
    """Applies what was sent once it is read to its end, as a topic is read behind its writer."""

    def __init__(self):
        super().__init__()
        self.unread = []

    def send(self, entries, writer=None):
        """Stored, and not read yet."""
        self.unread += entries

    def send_and_read(self, entries, writer=None):
        """Read what was sent, and all before it."""
        self.send(entries)
        self.read_to_end()

    def read_to_end(self):
        """Read it."""
        super().send(self.unread)
        self.unread = []


def test_topics_that_were_reset_are_no_longer_listed():
    """Not by the worker that was asked, however far behind it reads."""
    store = StatusStore(LateLog())
    store.start()
    store.put_topic("src", 0, "lines", 1795286099097)
    store.refresh()
    assert store.topics("src") == ["lines"]

    store.reset_topics("src")

    assert store.topics("src") == []


def test_a_removed_connector_leaves_no_status(store):
    """Nor do its tasks and topics."""
    store.put_connector("a", Status("RUNNING", "h:1"))
    store.put_tasks("a", {0: Status("RUNNING", "h:1"), 1: Status("RUNNING", "h:1")})
    store.put_topic("a", 0, "t", 0)
    store.remove("a")
    assert (store.connector("a"), store.tasks("a"), store.topics("a")) == (None, {}, [])


def test_names_with_dashes_and_digits_are_distinguished(store):
    """Only the last dash divides connector and task."""
    store.put_tasks("a-1", {2: Status("RUNNING", "h:1")})
    assert list(store.tasks("a-1")) == [2]
    assert store.tasks("a") == {}


def test_a_task_that_has_ended_says_for_which_generation(log):
    """In a field of its own, which Kafka Connect does not read; waiting callers are notified."""
    heard, store = [], StatusStore(log)
    store.start(released=heard.append)
    store.put_tasks("src", {1: Status("UNASSIGNED", "h:1", released=7)})
    store.put_tasks("src", {0: Status("RUNNING", "h:1")})
    assert heard == ["src"]
    assert {n: status.released for n, status in store.tasks("src").items()} == {0: 0, 1: 7}
