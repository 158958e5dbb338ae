"""A planted secret is sought wherever a worker and its Spark write or tell anything."""

from __future__ import annotations

import os
import re
import signal
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest
from tests.e2e.cluster import DistributedWorker
from tests.e2e.workers import WorkerProcess, cluster_settings, until

from plugwright.kafka import create_topic

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(480)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
SECRET = "planted-7f3c91"  # noqa: S105  # what is sought
_PATIENCE_S = 150.0
PAGES = ("jobs", "stages", "environment", "executors", "SQL", "StreamingQuery", "storage")
CONSOLE = ("connector", "edit", "offsets")
FIGURES = ("environment", "jobs", "stages", "sql?details=true&planDescription=true", "allexecutors")
PROTOCOL_SECRETS = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])|task\.secret")
"""The tokens by which Py4J's gateway knows its caller, and the keys of jobs."""
LOGIN = (
    "org.apache.kafka.common.security.plain.PlainLoginModule required "
    f'username="u" password="{SECRET}";'
)


class _Worker(WorkerProcess):
    """A standalone worker whose tasks can be crashed."""

    task_hosts = DistributedWorker.task_hosts


def _worker_settings(broker, fresh, directory):
    events = directory / "events"
    events.mkdir()
    return events, {
        "bootstrap.servers": broker.bootstrap_servers,
        **cluster_settings(fresh("planted")),
        "plugin.path": str(PLUGINS),
        "plugin.discovery": "service_load",
        "config.providers": "file",
        "config.providers.file.class": "FileConfigProvider",
        # Without a security.protocol that uses it: a login that is there, and not taken.
        "consumer.sasl.jaas.config": LOGIN,
        "consumer.sasl.mechanism": "PLAIN",
        "spark.hadoop.fs.s3a.secret.key": SECRET,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
    }


def _fetched(url):
    with suppress(OSError, HTTPException), urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310  # loopback
        return answer.read().decode(errors="replace")
    return ""


def _pages(worker):
    """Spark's pages and their figures; the address is in its log."""
    log = "\n".join(
        file.read_text("utf-8", errors="replace") for file in worker.directory.rglob("spark.log")
    )
    for port in _listening(worker):
        base = f"http://127.0.0.1:{port}"
        ids = re.findall(r'"id" : "([^"]+)"', _fetched(f"{base}/api/v1/applications"))
        if ids:
            yield "log", log
            yield from ((page, _fetched(f"{base}/{page}/")) for page in PAGES)
            api = f"{base}/api/v1/applications/{ids[0]}"
            yield from ((f"api {name}", _fetched(f"{api}/{name}")) for name in FIGURES)


def _listening(worker):
    from tests.runtime.spark.thief import listening  # noqa: PLC0415  # the thief knows how

    java = [
        pid for pid, what in worker.processes().items() if what.partition(" ")[0].endswith("/java")
    ]
    return [port for pid in java for port in listening(pid)]


def _answers(worker, names):
    paths = [
        "/connectors?expand=info&expand=status",
        "/connector-plugins",
        "/admin/loggers",
        "/metrics",
        "/metrics.json",
        "/health",
        "/",
        "/console",
        "/console/plugins",
        *(f"/console/{page}?name={name}" for page in CONSOLE for name in names),
        *(f"/connectors/{name}/{part}" for name in names for part in ("config", "tasks", "status")),
    ]
    return [(path, _fetched(f"{worker.url}{path}")) for path in paths]


def _processes(worker):
    for pid, command in worker.processes().items():
        place = Path(f"/proc/{pid}")
        with suppress(OSError):
            yield f"command of {command[:60]}", (place / "cmdline").read_text(errors="replace")
            yield f"variables of {command[:60]}", (place / "environ").read_text(errors="replace")


def test_a_secret_is_nowhere_but_where_it_is_used(broker, fresh, tmp_path):
    """Event log, pages, logs, traces, REST, metrics, command lines, variables, core dumps."""
    events, settings = _worker_settings(broker, fresh, tmp_path)
    topic = fresh("lines")
    create_topic(broker.bootstrap_servers, topic)
    vault, lines = tmp_path / "vault.properties", tmp_path / "in.txt"
    vault.write_text(f"password={SECRET}\n")
    lines.write_text("a line\n")
    reported = {"shop.password": f"${{file:{vault}:password}}"}
    source = {"connector.class": "FileStreamSource", "file": str(lines), "topic": topic, **reported}
    sink = {"connector.class": "FileStreamSink", "topics": topic, **reported}
    streamed = {
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": str(tmp_path / "checkpoints"),
    }
    connectors = {
        "in": source,
        "out": {**sink, "file": str(tmp_path / "out.txt")},
        "streamed": {**sink, **streamed, "file": str(tmp_path / "streamed.txt")},
        "failing": {**sink, "file": f"{tmp_path}/${{file:{vault}:password}}/place.txt"},
    }
    with _Worker(settings, log_level="DEBUG") as worker:
        assert worker.call("/admin/loggers/root", "PUT", {"level": "TRACE"})[0] == 200
        for name, config in connectors.items():
            assert worker.create(name, config)[0] == 201
        for name in ("out", "streamed"):
            written = tmp_path / f"{name}.txt"
            assert until(lambda file=written: "a line" in _text(file), _PATIENCE_S), worker.said
        failing = "/connectors/failing/status"
        assert until(lambda: "FAILED" in str(worker.call(failing)[1]), _PATIENCE_S)
        trace = worker.call(failing)[1]["tasks"][0]["trace"]
        found = [*_pages(worker), *_answers(worker, connectors), *_processes(worker)]
        limits = {pid: _core_limit(pid) for pid in worker.processes()}
        before = _cores(worker, tmp_path)
        for pid in worker.task_hosts():
            with suppress(ProcessLookupError):  # of a batch that is over
                os.kill(pid, signal.SIGABRT)
        assert until(lambda: "SIGABRT" in worker.said, _PATIENCE_S), worker.said
        dumps = set(_cores(worker, tmp_path)) - set(before)
        scratch = [(str(file), _text(file)) for file in worker.directory.rglob("*.log")]
        worker.stop(signal.SIGTERM)
        found += [("said", worker.said), *scratch]
    found += [(str(file), _text(file)) for file in events.rglob("*") if file.is_file()]
    found += [(str(file), _text(file)) for file in tmp_path.glob("checkpoints/**/*")]

    places = [place for place, text in found if SECRET in text]
    looked = [place for place, text in found if text]
    assert not places
    assert "cannot write [hidden]" in trace  # the failure is about the very setting
    assert {"environment", "api environment", "said", "/metrics", "/console"} <= set(looked)
    assert {f"/console/{page}?name=streamed" for page in CONSOLE} <= set(looked)
    said = dict(found)["said"]
    assert " TRACE " in said
    assert "Command to send: c" in said
    assert PROTOCOL_SECRETS.findall(said) == []
    assert any("plugwright.task.secret" in text for place, text in found if str(events) in place)
    assert set(limits.values()) <= {"0", "1", ""}
    assert not dumps


def _core_limit(pid):
    found = re.search(r"Max core file size +(\S+)", _text(Path(f"/proc/{pid}/limits")))
    return found[1] if found else ""


def _cores(worker, directory):
    """Files that a crash may have left, wherever this machine puts them."""
    pattern = Path("/proc/sys/kernel/core_pattern").read_text("utf-8").strip()
    places = {Path.cwd(), worker.directory, directory, PLUGINS}
    if pattern.startswith("/"):
        places.add(Path(pattern).parent)
    return [str(file) for place in places for file in place.glob("*core*") if file.is_file()]


def _text(file):
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
