"""What a stranger on the same machine gets from Spark's ports and from the control channel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.runtime.spark.thief import (
    answers,
    listening,
    open_to_strangers,
    socket_files,
    stolen_block,
)
from tests.runtime.spark.tickers import Stage

from plugwright.spark.channel import ChannelClosedError, connect
from plugwright.spark.messages import Hello
from plugwright.spark.tickets import shown

pytestmark = [pytest.mark.spark]

BLOCKS = [f"broadcast_{n}_piece0" for n in range(40)]
PASSWORD = "open-sesame-83"  # noqa: S105  # what the thief is after

VICTIM = """
import json, os, sys
from pathlib import Path
from plugwright.spark import ClassReference, SparkLauncher, TaskSpec, open_session

os.umask(0)  # as some containers set it: no file is protected by its own mode
# Without compression, and without removal of blocks that are not needed, which may come any time:
# the thief has less to do.
settings = {
    "spark.broadcast.compress": "false",
    "spark.cleaner.referenceTracking": "false",
    **json.loads(sys.argv[1]),
}
session = open_session(settings=settings, log=Path(sys.argv[2]))
launcher = SparkLauncher(session)
converter = ClassReference("plugwright.converters", "StringConverter")
spec = TaskSpec(
    connector="c", task=0, kind="source", task_class=ClassReference("nowhere", "Task"), version="1",
    location="/nowhere", config={"password": sys.argv[3]}, bootstrap_servers="127.0.0.1:1",
    key_converter=converter, value_converter=converter, header_converter=converter,
)
keys = []
issue = launcher._tickets.issue
launcher._tickets.issue = lambda job: keys.append(issue(job)) or keys[-1]
job = launcher.launch("c", [spec])
assert job.wait_for(lambda tasks: tasks[0].state == "FAILED", 60), job.statuses
assert "location" in job.statuses[0].trace, job.statuses
java = session.sparkContext._gateway.proc.pid
hidden = {"driver": os.getpid(), "java": java}
print(json.dumps({**hidden, "channel": launcher._server.address, "keys": keys}), flush=True)
sys.stdin.read()
launcher.close()
session.stop()
"""


@pytest.fixture
def victim(tmp_path):
    """Starts a driver with a task, in a process of its own; what it has to hide."""
    started = []

    def start(**settings):
        command = [
            sys.executable,
            "-c",
            VICTIM,
            json.dumps(settings),
            str(tmp_path / "log"),
            PASSWORD,
        ]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
        )
        started.append(process)
        line = process.stdout.readline()
        assert line, (tmp_path / "log").read_text()
        return json.loads(line)

    yield start
    for process in started:
        process.communicate(timeout=60)


def _loot(hidden):
    """Whatever the thief can get, of any port."""
    ports = listening(hidden["java"])
    assert ports
    open_ports = [port for port in ports if answers(port)]
    return b"".join(stolen_block(port, name) for port in open_ports for name in BLOCKS)


def test_the_plan_of_an_open_session_holds_nothing_that_lets_a_thief_in(victim):
    """Where the operator has switched authentication off: the blocks can be had, and no key."""
    hidden = victim(**{"spark.authenticate": "false"})
    loot = _loot(hidden)

    assert b"run_resident_tasks" in loot
    certificate = re.search(rb"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n", loot)
    assert hidden["keys"]
    assert not any(key.encode() in loot for key in hidden["keys"])
    assert PASSWORD.encode() not in loot
    who = {"job": "c", "task": 0, "attempt": 0, "run": 10**6}
    channel = connect(tuple(hidden["channel"]), certificate[0].decode())
    with pytest.raises(ChannelClosedError):
        _answer(channel, **who, ticket=shown("", **who))


def test_the_same_thief_gets_nothing_unless_somebody_has_opened_the_session(victim):
    """Spark makes a secret of its own, which is in no setting."""
    assert _loot(victim()) == b""


def test_a_stranger_reaches_no_socket_and_no_library_of_a_session_without_umask(victim):
    """Whoever writes to them has code run as the worker's user, for they ask for no secret."""
    hidden = victim()
    processes = {hidden["driver"], *_descendants(hidden["driver"])}
    sockets = {file for pid in processes for file in socket_files(pid)}
    maps = Path(f"/proc/{hidden['java']}/maps").read_text("utf-8")
    libraries = {Path(each) for each in re.findall(r" (/\S+\.so)$", maps, re.MULTILINE)}

    assert len(sockets) > 1
    assert any("lz4" in each.name for each in libraries)
    assert [each for each in sockets | libraries if open_to_strangers(each)] == []


@pytest.mark.kafka
def test_a_rogue_neither_hears_the_settings_of_a_task_nor_takes_its_place(
    broker, launcher, fresh, tmp_path
):
    """Whatever it says of itself; the real one works on."""
    stage = Stage(broker, launcher, fresh, tmp_path)
    job = stage.launch("tick")
    before = job.statuses[0]
    for run, ticket in ((10**9, "0" * 64), (10**9, ""), (0, None)):
        channel = connect(launcher._server.address, launcher._server.certificate)
        who = {"job": job.name, "task": 0, "attempt": before.attempt + 1, "run": run}
        with pytest.raises(ChannelClosedError):
            _answer(channel, **who, ticket=ticket)

    done = before.counters.get("records", 0)
    stage.until(job, lambda tasks: tasks[0].counters.get("records", 0) > done)
    assert (job.statuses[0].pid, job.statuses[0].attempt) == (before.pid, before.attempt)
    assert job.stop(10.0)


def _answer(channel, **hello):
    """What the driver answers to a caller."""
    try:
        channel.send(Hello(**hello, pid=os.getpid(), daemon="thief:1"))
        return channel.receive()
    finally:
        channel.close()


def test_no_command_line_tells_a_secret(launcher, spark_session):
    """Everybody on the machine reads them; Spark's settings go by a file that is gone."""
    ours = _descendants(os.getpid())
    lines = [_command_line(pid) for pid in ours]
    java = [line for line in lines if b"org.apache.spark.deploy.SparkSubmit" in line]
    file = re.search(rb"--properties-file\0([^\0]+)", java[0])[1].decode()

    assert b"--conf" not in java[0]
    assert not Path(file).exists()
    assert not any(b"secret" in line for line in lines)


def test_nobody_can_guess_what_the_jvm_calls_in_this_process(launcher, spark_session):
    """The port for it asks for no secret, and Py4J would number what can be called from 0."""
    pool = spark_session.sparkContext._gateway.gateway_property.pool
    name = pool.put(object())
    del pool[name]

    assert int(name[1:]) > 2**80


def _command_line(pid):
    """Of a process that may have ended since it was listed."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def _descendants(root):
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}
