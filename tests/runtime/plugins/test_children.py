"""The processes that import plugins: forks of one server, or fresh interpreters."""

# ruff: noqa: E501  # plugin modules as one-line texts

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from plugwright.plugins import ConfirmLimits
from plugwright.plugins import children as children_module
from plugwright.plugins.children import Child, Children
from plugwright.plugins.confirming import Inquiry, confirm_in

pytestmark = pytest.mark.slow

LIMITS = ConfirmLimits(wall_s=10, cpu_s=10, memory=1 << 30, output=1000, confined=False)
SINK = """
from plugwright import SinkConnector
class A(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
TELL = "raise ValueError(json.dumps({}))\n"


@pytest.fixture(params=[True, False], ids=["fork", "fresh"])
def children(request):
    """Both ways to start a child."""
    with Children(forks=request.param) as started:
        yield started


@pytest.fixture
def forks():
    """The fork server."""
    with Children() as started:
        yield started


def _outcome(children, shop, *names):
    return confirm_in(children, Inquiry(shop.location, dict.fromkeys(names, ())), LIMITS)


def _seen(children, shop, expression):
    """What a module sees in its child."""
    imports = "import json, os, sys\n"
    shop.module("tells", imports + TELL.format(expression))
    (finding,) = _outcome(children, shop, "tells").findings
    return json.loads(finding.message.partition("ValueError: ")[2])


def _has_ended(pid):
    for _ in range(500):
        try:
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def _await(file):
    for _ in range(1000):
        if file.exists() and (text := file.read_text()).endswith("\n"):
            return [int(word) for word in text.split()]
        time.sleep(0.01)
    raise AssertionError(file)


def test_a_child_has_only_its_own_descriptors(children, place):
    """The three standard streams, the pipe for answers, and that of the listing itself."""
    assert len(_seen(children, place(), "os.listdir('/proc/self/fd')")) == 5


def test_a_child_has_a_reduced_environment(children, place, monkeypatch):
    """Case 63: nothing of the caller's."""
    monkeypatch.setenv("SECRET", "1")
    found = _seen(children, place(), "dict(os.environ)")
    assert set(found) - {"LC_CTYPE"} == {"PATH", "HOME", "TMPDIR"}
    assert found["HOME"] == found["TMPDIR"] != os.environ.get("HOME")


def test_a_child_has_an_empty_directory_session_and_arguments_of_its_own(children, place):
    """Cases 62 and 67."""
    seen = "[os.listdir(), os.getsid(0) == os.getpid(), sys.argv, sys.stdin.read()]"
    assert _seen(children, place(), seen) == [[], True, [""], ""]


def test_a_child_does_not_see_what_an_earlier_one_did(children, place):
    """Although both are forks of the same process."""
    one, two = place("c/one"), place("c/two")
    one.module("marks", f"import json, sys\njson.mark = 1\nsys.path.append('/x')\n{SINK}")
    assert _outcome(children, one, "marks").findings == []
    seen = "[hasattr(json, 'mark'), '/x' in sys.path, 'marks' in sys.modules]"
    assert _seen(children, two, seen) == [False, False, False]


