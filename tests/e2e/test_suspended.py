"""Ctrl-Z and fg: what stood still for a while goes on, loses nothing and ends as always."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from shlex import quote

import pytest
from tests.e2e.terminals import Terminal
from tests.e2e.workers import free_port, until

from plugwright.cache import cache_directory

PLUGINS = Path(__file__).parents[2] / "plugin-path"
SHELL = "set -m; {}; echo stopped $?; read -r _; fg; echo ended $?"
"""Job control as in an interactive shell."""
LONG_CHECK = "CON-DLV-13"
STOPPED, ENDED = "stopped 148", "ended "
BEYOND_SESSIONS_S = 12.0
"""Longer than the session of a sink's consumer, and of a worker in its group."""


def shell(files, *command):
    """A shell with a command in the foreground, and `fg` after the next line that is typed."""
    typed = " ".join(quote(str(word)) for word in command)
    return Terminal(files, "/bin/bash", "-c", SHELL.format(typed), kept=cache_directory() / "jars")


def pipeline(name):
    """The properties of a source and a sink between two files of the working directory."""
    topic = f"{name}-lines"
    source = {"name": f"{name}-in", "connector.class": "FileStreamSource", "file": "in.txt"}
    sink = {"name": f"{name}-out", "connector.class": "FileStreamSink", "file": "out.txt"}
    return {
        "in.properties": _text({**source, "topic": topic}),
        "out.properties": _text({**sink, "topics": topic}),
        "in.txt": "".join(lines(0)),
    }


def lines(batch):
    """A hundred lines, other ones in each batch."""
    return [f"{batch}-{number}\n" for number in range(100)]


def _text(settings):
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def suspend_and_resume(terminal, seconds):
    """Press Ctrl-Z, which brings back the shell, and some time later type `fg`."""
    terminal.press_ctrl_z()
    assert until(lambda: STOPPED in terminal.said, 30), terminal.said[-3000:]
    time.sleep(seconds)
    terminal.type_line("")


def require_end(terminal, status):
    """The command ends with this status, and then the shell; nothing is left.

    Raises:
        AssertionError: with what was said.
    """
    assert until(lambda: ENDED in terminal.said, 300), terminal.said[-3000:]
    terminal.wait()
    assert terminal.await_no_process() == {}
    assert f"{ENDED}{status}\n" in terminal.said, terminal.said[-6000:]
    assert "Traceback" not in terminal.said, terminal.said[-6000:]


def require_flow_across(terminal, ready):
    """Lines of before and after a suspension arrive; the order is kept, as far as they are new.

    Raises:
        AssertionError: with what was said.
    """
    begin, end = terminal.root / "work" / "in.txt", terminal.root / "work" / "out.txt"

    def arrived():
        found = end.read_text("utf-8").splitlines(keepends=True) if end.exists() else []
        return list(dict.fromkeys(found))

    assert until(lambda: ready in terminal.said, 300), terminal.said[-3000:]
    assert until(lambda: arrived() == lines(0), 300), terminal.said[-3000:]
    suspend_and_resume(terminal, BEYOND_SESSIONS_S)
    with begin.open("a", encoding="utf-8") as file:
        file.writelines(lines(1))
    assert until(lambda: arrived() == lines(0) + lines(1), 300), (
        len(arrived()),
        terminal.said[-3000:],
    )


@pytest.mark.spark
@pytest.mark.kafka
def test_a_standalone_worker_goes_on(broker, fresh):
    """Though its consumer's session is over when it wakes up."""
    files = pipeline(fresh("alone")) | {
        "worker.properties": _text(
            {
                "bootstrap.servers": broker.bootstrap_servers,
                "plugin.path": str(PLUGINS),
                "key.converter": "StringConverter",
                "value.converter": "StringConverter",
                "listeners": f"http://127.0.0.1:{free_port()}",
                "offset.flush.interval.ms": "500",
            }
        )
    }
    names = ("worker.properties", "in.properties", "out.properties")
    with closing(shell(files, "connect-standalone", *names)) as terminal:
        require_flow_across(terminal, "Kafka Connect worker is running at")

        terminal.press_ctrl_c()

        require_end(terminal, 0)
        assert [each for each in terminal.new_files() if each.startswith("tmp/")] == []


@pytest.mark.spark
@pytest.mark.kafka
def test_broker_worker_and_console_go_on():
    """`plugwright up`, whose worker is the only one of its group."""
    command = ("plugwright", "up", "--port", "0", "--plugin-path", str(PLUGINS), "--log-level")
    files = pipeline("up")
    names = ("in.properties", "out.properties")
    with closing(shell(files, *command, "INFO", *names)) as terminal:
        require_flow_across(terminal, "stop it with Ctrl-C")

        terminal.press_ctrl_c()

        require_end(terminal, 0)
        assert [each for each in terminal.new_files() if each.startswith("tmp/")] == []


@pytest.mark.slow
def test_a_certification_goes_on_while_its_terminal_is_used_otherwise():
    """Its checks do not stand still: none may miss a time limit because of that."""
    certify = ("plugwright", "certify", PLUGINS / "file-source", "--no-live", "--report", "out")
    with closing(shell({}, *certify, "--check", LONG_CHECK)) as terminal:
        assert until(lambda: LONG_CHECK in terminal.said), terminal.said
        suspend_and_resume(terminal, 1.0)

        require_end(terminal, 0)

        (results,) = (terminal.root / "work" / "out").glob("*/results.json")
        (check,) = json.loads(results.read_bytes())["results"]
        assert check["outcome"] == "PASS"
