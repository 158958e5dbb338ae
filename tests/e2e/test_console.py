"""Lines piped into a standalone worker come out of its log: the console connectors of Kafka."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.e2e.workers import free_port, until

from plugwright_toolkit.commands.config import ready_files

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(240)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
COMMAND = "from plugwright.cli import connect_standalone; connect_standalone()"
CONVERTER = "org.apache.kafka.connect.storage.StringConverter"


def test_what_is_piped_in_is_printed(broker, tmp_path):
    """Through a topic, by the files of ``plugwright config``."""
    topic = f"console-{time.time_ns()}"
    worker = {
        "bootstrap.servers": broker.bootstrap_servers,
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "key.converter": CONVERTER,
        "value.converter": CONVERTER,
        "offset.storage.file.filename": str(tmp_path / "offsets"),
        "listeners": f"http://127.0.0.1:{free_port()}",
    }
    files = [tmp_path / "worker.properties"]
    files[0].write_text("".join(f"{key}={value}\n" for key, value in worker.items()))
    for kind, key in (("source", "topic"), ("sink", "topics")):
        printed = ready_files()[f"connect-console-{kind}"].read_text("utf-8")
        text = printed.replace(f"{key}=connect-test", f"{key}={topic}")
        files.append(tmp_path / f"{kind}.properties")
        files[-1].write_text(text)
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *map(str, files)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        process.stdin.write("one line\nand ä\n".encode())
        process.stdin.flush()
        assert until(lambda: b"and \xc3\xa4" in log.read_bytes(), 120), log.read_text()[-4000:]
        assert b"one line" in log.read_bytes()
    finally:
        process.terminate()
        process.wait(60)
        process.stdin.close()
