"""The configurations of connectors are what was read, never what has not been read yet."""

from __future__ import annotations

import threading

import pytest

from plugwright.control_plane import RebalanceNeededError
from plugwright.errors import ConnectError
from plugwright.herder import ConfigStore, MemoryLog


class SlowLog(MemoryLog):
    """A log that is read only once the test says so."""

    def __init__(self):
        super().__init__()
        self.readable = threading.Event()

    def start(self, apply):
        """Find one connector, when there is something to find."""
        assert self.readable.wait(60)
        super().start(apply)
        self.send([("connector-a", b'{"properties":{"name":"a"}}')])


def test_who_asks_before_the_log_was_read_waits_for_it():
    """A worker that is starting does not say that there are no connectors."""
    log, found = SlowLog(), []
    store = ConfigStore(log)
    asking = threading.Thread(target=lambda: found.append(store.snapshot().configs))
    asking.start()
    asking.join(0.02)
    assert not found

    log.readable.set()
    store.start(lambda _: None)
    asking.join(60)

    assert found == [{"a": {"name": "a"}}]


class RefusingLog(MemoryLog):
    """A log that takes nothing."""

    def __init__(self, code):
        super().__init__()
        self._code = code
        self.reclaimed = []

    def send(self, entries, writer=None):
        """Refuse, until it is reclaimed."""
        if writer is None or writer not in self.reclaimed:
            raise ConnectError("topic c cannot be written", code=self._code)
        super().send(entries, writer)

    def reclaim(self, writer):
        """Take what comes next."""
        self.reclaimed.append(writer)


def test_a_worker_that_was_overtaken_asks_to_try_again():
    """It does not know yet that another one has its connectors."""
    store = ConfigStore(RefusingLog("kafka.fenced"))
    with pytest.raises(RebalanceNeededError, match="conflicting operation"):
        store.remove_connector("a")


def test_a_topic_that_cannot_be_written_stays_an_error():
    """No worker has taken over; Kafka is away."""
    store = ConfigStore(RefusingLog("kafka.unwritable"))
    with pytest.raises(ConnectError, match="cannot be written"):
        store.remove_connector("a")


@pytest.mark.parametrize("code", ["kafka.fenced", "kafka.writer-broken"])
def test_an_owner_that_can_write_no_more_takes_its_place_again(code):
    """An outage made its transaction too long, or a zombie woke up: its shard is not lost."""
    log = RefusingLog(code)
    store = ConfigStore(log, lambda _: "writer-7", lambda _: True)
    store.start(lambda _: None)
    with pytest.raises(ConnectError):
        store.put_connector("a", {"name": "a"})

    store.put_connector("a", {"name": "a"})

    assert log.reclaimed == ["writer-7"]
    assert store.snapshot().configs == {"a": {"name": "a"}}


@pytest.mark.parametrize(
    ("code", "owns"), [("kafka.fenced", False), ("kafka.unwritable", True)], ids=["zombie", "away"]
)
def test_no_other_worker_takes_it(code, owns):
    """A zombie would shut out the owner, and a working producer needs no other."""
    log = RefusingLog(code)
    store = ConfigStore(log, lambda _: "writer-7", lambda _: owns)
    with pytest.raises(ConnectError):
        store.remove_connector("a")

    assert log.reclaimed == []


def test_an_owner_that_is_not_sure_takes_nothing(caplog):
    """Kafka does not tell whose the shard is; the next write asks again."""

    def unknown(_):
        raise ConnectError("away", code="kafka.unreadable")

    log = RefusingLog("kafka.fenced")
    with pytest.raises(RebalanceNeededError):
        ConfigStore(log, lambda _: "writer-7", unknown).remove_connector("a")

    assert log.reclaimed == []
    assert "writer-7 cannot be taken again yet: away" in caplog.text


def test_what_was_read_once_does_not_change_any_more():
    """A reader of a state needs no lock while entries come in."""
    store = ConfigStore(MemoryLog())
    store.start(lambda _: None)
    store.put_connector("a", {"name": "a"})
    before = store.snapshot()

    store.put_task_configs("a", [{"n": "0"}])
    store.put_connector("b", {"name": "b"})

    assert (list(before.configs), dict(before.task_configs)) == (["a"], {})
    assert list(store.snapshot().configs) == ["a", "b"]


def test_asking_again_costs_nothing():
    """A list of a thousand connectors asks a thousand times."""
    store = ConfigStore(MemoryLog())
    store.start(lambda _: None)

    assert store.snapshot() is store.snapshot()
