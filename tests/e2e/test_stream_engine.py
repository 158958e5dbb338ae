"""A sink connector that Structured Streaming runs, on a worker that is asked over REST."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.e2e.ledger_plugin import Ledger
from tests.e2e.workers import WorkerProcess, until

from plugwright.kafka import GroupOffsets, create_topic, end_offsets, read_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(240)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
BAD = b"{ this is no JSON"


def _produce(servers, topic, values):
    producer = Producer({"bootstrap.servers": servers, "queue.buffering.max.messages": 200_000})
    for number, value in enumerate(values):
        producer.produce(topic, value, partition=number % 2)
    assert producer.flush(30) == 0


def _json(numbers):
    return [f'"line {number}"'.encode() for number in numbers]


def _kill_a_task(worker):
    """Kill -9 of a process of Spark's that runs a task: a child of its daemon."""
    daemons = {pid for pid, what in worker.processes().items() if "plugwright.spark.daemon" in what}
    tasks = [pid for pid in daemons if _parent(pid) in daemons]
    for pid in tasks[-1:]:
        os.kill(pid, signal.SIGKILL)
    return bool(tasks)


def _parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def test_a_streamed_sink_is_steered_like_any_other_and_loses_nothing(broker, fresh, tmp_path):
    """Dead letters, pause, resume, a killed process in mid-query, restart, stop, its offsets."""
    servers, name = broker.bootstrap_servers, fresh("streamed")
    topic, queue, out = f"{name}-in", f"{name}-dlq", tmp_path / "out.txt"
    create_topic(servers, topic, partitions=2)
    _produce(servers, topic, [*_json(range(100)), BAD])
    sink = {
        "name": name,
        "connector.class": "FileStreamSink",
        "file": str(out),
        "topics": topic,
        "tasks.max": "2",
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": f"{tmp_path}/checkpoints",
        "spark.engine.batch.max.records": "2000",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": queue,
        "errors.deadletterqueue.topic.replication.factor": "1",
    }

    def written():
        return out.read_text().split("\n")[:-1] if out.exists() else []

    def shown():
        entries = worker.call(f"/connectors/{name}/offsets")[1]["offsets"]
        return sum(entry["offset"]["kafka_offset"] for entry in entries)

    settings = {
        "bootstrap.servers": servers,
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "value.converter": "JsonConverter",
        "value.converter.schemas.enable": "false",
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "task.crash.backoff.ms": "0",
    }
    with WorkerProcess(settings, sink) as worker:
        worker.wait_for_state(name, tasks=2)
        assert until(lambda: len(written()) >= 100), (worker.said, _spark_log(worker))
        worker.call(f"/connectors/{name}/pause", "PUT")
        worker.wait_for_state(name, "PAUSED", tasks=2)
        _produce(servers, topic, _json(range(100, 110)))
        time.sleep(2)
        held = len(written())
        worker.call(f"/connectors/{name}/resume", "PUT")
        worker.wait_for_state(name, tasks=2)
        assert until(lambda: len(written()) >= 110), (worker.said, _spark_log(worker))
        _produce(servers, topic, _json(range(110, 8_000)))
        assert until(lambda: len(written()) > 1_000), worker.said
        killed = until(lambda: _kill_a_task(worker), pause=0.01)
        assert until(lambda: len(set(written())) == 8_000, 120), (
            len(set(written())),
            worker.call(f"/connectors/{name}/status"),
            worker.said,
            _spark_log(worker),
        )
        worker.wait_for_state(name, tasks=2)
        worker.call(f"/connectors/{name}/tasks/1/restart", "POST")
        worker.wait_for_state(name, tasks=2)
        total = sum(end_offsets(servers, topic).values())
        assert until(lambda: shown() == total), (shown(), total, worker.said)
        before = len(written())
        worker.call(f"/connectors/{name}/stop", "PUT")
        worker.wait_for_state(name, "STOPPED", tasks=0)
        code, answer = worker.call(f"/connectors/{name}/offsets", "DELETE")
        _, status = worker.call(f"/connectors/{name}/status")
        letters = [message.value() for message in read_topic(servers, queue)]

    assert set(letters) == {BAD}
    assert (held, killed, before) == (100, True, len(written()))
    assert (code, GroupOffsets(servers, f"connect-{name}").read()) == (200, {}), answer
    assert status["engine"]["offsets"].endswith(f"mirrored to group connect-{name}")


def test_a_killed_driver_repeats_a_batch_that_an_idempotent_sink_has(broker, fresh, tmp_path):
    """Killed between the write and the commit: nothing twice there, nothing lost in a plain one."""
    servers, topic, out = broker.bootstrap_servers, fresh("repeated"), tmp_path / "out.txt"
    ledger = Ledger(tmp_path)
    create_topic(servers, topic, partitions=2)
    _produce(servers, topic, [b"%d" % number for number in range(100)])
    streamed = {
        "topics": topic,
        "tasks.max": "2",
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": f"{tmp_path}/checkpoints",
    }
    once = {"name": f"{topic}-once", "connector.class": "LedgerSink", **streamed}
    once["directory"] = str(ledger.directory)
    plain = {"name": f"{topic}-plain", "connector.class": "FileStreamSink", **streamed}
    plain |= {"file": str(out), "tasks.max": "1"}
    settings = {
        "bootstrap.servers": servers,
        "plugin.path": f"{PLUGINS},{ledger.path}",
        "offset.storage.file.filename": str(tmp_path / "offsets"),
    }

    ledger.hold.touch()
    with WorkerProcess(settings, once, plain) as worker:
        assert until(lambda: len(ledger.of("held")) == 2), (worker.said, _spark_log(worker))
        worker.stop(signal.SIGKILL)
        ledger.hold.unlink()
    _produce(servers, topic, [b"%d" % number for number in range(100, 120)])
    with WorkerProcess(settings, once, plain) as worker:
        everything = {str(number) for number in range(120)}
        assert until(lambda: len(ledger.entries()) == 120), (worker.said, _spark_log(worker))
        assert until(lambda: set(out.read_text().split()) == everything), worker.said

    assert {entry.value for entry in ledger.entries()} == everything
    assert (set(ledger.entries().values()), len(ledger.of("again"))) == ({1}, 2)


def _spark_log(worker):
    found = list(worker.directory.rglob("spark.log"))
    return found[0].read_text(errors="replace")[-8000:] if found else "no log of Spark"
