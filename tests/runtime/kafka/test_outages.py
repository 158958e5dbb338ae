"""A broker that is away for an hour fills no log."""

from __future__ import annotations

import logging

import pytest
from confluent_kafka import Producer

from plugwright.kafka import client_log as client_log_module
from plugwright.kafka import client_settings
from plugwright.kafka.client_log import ClientLog
from plugwright.kafka.outages import Outages

HOME = "kafka-1:9092"


class Observed:
    """Outages whose time, watcher and brokers are the test's."""

    def __init__(self):
        self.now = 0.0
        self.up = False
        self.watchers = []
        log = logging.getLogger("test.outages")
        self.outages = Outages(log, clock=lambda: self.now, watch=self.watchers.append)

    def report(self, address=HOME, reason="refused", **more):
        """One client does."""
        self.outages.report(address, "c#1", reason, lambda: self.up)

    def pass_seconds(self, seconds):
        """A look every two seconds, with twenty complaints in each."""
        for _ in range(0, seconds, 2):
            for _ in range(40):
                self.report()
            self.now += 2
            self.outages.check()


@pytest.fixture
def observed(caplog):
    """With a record of what was logged."""
    found = Observed()
    found.said = lambda: [record.getMessage() for record in caplog.records]
    return found


def test_an_outage_is_reported_once_and_once_a_minute_and_at_its_end(observed):
    """Three minutes and 3,600 complaints are five lines."""
    observed.pass_seconds(182)
    observed.up = True
    observed.outages.check()

    assert [line.split(";")[0] for line in observed.said()] == [
        "Kafka at kafka-1:9092 does not answer client c#1: refused",
        "Kafka at kafka-1:9092 has not answered for 62 s",
        "Kafka at kafka-1:9092 has not answered for 122 s",
        "Kafka at kafka-1:9092 has not answered for 182 s",
        "Kafka at kafka-1:9092 answers again after 182 s",
    ]
    assert "3639 messages about it were not logged" in observed.said()[-1]


def test_each_broker_has_its_own_outage(observed):
    """One watcher looks after all, and ends with the last one."""
    observed.report()
    observed.report("kafka-2:9092")
    assert observed.outages.check()
    assert [line.split()[2] for line in observed.said()] == [HOME, "kafka-2:9092"]
    assert len(observed.watchers) == 1

    observed.up = True
    assert not observed.outages.check()
    observed.report()
    assert len(observed.watchers) == 2


def test_a_connection_that_broke_once_is_reported_as_such(observed):
    """And not again within a minute: brokers restart one by one."""
    observed.up = True
    for _ in range(5):
        observed.report(reason="Disconnected")
        observed.outages.check()
        observed.now += 10

    assert observed.said() == [
        "Kafka at kafka-1:9092 failed client c#1 but answers again: Disconnected"
    ]


def test_a_broker_without_requests_is_forgotten(observed):
    """The connector with the wrong address was removed."""
    observed.report()
    observed.outages.check()
    observed.now += 301
    assert not observed.outages.check()
    assert len(observed.said()) == 1


@pytest.mark.parametrize(
    ("message", "address"),
    [
        ("[thrd:a:1/bootstrap]: a:1/bootstrap: Connect to ipv4#a:1 failed: refused", "a:1"),
        ("[thrd:sasl_ssl://b.c:93/2]: sasl_ssl://b.c:93/2: SSL handshake failed", "b.c:93"),
        ("[thrd:GroupCoordinator]: GroupCoordinator: 127.0.0.1:9: Disconnected", "127.0.0.1:9"),
        ("[thrd:TxnCoordinator]: TxnCoordinator/1: Timed out 1 in-flight", "s:1,t:2"),
        ("[thrd:[::1]:9/bootstrap]: [::1]:9/bootstrap: Connect failed", "[::1]:9"),
    ],
)
def test_the_broker_is_read_out_of_the_clients_words(observed, message, address):
    """The cluster's addresses where they name none."""
    ClientLog("s:1,t:2", {}, observed.outages).log(logging.ERROR, "", "FAIL", "c#1", message)
    assert observed.outages.includes(address)


def test_other_messages_are_left_as_they_are(observed, caplog):
    """And an idle connection that a broker closes is no outage."""
    caplog.set_level(logging.INFO)
    client = ClientLog("s:1", {}, observed.outages)
    client.log(logging.WARNING, "%s [%s] %s", "CONFWARN", "c#1", "no such thing")
    client.log(logging.INFO, "%s [%s] %s", "FAIL", "c#1", "s:1: Disconnected")
    assert observed.said() == ["CONFWARN [c#1] no such thing", "FAIL [c#1] s:1: Disconnected"]
    assert not observed.outages.includes("s:1")


def test_secrets_of_the_connection_are_not_shown():
    """A log line may show a client's settings."""
    settings = client_settings("s:1", "c", {"sasl.password": "hush"})
    assert "hush" not in repr(settings["logger"])


def test_the_client_takes_it_for_a_logger(observed, monkeypatch):
    """No process listens on port 1."""
    monkeypatch.setattr(client_log_module, "_PROBE_S", 0.01)
    settings = client_settings("127.0.0.1:1", "c")
    settings["logger"] = ClientLog("127.0.0.1:1", {}, observed.outages)
    producer = Producer(settings)
    for _ in range(100):
        producer.poll(0.01)
        if observed.outages.includes("127.0.0.1:1"):
            break
    assert observed.outages.includes("127.0.0.1:1")
    assert not settings["logger"]._answers("127.0.0.1:1")
