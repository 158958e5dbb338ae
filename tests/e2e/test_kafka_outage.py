"""Kafka goes away and comes back: what stays up goes on, and logs little about it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.killable_broker import KillableBroker
from tests.e2e.workers import until

from plugwright.errors import ConnectError
from plugwright.kafka import CompactedTopic, KafkaLog, KafkaTimeouts

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]


@pytest.fixture
def killable():
    """A broker of this test alone."""
    broker = KillableBroker()
    yield broker
    broker.close()


def test_a_change_of_the_leaders_epoch_is_read_across(killable):
    """A restarted broker leads anew; what the client knew of its leaders counts no more."""
    found = []
    log = KafkaLog(killable.bootstrap_servers, CompactedTopic("t", single=True), client_id="test")
    log.start(lambda key, *_: found.append(key))
    log.take("writer")
    log.send([("before", b"")], "writer")
    log.read_to_end()

    killable.kill_and_return()

    log.read_to_end()
    log.send([("after", b"")], "writer")
    log.read_to_end()
    log.close()
    assert found == ["before", "after"]


def test_a_worker_that_stops_does_not_wait_for_a_silent_broker(killable):
    """However long the wait was to last: this test would not end in time."""
    timeouts = KafkaTimeouts()
    log = KafkaLog(
        killable.bootstrap_servers, CompactedTopic("t"), client_id="test", timeouts=timeouts
    )
    log.start(lambda *_: None)
    killable.suspend()
    try:
        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(log.read_to_end, 3600)
            timeouts.shorten()
            with pytest.raises(ConnectError, match="cannot be read"):
                reading.result()
        with pytest.raises(ConnectError, match="not acknowledged"):
            log.send([("a", b"")])
        log.close()
    finally:
        killable.resume()


@pytest.fixture
def worker(killable, tmp_path):
    """One distributed worker with a source whose lines go to a topic."""
    cluster = Cluster(killable.bootstrap_servers, "outage")
    cluster.grow(1)
    (tmp_path / "lines").write_text("before\n")
    cluster.source("lines", tmp_path / "lines", "lines")
    cluster.wait_for("lines", "RUNNING")
    yield cluster
    cluster.close()


def _put(cluster, note):
    """Status of a change of the configuration; 0 where no answer came."""
    (only,) = cluster.workers
    place = "/connectors/lines/config"
    with suppress(OSError):
        config = only.call(place)[1]
        return only.call(place, "PUT", {**config, "note": note})[0]
    return 0


@pytest.mark.spark
def test_a_worker_stays_through_an_outage_while_it_is_written_to(killable, worker, tmp_path):
    """A broker hangs until a write is refused, and is killed: the same process goes on."""
    (only,) = worker.workers
    pid, said = only.pid, len(only.said)
    killable.suspend()
    with ThreadPoolExecutor() as pool:
        writes = [pool.submit(_put, worker, f"hung-{n}") for n in range(3)]
        assert 500 in [write.result() for write in writes]
        killable.resume()
    assert until(lambda: _put(worker, "hung") == 200)

    killable.kill_and_return()
    assert until(lambda: _put(worker, "killed") == 200)

    with (tmp_path / "lines").open("a") as file:
        file.write("after\n")
    assert until(lambda: "after" in worker.values("lines"))
    worker.wait_for("lines", "RUNNING")
    about_brokers = [
        line
        for line in only.said[said:].splitlines()
        if "refused" in line or "Kafka at" in line or "REQTMOUT" in line
    ]
    assert (only.pid, len(about_brokers) < 30) == (pid, True), "\n".join(about_brokers)


@pytest.mark.spark
def test_a_connector_with_a_wrong_address_fills_no_log(worker, tmp_path):
    """Its producer connects to an address without a broker."""
    (only,) = worker.workers
    wrong = {"producer.override.bootstrap.servers": "127.0.0.1:1"}
    worker.source("lost", tmp_path / "lines", "lost", **wrong)
    assert until(lambda: "Kafka at 127.0.0.1:1 does not answer" in only.said)

    time.sleep(5)  # in which librdkafka has had more than twenty things to say

    lines = [line for line in only.said.splitlines() if "127.0.0.1:1/" in line]
    assert len(lines) < 4, "\n".join(lines)
