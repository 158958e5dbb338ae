"""Taps that misbehave: each gets an error of its own, and nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.plugin_path.singer.programs import processes_with

from plugwright import ConnectError, DataError, RetriableError
from plugwright_singer import run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_patient")]

_SLEEPS = "\nimport time\ntime.sleep(1000)\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("loading...", "it is not valid JSON: 'loading...'"),
        ("[1]", "it is not a JSON object"),
        ('{"stream": "s"}', "it has no type"),
        ('{"type": "RECORD", "record": {}}', "a RECORD needs stream"),
        ('{"type": "RECORD", "stream": "s", "record": 1}', "a RECORD needs record"),
        ('{"type": "SCHEMA", "stream": "s"}', "a SCHEMA needs schema"),
        ('{"type": "STATE"}', "a STATE needs value"),
    ],
    ids=["text", "array", "typeless", "streamless", "number", "schemaless", "valueless"],
)
def test_garbage_is_reported_with_its_line(source, failure, line, said):
    """After the records before it."""
    error, records = failure(source(f"users(id=INTEGER)\nuser(1)\nprint({line!r})"))
    assert isinstance(error, DataError)
    assert str(error).startswith("line 3 of tap-test: a line is not a Singer message: ")
    assert said in str(error)
    assert [record.value["id"] for record in records] == [1]


def test_secrets_in_garbage_are_hidden(source, failure):
    """A print for debugging is the usual garbage."""
    error, _ = failure(source("print(option('--config'))", **{"singer.secret.key": "s3cret"}))
    assert "s3cret" not in str(error)
    assert "[hidden]" in str(error)


def test_binary_garbage_is_reported(source, failure):
    """It is no text either."""
    error, _ = failure(source("os.write(1, b'\\xff\\x00\\n')"))
    assert error.code == "singer.not-a-message"


def test_a_tap_that_dies_is_reported_with_its_last_words(source, failure):
    """Exit code, and standard error without secrets."""
    body = """
users(id=INTEGER)
user(1)
print("connecting with", option("--config")["password"], file=sys.stderr)
sys.exit("no route to host")
"""
    error, records = failure(source(body, **{"singer.config.password": "s3cret"}))
    assert type(error) is ConnectError
    assert str(error) == (
        "tap-test ended with exit code 1; its last words: connecting with [hidden]\n"
        "no route to host"
    )
    assert (error.code, error.facts["exit_code"], len(records)) == ("singer.died", 1, 1)


def test_a_tap_that_is_killed_is_reported(source, failure):
    """With the signal."""
    error, _ = failure(source("os.kill(os.getpid(), 9)"))
    assert str(error).startswith("tap-test ended with signal 9; it wrote nothing")


def test_a_tap_that_hangs_before_its_first_message_is_ended(source, failure):
    """After the time that it may take to start."""
    task = source(_SLEEPS, **{"singer.start.timeout.ms": "1"})
    error, _ = failure(task)
    assert error.code == "singer.hangs"
    assert "has written nothing for 0.001 seconds" in str(error)
    assert "singer.start.timeout.ms" in error.hint


def test_a_tap_that_hangs_later_is_ended(source, failure):
    """The record before it is delivered."""
    body = "say('RECORD', stream='s', record={})"  # one line, so that nothing else can be late
    task = source(body + _SLEEPS, **{"singer.idle.timeout.ms": "1"})
    error, records = failure(task)
    assert (error.code, len(records)) == ("singer.hangs", 1)
    assert "singer.idle.timeout.ms" in error.hint


def test_a_tap_that_hangs_in_its_discovery_is_ended(source, failure):
    """The task would wait forever."""
    error, _ = failure(source(_SLEEPS, **{"singer.select": "s", "singer.start.timeout.ms": "1"}))
    assert error.code == "singer.hangs"


@pytest.mark.parametrize("body", ["", "print('{}')", "print('no')"], ids=["no", "empty", "text"])
def test_a_tap_without_a_discovery_is_reported(source, failure, body):
    """What to do instead."""
    error, _ = failure(source(body, singer_select="s"))
    assert error.code == "singer.no-catalog"
    assert "singer.catalog" in error.hint


def test_a_line_without_an_end_is_reported(source, failure):
    """It is not held in memory."""
    body = "while True: os.write(1, b'x' * 4096)"
    error, _ = failure(source(body, **{"singer.line.max.bytes": "10000"}))
    assert error.code == "singer.line-too-long"
    assert str(error) == "line 1 of the tap has more than 10000 bytes"


def test_a_long_line_within_the_limit_is_read(source, polled):
    """To its last byte."""
    body = """