def test_a_child_has_no_network(children, place):
    """Not even to its own machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        shop = place()
        shop.module("calls", f"import socket\nsocket.create_connection(('127.0.0.1', {port}))\n")
        (finding,) = _outcome(children, shop, "calls").findings
    assert finding.code == "import-error"
    assert "OSError: " in finding.message
    assert "etwork" in finding.message


@pytest.mark.parametrize("call", ["getaddrinfo('localhost', 9)", "gethostbyname('localhost')"])
def test_without_a_namespace_names_are_not_looked_up(place, call):
    """For that, too, would ask the network."""
    shop = place()
    shop.module("asks", f"import socket\nsocket.{call}\n")
    with Children(forks=False) as children:
        (finding,) = _outcome(children, shop, "asks").findings
    assert "there is no network during plugin discovery" in finding.message


def test_sockets_within_the_machine_are_no_network(children, place):
    """As `asyncio` needs them."""
    shop = place()
    shop.module("pairs", f"import asyncio, socket\nsocket.socketpair()\nasyncio.run(asyncio.sleep(0))\n{SINK}")  # fmt: skip
    assert _outcome(children, shop, "pairs").findings == []


ENDS = {
    "parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "stopped-parent": "os.kill(os.getppid(), signal.SIGSTOP); os._exit(1)",
    "server": "grand = int(open(f'/proc/{os.getppid()}/stat').read().rpartition(')')[2].split()[1])\nos.kill(grand, signal.SIGKILL); os.kill(os.getppid(), signal.SIGKILL)",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's process table")
@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_module_that_ends_who_started_it_harms_only_itself(
    forks, place, monkeypatch, tmp_path, text
):
    """Case 57: other modules and locations are imported by others, and it does not live on."""
    monkeypatch.setattr(children_module, "_SUPERVISOR_S", 0.5)
    file = tmp_path / "pid"
    shop, other = place("c/shop"), place("c/other")
    tell = f"with open({str(file)!r}, 'w') as file:\n    print(os.getpid(), file=file)\n"
    shop.module("bad", f"import os, signal, time\n{tell}{text}\ntime.sleep(60)\n")
    shop.module("good", SINK)
    other.module("good", SINK)
    outcome = _outcome(forks, shop, "bad", "good")
    assert [finding.code for finding in outcome.findings] == ["import-crash"]
    assert [found.module for found in outcome.found] == ["good"]
    assert [found.module for found in _outcome(forks, other, "good").found] == ["good"]
    assert _has_ended(*_await(file))


class Gone:
    """A process that has ended together with its supervisor."""

    gone = None

    def end(self, _):
        """Nobody knows how."""


@pytest.mark.parametrize(("lost", "expected"), [(1, ["good"]), (2, [])])
def test_a_child_that_never_began_blames_no_module(forks, place, monkeypatch, lost, expected):
    """It was ended by what an earlier one had left behind; another one is started, once."""
    shop, starts, start = place(), [], forks.start

    def unlucky(work, request, limits):
        starts.append(request["modules"])
        if len(starts) > lost:
            return start(work, request, limits)
        (answers, theirs), (output, printed) = os.pipe(), os.pipe()
        os.close(theirs)
        os.close(printed)
        return Child(Gone(), answers, output, limits)

    monkeypatch.setattr(forks, "start", unlucky)
    shop.module("good", SINK)
    outcome = _outcome(forks, shop, "good")

    assert [found.module for found in outcome.found] == expected
    assert [each.code for each in outcome.findings] == ["import-crash"] * (not expected)
    assert starts == [[["good", []]]] * 2


DAEMON = """import os, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    with open({file!r} + '.new', 'w') as file:
        print(os.getpid(), file=file)
    os.rename({file!r} + '.new', {file!r})
    time.sleep(60)
    os._exit(0)
while not os.path.exists({file!r}):
    time.sleep(0.01)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux adopts orphans")
def test_a_daemon_in_a_session_of_its_own_is_ended(forks, place, tmp_path):
    """Case 59: with the location that it belongs to, before the next one."""
    file = tmp_path / "pid"
    shop = place()
    shop.module("bad", DAEMON.format(file=str(file)))
    _outcome(forks, shop, "bad")
    (pid,) = _await(file)
    assert _has_ended(pid)


@pytest.mark.parametrize("start", ["", "import os; vars(os).pop('pidfd_open', None)\n"])
def test_an_end_is_noticed_although_what_stays_behind_holds_the_pipes(
    forks, place, monkeypatch, start
):
    """Case 57: with the way in which the process ended, and before the time is up."""
    monkeypatch.setattr(children_module, "_START", start + children_module._START)
    _assert_noticed(forks, place())


def test_an_interpreters_end_is_noticed_likewise(place):
    """Case 57: without a fork server."""
    with Children(forks=False) as children:
        _assert_noticed(children, place())


def _assert_noticed(children, shop):
    shop.module("bad", "import os, time\nif not os.fork():\n    time.sleep(60)\nos._exit(7)\n")
    (finding,) = _outcome(children, shop, "bad").findings
    assert finding.code == "import-crash"
    assert "ended with status 7" in finding.message


