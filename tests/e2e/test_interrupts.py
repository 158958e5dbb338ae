"""Ctrl-C, SIGTERM and a closed terminal, at any moment: no process and no file is left.

The drill interrupts at random moments of the whole life of a program, so also while Spark or Kafka
starts. ``DRILL_ROUNDS`` says how often (50 by default), ``DRILL_SEED`` repeats a drill.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import signal
import time
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.e2e.terminals import WAYS, Terminal
from tests.e2e.workers import cluster_settings, free_port, until

from plugwright.cache import cache_directory

PLUGINS = Path(__file__).parents[2] / "plugin-path"
ROUNDS = int(os.environ.get("DRILL_ROUNDS", "50"))
SEED = int(os.environ.get("DRILL_SEED", str(secrets.randbelow(10**6))))
LIVE_CHECKS = ("CON-DLV-02", "CON-REB-01")
"""A quick one, and one with a second driver."""
WORKS_S = 6.0
"""How long a worker lives on once it runs."""
RUNNING = "Kafka Connect worker is running at"
STOPPED = ("Stopped while starting", "Stopping")
UNTOUCHED = {-signal.SIGTERM, -signal.SIGHUP}
"""How a program ends that has not begun: by the signal itself."""
EACH_WAY = pytest.mark.parametrize("way", WAYS)


def certify(*options):
    """A certification of the source of files."""
    command = ("plugwright", "certify", str(PLUGINS / "file-source"), *options)
    return Terminal({}, *command, kept=cache_directory() / "jars")


def standalone(servers, name):
    """A worker with a source and a sink."""
    topic = f"{name}-lines"
    source = {"name": f"{name}-in", "connector.class": "FileStreamSource", "file": "lines.txt"}
    sink = {"name": f"{name}-out", "connector.class": "FileStreamSink", "file": "/dev/null"}
    files = {
        "worker.properties": _text(_worker(servers)),
        "in.properties": _text({**source, "topic": topic}),
        "out.properties": _text({**sink, "topics": topic}),
        "lines.txt": "one\ntwo\n",
    }
    return Terminal(files, "connect-standalone", *list(files)[:3])


def distributed(servers, name):
    """The only worker of its group."""
    files = {"worker.properties": _text({**_worker(servers), **cluster_settings(name)})}
    return Terminal(files, "connect-distributed", *files)


def _worker(servers):
    return {
        "bootstrap.servers": servers,
        "plugin.path": str(PLUGINS),
        "key.converter": "StringConverter",
        "value.converter": "StringConverter",
        "listeners": f"http://127.0.0.1:{free_port()}",
    }


def _text(settings):
    return "".join(f"{key}={value}\n" for key, value in settings.items())


@dataclass(frozen=True, slots=True)
class Interrupted:
    """What was left of a program, how it ended, and what could be read.

    Attributes:
        code: exit status.
        seconds: from the interrupt until nothing ran any more.
    """

    code: int
    seconds: float
    said: str
    processes: dict[int, str]
    files: list[str]

    @property
    def last(self):
        """The last line, without what the terminal shows for the key."""
        return (self.said.strip().splitlines() or [""])[-1].removeprefix("^C")


def interrupt(terminal, way):
    """Interrupt a program on a terminal, and wait until it has gone with all that it started."""
    terminal.look()
    begun = time.monotonic()
    WAYS[way][0](terminal)
    code = terminal.wait()
    processes = terminal.await_no_process()
    seconds = time.monotonic() - begun
    files = terminal.new_files()
    return Interrupted(code, seconds, terminal.said, processes, files)


def require_nothing_left(found):
    """No process, no file, no trace.

    Raises:
        AssertionError: naming what is there.
    """
    assert found.processes == {}, found.said[-3000:]
    assert found.files == [], found.said[-3000:]
    assert "Traceback" not in found.said, found.said[-6000:]


def require_end_of_certify(found, way):
    """The status of the signal, and a last line that says it."""
    number = WAYS[way][1]
    assert found.code in {128 + number, *UNTOUCHED}, found.said[-3000:]
    if found.code > 0 and way != "closed":
        assert found.last == "interrupted", found.said[-3000:]


def require_end_of_worker(found, way):
    """An end in order, which the log tells."""
    assert found.code in {0, 128 + WAYS[way][1], *UNTOUCHED}, found.said[-3000:]
    if found.code == 0 and way != "closed":
        assert any(words in found.said for words in STOPPED), found.said[-3000:]


BESIDE_ONE_ANOTHER = re.compile(r"\b(1[2-9]|[2-9]\d)/\d{3} ")
"""What the progress shows when the twelve checks of packaging have ended, which run alone."""


@pytest.mark.slow
@EACH_WAY
def test_an_interrupted_certification_leaves_nothing(way):
    """While its checks run, in processes of their own."""
    with closing(certify("--no-live")) as terminal:
        assert until(lambda: BESIDE_ONE_ANOTHER.search(terminal.said)), terminal.said

        found = interrupt(terminal, way)

    require_nothing_left(found)
    require_end_of_certify(found, way)
    assert found.code == 128 + WAYS[way][1]


@pytest.mark.slow
@EACH_WAY
def test_a_worker_that_is_interrupted_while_it_loads_leaves_nothing(way):
    """While it looks for a Kafka that does not answer."""
    with closing(standalone("127.0.0.1:1", "nowhere")) as terminal:
        assert until(lambda: "Scanning for plugin classes" in terminal.said), terminal.said

        found = interrupt(terminal, way)

    require_nothing_left(found)
    require_end_of_worker(found, way)
    assert found.code == 0


def _life(make, ready, more):
    """How long a program lives: until it ends by itself, or is ready and a little more."""
    with closing(make()) as terminal:
        assert until(lambda: ready in terminal.said or not terminal.runs, 300), terminal.said
        until(lambda: not terminal.runs, more)
        return time.monotonic() - terminal.began


@pytest.mark.drill
@pytest.mark.timeout(300 + 120 * ROUNDS)
def test_nothing_is_left_whenever_a_program_is_interrupted(broker, fresh, capsys):
    """Uniform over the life of each program, in each way."""
    servers = broker.bootstrap_servers
    programs = {
        "certify": lambda: certify(*(w for each in LIVE_CHECKS for w in ("--check", each))),
        "standalone": lambda: standalone(servers, fresh("alone")),
        "distributed": lambda: distributed(servers, fresh("group")),
    }

    def tell(line):
        with capsys.disabled():
            print(line, flush=True)  # noqa: T201  # the result

    tell(f"\nDRILL_SEED={SEED} DRILL_ROUNDS={ROUNDS}")
    lives = {
        "certify": _life(programs["certify"], "\0", 0),
        "standalone": _life(programs["standalone"], RUNNING, WORKS_S),
        "distributed": _life(programs["distributed"], RUNNING, WORKS_S),
    }
    tell(", ".join(f"{name} lives {life:.1f} s" for name, life in lives.items()))
    drawn = random.Random(SEED)  # noqa: S311  # a drill can be repeated
    rounds, faults = defaultdict(list), []
    for number in range(ROUNDS):
        name = list(programs)[number % len(programs)]
        way = list(WAYS)[number // len(programs) % len(WAYS)]
        moment = drawn.uniform(0, lives[name])
        with closing(programs[name]()) as terminal:
            until(lambda: not terminal.runs, terminal.began + moment - time.monotonic(), 0.01)
            if not terminal.runs:
                tell(f"{number:2} {name} had ended before {moment:.2f} s")
                continue
            found = interrupt(terminal, way)
        rounds[name, way].append(found)
        tell(f"{number:2} {name} {way} at {moment:.2f} s: {found.code}, {found.seconds:.1f} s")
        try:
            require_nothing_left(found)
            ends = require_end_of_certify if name == "certify" else require_end_of_worker
            ends(found, way)
        except AssertionError as error:
            faults.append((number, name, way, moment, str(error)))
            tell(f"   {error}")
    _table(rounds, tell)
    assert not faults


def _table(rounds, tell):
    tell(f"{'program':12} {'way':8} {'rounds':>6} {'processes':>9} {'files':>5} {'worst':>7}")
    for (name, way), found in sorted(rounds.items()):
        processes = sum(len(each.processes) for each in found)
        files = sum(len(each.files) for each in found)
        worst = max(each.seconds for each in found)
        tell(f"{name:12} {way:8} {len(found):6} {processes:9} {files:5} {worst:6.1f}s")