users(id=INTEGER, t={"type": "string"})
say("RECORD", stream="users", record={"id": 1, "t": "x" * 200_000})
"""
    assert len(polled(source(body), 1)[0].value["t"]) == 200_000


def test_a_flood_on_standard_error_stops_nothing(source, polled):
    """Much more than a pipe holds, in one endless line too."""
    body = """
for _ in range(200):
    os.write(2, b"x" * 4096)
users(id=INTEGER)
user(1)
"""
    assert polled(source(body), 1)[0].value["id"] == 1


def test_a_fast_tap_waits_for_the_task(source, polled):
    """What is held is bounded; everything arrives in order."""
    body = "users(id=INTEGER)\nfor n in range(3000): user(n)"
    records = polled(source(body, **{"singer.buffer.max.bytes": "100"}), 3000)
    assert [record.value["id"] for record in records] == list(range(3000))


@pytest.mark.parametrize("session", ["", "os.setsid();"], ids=["child", "daemon"])
def test_what_a_tap_has_started_ends_with_it(source, polled, session, tmp_path):
    """Also in a session of its own, and though it holds the tap's output open."""
    body = f"""
import time
if not os.fork():
    {session}time.sleep(1000)
users(id=INTEGER)
user(1)
"""
    task = source(body)
    assert polled(task, 1)[0].value["id"] == 1
    assert processes_with(str(tmp_path)) == []


@pytest.mark.parametrize(
    "prelude", ["", "import signal; signal.signal(15, signal.SIG_IGN)"], ids=["polite", "deaf"]
)
def test_a_stop_ends_a_running_tap(source, polled, prelude, monkeypatch, tmp_path):
    """Whether it listens or not; the fixture looks for what is left."""
    task = source(f"{prelude}\nusers(id=INTEGER)\nuser(1)\nuser(2)\n{_SLEEPS}")
    polled(task, 1)
    assert processes_with(str(tmp_path)) != []
    task.stop()
    task.stop()
    assert processes_with(str(tmp_path)) == []


def test_nothing_outlives_a_worker_that_is_killed(tap, scratch, tmp_path):
    """Neither the tap nor its files."""
    program = tap("import signal; signal.signal(15, signal.SIG_DFL)\nsay('x')" + _SLEEPS)
    worker = f"""
import sys, time
sys.path[:0] = {[str(Path(run.__file__).parents[1])]!r}
from plugwright_singer.masking import Mask
from plugwright_singer.run import ChildRun, Command, Limits
made = ChildRun(Command({str(program)!r}, {{"--config": {{}}}}, Mask([])), Limits(999, 999))
print(made.lines.take(60).decode(), flush=True)
time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", worker], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b'{"type": "x"}\n'
        assert len(list(scratch.iterdir())) == 1
        supervisors = [pid for pid in _pids("supervisor.py") if str(scratch) in _line(pid)]
        process.kill()
    for pid in supervisors:
        _wait_for_the_end_of(pid)


def test_a_file_that_is_no_program_is_reported(source, failure, tmp_path):
    """The system's own reason."""
    task = source("")
    (tmp_path / "tap-test").write_text("\x7fno program", "utf-8")
    error, _ = failure(task)
    assert error.code == "singer.cannot-start"
    assert "cannot be started: Exec format error" in str(error)


def test_a_batch_of_files_is_refused(source, failure):
    """Their records would be lost."""
    error, _ = failure(source("say('BATCH', stream='s', encoding={}, manifest=[])"))
    assert error.code == "singer.batch"


def test_a_record_that_does_not_fit_is_reported(source, failure):
    """Line, stream, field, what was expected and found."""
    body = "users(id=INTEGER)\nsay('RECORD', stream='users', record={'id': 'one'})"
    error, _ = failure(source(body))
    assert str(error) == (
        "line 2 of tap-test: a record of stream users does not fit its schema: "
        'id: expected an integer of 64 bits, found "one"'
    )


def _pids(word):
    directories = (d for d in Path("/proc").iterdir() if d.name.isdigit())
    return [int(d.name) for d in directories if word in _line(d.name)]


def _line(pid):
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().decode()
    except OSError:
        return ""


def _wait_for_the_end_of(pid):
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    with open(descriptor, "rb"):  # noqa: PTH123  # a descriptor
        signal.pidfd_send_signal(descriptor, 0)
        import select  # noqa: PLC0415  # for this wait only

        select.select([descriptor], [], [])


def test_a_tap_may_fail_a_few_times(source, failure):
    """Each failure is retriable until there were so many in a row without a state."""
    body = "users(id=INTEGER)\nuser(1)\nsys.exit('down')"
    task = source(body, **{"singer.failures.max": "3", "singer.interval.ms": "0"})
    error, records = failure(task)
    assert (type(error), records) == (RetriableError, [])
    error, records = failure(task)
    assert (type(error), records) == (RetriableError, [])
    error, records = failure(task)
    assert (type(error), len(records)) == (ConnectError, 1)
    assert "down" in str(error)