CALLER = """
import sys, tempfile
from pathlib import Path
from plugwright.plugins import ConfirmLimits, Location, confirm
tempfile.tempdir = sys.argv[2]
confirm(Location(Path(sys.argv[1])), ["hangs"], ConfirmLimits(confined=False))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's process table")
def test_nothing_outlives_a_caller_that_is_killed(place, tmp_path):
    """Neither the child nor the fork server nor their files."""
    file, shop, work = tmp_path / "pids", place(), tmp_path / "work"
    work.mkdir()
    text = f"import os, time\nstat = open(f'/proc/{{os.getppid()}}/stat').read()\nwith open({str(file)!r}, 'w') as file:\n    print(os.getpid(), os.getppid(), stat.rpartition(')')[2].split()[1], file=file)\ntime.sleep(60)\n"
    shop.module("hangs", text)
    caller = subprocess.Popen([sys.executable, "-c", CALLER, str(shop.path), str(work)])
    pids = _await(file)
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    assert [_has_ended(pid) for pid in pids] == [True, True, True]
    assert list(work.iterdir()) == []


def test_closing_ends_what_is_under_way(place, tmp_path):
    """An operator who interrupts does not wait for a module that hangs."""
    file, shop = tmp_path / "pid", place()
    text = f"import os, time\nwith open({str(file)!r}, 'w') as file:\n    print(os.getpid(), file=file)\ntime.sleep(60)\n"
    shop.module("hangs", text)
    with ThreadPoolExecutor(1) as pool:
        with Children() as children:
            waiting = pool.submit(_outcome, children, shop, "hangs", "next")
            (pid,) = _await(file)
        with pytest.raises(OSError, match="shut down"):
            waiting.result(timeout=30)
    assert _has_ended(pid)


@pytest.mark.parametrize("word", ["code", "reason"])
def test_a_plugin_cannot_forge_what_is_shown(children, place, word):
    """An answer with an unknown code is none."""
    error = {"type": "E", "message": "", "frames": [], "code": "\x1b[2J", "missing": ""}
    found = {"qualname": "A", "kinds": ["sink"], "reason": "\x1b[2J"}
    forged = {"module": "bad", "classes": [found], "named": [], "file": ""}
    answer = {"module": "bad", "error": error} if word == "code" else forged
    shop = place()
    shop.module(
        "bad",
        f"import os, json\ntext = json.dumps({answer!r}) + '\\n'\nfor fd in range(3, 1024):\n    try:\n        os.write(fd, text.encode())\n    except OSError:\n        pass\n",
    )
    outcome = _outcome(children, shop, "bad")
    assert [finding.code for finding in outcome.findings] == ["import-crash"]
    assert "makes no sense" in outcome.findings[0].message


def test_without_a_fork_server_interpreters_are_started(place, monkeypatch):
    """If it does not come up."""
    monkeypatch.setattr(children_module, "_START", "raise SystemExit(1)")
    shop = place()
    shop.module("good", SINK)
    with Children() as children:
        assert [found.module for found in _outcome(children, shop, "good").found] == ["good"]


ELSEWHERE = """import os, sys
sys.platform = "darwin"
for name in ("pidfd_open", "waitid"):
    vars(os).pop(name, None)
"""


def test_on_other_systems_a_fork_server_does_without_what_only_linux_has(
    place, monkeypatch, tmp_path
):
    """It asks for the end of its children, and refuses the network to Python code."""
    monkeypatch.setattr(children_module, "_START", ELSEWHERE + children_module._START)
    file, shop = tmp_path / "pid", place()
    shop.module("a_good", SINK)
    shop.module("b_calls", "import socket\nsocket.create_connection(('127.0.0.1', 9))\n")
    shop.module("c_ends", "import os\nos._exit(7)\n")
    shop.module("d_stays", f"{DAEMON.format(file=str(file)).replace('os.setsid()', 'pass')}{SINK}")
    with Children() as children:
        outcome = _outcome(children, shop, "a_good", "b_calls", "c_ends", "d_stays")
        assert len(children._idle) == 1
    assert [found.module for found in outcome.found] == ["a_good", "d_stays"]
    calls, ends = outcome.findings
    assert (calls.code, "there is no network" in calls.message) == ("import-error", True)
    assert (ends.code, "ended with status 7" in ends.message) == ("import-crash", True)
    assert _has_ended(*_await(file))


def test_nothing_is_started_before_it_is_needed(monkeypatch):
    """A survey without modules costs no process."""
    monkeypatch.setattr(subprocess, "Popen", None)
    with Children():
        pass


def test_a_child_that_says_nonsense_is_taken_for_crashed(children, place):
    """Whatever it writes where answers go."""
    shop = place()
    text = 'import os\nfor fd in range(3, 1024):\n    try:\n        os.write(fd, b\'{"module": "bad"}\\n\')\n    except OSError:\n        pass\n'
    shop.module("bad", text)
    shop.module("good", SINK)
    outcome = _outcome(children, shop, "bad", "good")
    assert outcome.failures["bad"] == "import-crash"


def test_a_child_that_says_too_much_is_ended(forks, place):
    """The caller does not read for ever."""
    shop = place()
    shop.module(
        "bad",
        "import os\nwhile True:\n    os.write(3, b'x' * 65536 + b'\\n')\n    os.write(4, b'x' * 65536 + b'\\n')\n",
    )
    shop.module("good", SINK)
    outcome = _outcome(forks, shop, "bad", "good")
    assert set(outcome.failures) == {"bad"}
    assert [found.module for found in outcome.found] == ["good"]
