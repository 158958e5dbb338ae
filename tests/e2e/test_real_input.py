"""A real file goes through the whole chain: file source, Kafka, file sink, on Spark."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest

from plugwright.herder import EmbeddedHerder, WorkerConfig
from plugwright.kafka import create_topic
from plugwright.plugins import Plugins

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
LINES = 100_000
SCRIPTS = (
    "the quick brown fox jumps over the lazy dog 0123456789",
    "Größe, façade, smörgåsbord, Łódź",
    "быстрая коричневая лиса",
    "快速的棕色狐狸",
    "🦊🐕\u200d🦺 e\u0301 \u202etxet\u202c \ufeff\x00\x1b[31m",
)


def mixed_text(lines: int) -> bytes:
    """Lines of mixed length and script; some empty, some ending with CR LF, one very long."""
    chosen = random.Random(20260914)  # noqa: S311  # the same file every time
    parts = []
    for number in range(lines):
        if number % 7 == 0:
            body = ""
        else:
            body = "".join(
                chosen.choices(chosen.choice(SCRIPTS), k=int(chosen.expovariate(1 / 60)))
            )
        parts.append(body + ("\r\n" if number % 5 == 0 else "\n"))
    parts[lines // 2] = "x" * 500_000 + "\n"
    return "".join(parts).encode()


@pytest.fixture
def herder(broker, launcher):
    """A standalone herder over the bundled plugins."""
    worker = WorkerConfig.parse(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "key.converter": "StringConverter",
            "value.converter": "StringConverter",
            "offset.storage.topic": "e2e-offsets",
            "offset.storage.partitions": "1",
        }
    )
    herder = EmbeddedHerder(worker, Plugins.service_load([PLUGIN_PATH]), launcher)
    yield herder
    herder.close()


def test_a_mixed_file_comes_out_byte_for_byte(herder, broker, tmp_path):
    """100,000 lines, with empty ones, CR LF and other scripts, are equal after the round trip."""
    data = mixed_text(LINES)
    (tmp_path / "in.txt").write_bytes(data)
    create_topic(broker.bootstrap_servers, "e2e-mixed")

    source = herder.start_connector(
        {
            "name": "e2e-source",
            "connector.class": "FileStreamSource",
            "file": str(tmp_path / "in.txt"),
            "topic": "e2e-mixed",
        }
    )
    sink = herder.start_connector(
        {
            "name": "e2e-sink",
            "connector.class": "FileStreamSink",
            "file": str(tmp_path / "out.txt"),
            "topics": "e2e-mixed",
        }
    )
    sink.wait_for(lambda tasks: tasks[0].counters.get("records", 0) >= LINES, 60)
    stopped = [herder.stop_connector(name) for name in ("e2e-source", "e2e-sink")]

    assert stopped == [True, True], [source.statuses, sink.statuses]
    written = (tmp_path / "out.txt").read_bytes()
    assert hashlib.sha256(written).hexdigest() == hashlib.sha256(data).hexdigest()
    assert data.count(b"\n") == LINES