def test_a_run_that_goes_well_ends_a_row_of_failures(source, polled, tmp_path):
    """Also of a tap that writes no state."""
    body = f"""
with open({str(tmp_path / "runs")!r}, "ab") as file:
    file.write(b".")
    runs = file.tell()
if runs % 2: sys.exit("down")
say("RECORD", stream="s", record={{"run": runs}})
"""
    task = source(body, **{"singer.failures.max": "2", "singer.interval.ms": "0"})
    found = []
    while len(found) < 3:
        try:
            found += polled(task, 1)
        except RetriableError:
            continue
    assert [record.value["run"] for record in found] == [2, 4, 6]


def test_a_failure_after_records_is_reported_with_the_next_poll(source, failure):
    """It would otherwise not be seen while another run is tried."""
    body = "users(id=INTEGER)\nuser(1)\nuser(2)\nsys.exit('down')"
    task = source(body, **{"singer.failures.max": "2", "singer.interval.ms": "0"})
    error, records = failure(task)
    assert (type(error), [record.value["id"] for record in records]) == (RetriableError, [1])
    assert "down" in str(error)


def test_a_tap_that_dies_within_a_line_is_reported_as_dead(source, failure):
    """Half a message is no fault of its own."""
    body = "users(id=INTEGER)\nuser(1)\nos.write(1, b'{\"type\": \"REC')\nsys.exit('out of memory')"
    error, records = failure(source(body))
    assert (error.code, [record.value["id"] for record in records]) == ("singer.died", [1])
    assert "out of memory" in str(error)


def test_a_last_line_needs_no_end(source, polled):
    """If it is a message."""
    body = 'os.write(1, b\'{"type": "RECORD", "stream": "s", "record": {"a": 1}}\')'
    assert polled(source(body), 1)[0].value == {"a": 1}


def test_half_a_line_of_a_tap_that_ended_well_is_garbage(source, failure):
    """Its exit code says that it has written everything."""
    error, _ = failure(source('os.write(1, b\'{"type": "REC\')'))
    assert error.code == "singer.not-a-message"


@pytest.mark.parametrize(
    "message",
    [
        {"schema": {"properties": ["a"]}},
        {"schema": {"properties": {"a": {"type": [["string"]]}}}},
        {"schema": {"properties": {}, "required": 5}},
        {"schema": {}, "key_properties": "id"},
        {"schema": {}, "key_properties": [["id"]]},
    ],
    ids=["properties", "type", "required", "text", "nested"],
)
def test_a_schema_that_is_none_is_reported(source, failure, message):
    """With its line; nothing of the tap stays."""
    error, _ = failure(source(f"say('SCHEMA', stream='s', **{message!r})"))
    assert (type(error), error.code) == (DataError, "singer.not-a-message")
    assert str(error).startswith("line 1 of tap-test: ")


def test_a_number_beyond_all_bounds_is_reported(source, failure):
    """It is not written out, which would take gigabytes."""
    body = (
        "users(id=INTEGER)\n"
        'print(\'{"type": "RECORD", "stream": "users", "record": {"id": 1e999999999}}\')'
    )
    error, _ = failure(source(body))
    assert "id: expected an integer of 64 bits" in str(error)


@pytest.mark.parametrize(
    ("secret", "said"),
    [
        ('"4711-0815"', "4711-0815"),
        ('{"user": "ada", "word": "lovelace"}', "lovelace"),
        ("-----BEGIN-----\nMIIEvQIB\n-----END-----", "-----BEGIN-----\nMIIEvQIB"),
        ("s3cret" * 10, "x" * 4070 + "s3cret" * 10),
    ],
    ids=["text", "object", "lines", "cut"],
)
def test_no_part_of_a_secret_is_shown(source, failure, caplog, secret, said):
    """Nor what is in a JSON value, nor a line of it, nor the part before a cut."""
    caplog.set_level("INFO")
    body = f"print({said!r}, file=sys.stderr)\nsys.exit(1)"
    error, _ = failure(source(body, **{"singer.secret.word": secret}))
    assert "[hidden]" in str(error)
    for part in ("4711", "lovelace", "MIIE", "s3c"):
        assert part not in str(error)
        assert part not in caplog.text


def test_no_part_of_a_secret_is_in_the_excerpt_of_a_line(source, failure):
    """It is cut after secrets are hidden."""
    body = f"print('x' * 100 + {'s3cret' * 10!r})"
    error, _ = failure(source(body, **{"singer.secret.word": "s3cret" * 10}))
    assert "s3c" not in str(error)
    assert "[hidden]" in str(error)
