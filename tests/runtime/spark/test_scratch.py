"""Directories that Spark works in, and what becomes of them."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from py4j import java_gateway
from pyspark.errors import PySparkRuntimeError

from plugwright.errors import SetupError
from plugwright.spark import close_session, open_session
from plugwright.spark.jvm import quiet_gateway
from plugwright.spark.scratch import SCRATCH, claim_scratch


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Where temporary directories are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def _aged(scratch):
    long_ago = time.time() - 7200
    os.utime(scratch, (long_ago, long_ago))
    return scratch


def _session(scratch, stop=lambda: None):
    return SimpleNamespace(
        sparkContext=SimpleNamespace(getConf=lambda: {SCRATCH: str(scratch)}), stop=stop
    )


def test_nothing_is_left_of_a_session_that_has_ended(place):
    """Neither its files nor its log."""
    scratch = claim_scratch()
    (scratch / "spark.log").write_text("said")
    close_session(_session(scratch))
    assert list(place.iterdir()) == []


def test_no_close_waits_for_the_server_of_accumulators(place):
    """It looks up once a second; what it listens at is gone before."""
    file, may_end, ended = place / "counted.sock", threading.Event(), threading.Event()
    file.touch()
    server = SimpleNamespace(
        server_address=str(file), shutdown=lambda: (may_end.wait(60), ended.set())
    )
    session = _session(claim_scratch())
    session.sparkContext._accumulatorServer = server

    close_session(session)

    assert (ended.is_set(), list(place.iterdir())) == (False, [])
    assert session.sparkContext._accumulatorServer is None
    may_end.set()
    assert ended.wait(60)


def test_the_log_of_a_spark_that_died_can_be_read(place):
    """Whoever restarts the worker looks into it first."""

    def stop():
        raise ConnectionError("nobody answers")

    scratch = claim_scratch()
    close_session(_session(scratch, stop))
    assert list(place.iterdir()) == [scratch]


@pytest.mark.parametrize(
    ("status", "left"), [(143, False), (129, False), (130, False), (-9, True), (134, True)]
)
def test_nothing_is_left_of_a_spark_that_had_to_end(place, monkeypatch, status, left):
    """A service that is stopped has a signal for each of its processes; a crash is another."""

    def stop():
        raise ConnectionError("nobody answers")

    jvm = SimpleNamespace(wait=lambda _: status)
    monkeypatch.setattr("pyspark.SparkContext._gateway", SimpleNamespace(proc=jvm))
    scratch = claim_scratch()
    close_session(_session(scratch, stop), scratch)
    assert list(place.iterdir()) == ([scratch] if left else [])


def test_nothing_is_left_of_a_spark_that_did_not_start(place, monkeypatch):
    """The error says what the JVM had to say."""

    def start(_, options):
        options["stderr"].write(b"Unrecognized VM option 'UseNoGC'\nError: no JVM\n")
        options["stderr"].flush()
        raise PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})

    monkeypatch.setattr("pyspark.SparkContext._gateway", None)
    monkeypatch.setattr("plugwright.spark.jvm.launch_gateway", start)

    with pytest.raises(SetupError, match="option 'UseNoGC'; Error: no JVM") as raised:
        open_session()

    assert (raised.value.code, list(place.iterdir())) == ("spark.no-jvm", [])


@pytest.fixture
def quiet(caplog, monkeypatch):
    """The loggers as they are after Py4J was quieted; no filter of it stays."""
    for name in ("", "py4j", "py4j.clientserver", "py4j.java_gateway"):
        monkeypatch.setattr(logging.getLogger(name), "filters", [])
        monkeypatch.setattr(logging.getLogger(name), "level", 0)
    quiet_gateway()
    caplog.set_level("INFO")
    return caplog


def test_a_jvm_that_goes_is_reported_by_whom_it_concerns(quiet):
    """Py4J would log a trace for each of its connections; what it warns of is shown."""
    py4j = {"pathname": java_gateway.__file__, "levelno": logging.INFO, "msg": "Exception"}

    logging.getLogger().handle(logging.makeLogRecord(py4j))
    logging.getLogger("py4j.clientserver").info("Error while receiving.")
    logging.getLogger("py4j.java_gateway").info("Error while sending.")
    logging.getLogger("py4j.java_gateway").warning("Failed to shut down")
    logging.getLogger().info("ours")

    assert quiet.messages == ["Failed to shut down", "ours"]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Command to send: A\n5e5am\n", "Command to send: A"),
        ("Command to send: c\no97\nset\nsname\ns5e5am\ne\n", "Command to send: c o97 set"),
        ("Command to send: i\njava.io.File\ns5e5am\ne\n", "Command to send: i"),
        ("Command to send: a\ns\no1\ni0\ns5e5am\ne\n", "Command to send: a"),
        ("Answer received: !ys5e5am", "Answer received: !ys"),
        ("Exception while closing", "Exception while closing"),
    ],
    ids=["token", "call", "constructor", "array", "answer", "sentence"],
)
def test_arguments_and_answers_of_py4j_are_in_no_log(quiet, said, shown):
    """Its gateway's token, the keys of jobs and passwords in settings are among them."""
    for name in ("py4j.clientserver", "py4j.java_gateway"):
        quiet.set_level("DEBUG", name)
        logging.getLogger(name).debug(said)

    assert quiet.messages == [shown, shown]


@pytest.mark.parametrize("name", ["py4j", "py4j.java_gateway"])
def test_a_level_of_py4j_is_the_operators(quiet, monkeypatch, name):
    """None is set here, and one that was set shows what it asks for."""
    logger = logging.getLogger("py4j.java_gateway")
    assert logger.getEffectiveLevel() == logging.INFO
    monkeypatch.setattr(logging.getLogger(name), "level", logging.INFO)

    logger.info("Error while sending.")

    assert quiet.messages == ["Error while sending."]


def test_what_a_killed_process_left_behind_goes_with_the_next_start(place):
    """After an hour; a process that runs keeps its own, however old."""
    code = "import os; from plugwright.spark.scratch import claim_scratch; print(claim_scratch())"
    environment = {**os.environ, "TMPDIR": str(place)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    left = next(place.iterdir())
    mine = _aged(claim_scratch())
    early = set(place.iterdir())
    _aged(left)
    fresh = claim_scratch()

    assert early == {left, mine}
    assert set(place.iterdir()) == {mine, fresh}
