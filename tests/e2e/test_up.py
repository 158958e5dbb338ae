"""``plugwright up`` as a newcomer uses it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Consumer
from tests.e2e.workers import until
from tests.peer.java_connect import rest_call

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(240)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
ITSELF = "from plugwright._programs import plugwright; plugwright()"
LINES = 100


@pytest.fixture
def mark():
    """Stands in the environment of all that a test starts."""
    return f"PLUGWRIGHT_TEST_UP={uuid4().hex}"


@pytest.fixture
def up(tmp_path, mark):
    """Run the command with a claim of its own, in an empty directory."""
    state = tmp_path / "state"
    state.mkdir()
    jars = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "plugwright" / "jars"
    if jars.is_dir():
        (state / "jars").symlink_to(jars)
    name, _, value = mark.partition("=")
    environment = {
        **os.environ,
        "PLUGWRIGHT_CACHE": str(state),
        "TMPDIR": str(tmp_path),
        name: value,
    }

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", ITSELF, "up", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )

    yield run
    run("--stop")


def test_one_command_moves_records_and_another_leaves_nothing(up, mark, tmp_path):
    """Broker, worker, console and a connector; then no process and no scratch directory."""
    (tmp_path / "test.txt").write_text("".join(f"line {n}\n" for n in range(LINES)))
    (tmp_path / "lines.properties").write_text(
        f"name=lines\nconnector.class=FileStreamSource\nfile={tmp_path}/test.txt\ntopic=lines\n"
    )

    began = up(
        "--detach", "--json", "--port", "0", "--plugin-path", str(PLUGINS), "lines.properties"
    )

    assert began.returncode == 0, began.stderr
    about = json.loads(began.stdout)
    values = _values(about["kafka"]["bootstrap.servers"], "lines", LINES)
    assert values == [f"line {n}" for n in range(LINES)]
    assert rest_call(f"{about['rest']}/connectors")[1] == ["lines"]
    again = up("--port", "0")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith(
        f"up.runs-already: plugwright up is already running at {about['rest']}\n"
    )

    ended = up("--stop")

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")
    assert until(lambda: not _marked(mark), 15), _marked(mark)
    assert not list(tmp_path.glob("plugwright-*"))
    assert up("--stop").stdout == "nothing runs\n"


def test_a_start_that_fails_behind_the_terminal_is_explained(up, mark, tmp_path):
    """The command has the status and the words of the process that it left behind."""
    failed = up("--detach", "--port", "0", "absent.properties")

    assert (failed.returncode, failed.stdout) == (2, "")
    assert "absent.properties" in failed.stderr
    assert until(lambda: not _marked(mark), 15), _marked(mark)


def _values(bootstrap_servers, topic, count):
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": "reader",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.subscribe([topic])
    found = []

    def has_all():
        found.extend(m.value().decode() for m in consumer.consume(count, 0.2) if not m.error())
        return len(found) >= count

    try:
        until(has_all, 60)
    finally:
        consumer.close()
    return found


def _marked(mark):
    """What runs because of the test: its command by its id."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes():
                found[place.name] = (place / "cmdline").read_bytes()
        except OSError:
            continue  # ended meanwhile, or not ours
    return found
