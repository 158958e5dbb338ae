"""Confirmation by import: whatever a module does, the caller gets an answer."""

# ruff: noqa: E501  # plugin modules as one-line texts

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from plugwright.plugins import ConfirmLimits, confinement, confirm

pytestmark = pytest.mark.slow

GOOD = """
from plugwright import SinkConnector
class A(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
LIMITS = ConfirmLimits(wall_s=5, cpu_s=4, memory=1 << 30, output=100, confined=False)


def _confirm(shop, text, **limits):
    shop.module("bad", text)
    shop.module("good", GOOD)
    given = ConfirmLimits(**limits) if limits else LIMITS
    found, findings = confirm(shop.location, ["bad", "good"], given)
    assert ("good", "A") in [(c.module, c.qualname) for c in found]
    return found, findings


CASES = {
    "exit": ("import sys; sys.exit(3)", "import-exit", "SystemExit: 3"),
    "os-exit": ("import os; os._exit(7)", "import-crash", "ended with status 7"),
    "abort": ("import os; os.abort()", "import-crash", "SIGABRT"),
    "segfault": ("import os; os.kill(os.getpid(), 11)", "import-crash", "SIGSEGV"),
    "raise": ("raise ValueError('no')", "import-error", "ValueError: no"),
    "base": ("class E(BaseException): pass\nraise E", "import-error", "E: "),
    "dependency": ("import nowhere_to_be_found", "import-error", "nowhere_to_be_found"),
    "memory": ("x = bytearray(2 << 30)", "import-memory", "MemoryError"),
    "stdin": ("input()", "import-error", "EOFError"),
    "argv": ("import sys; raise ValueError(sys.argv)", "import-error", "ValueError: ['']"),
    "escape": ("raise ValueError('\\x1b[2J\\nx')", "import-error", r"ValueError: \x1b[2J\nx"),
    "printed": ("print('x' * 99999999); 1/0", "import-error", "it printed 'xxx"),
    "text": (
        "class E(Exception):\n def __str__(self): 1/0\nraise E",
        "import-error",
        "is not available",
    ),
}


@pytest.mark.parametrize(("text", "code", "said"), CASES.values(), ids=CASES)
def test_a_module_that_fails_is_reported_and_the_next_is_imported(place, text, code, said):
    """Cases 56, 57, 60, 61, 62, 64 and 65: with location, module and hint."""
    shop = place()
    _, (finding,) = _confirm(shop, text)
    assert (finding.code, finding.location) == (code, str(shop.path))
    assert said in finding.message
    assert finding.message.isprintable()
    assert finding.hint


def test_an_error_names_the_last_line_of_the_location(place):
    """Not of the library that raised."""
    _, (finding,) = _confirm(place(), "import json\n\njson.loads('{')")
    assert (finding.file, finding.line) == ("bad.py", 3)


def test_a_missing_dependency_is_what_to_install(place):
    """Case 64: by name."""
    _, (finding,) = _confirm(place(), "import nowhere.deep")
    assert finding.hint == "install nowhere into the location"


def test_a_module_that_hangs_is_given_up(place):
    """Case 58: after the time that it may take."""
    started = time.monotonic()
    _, (finding,) = _confirm(place(), "while True: pass", wall_s=1.5)
    assert (finding.code, time.monotonic() - started < 8) == ("import-timeout", True)


def _has_ended(status):
    for _ in range(200):
        if not status.exists() or "zombie" in status.read_text():
            return True
        time.sleep(0.01)
    return False


def test_a_process_that_stays_behind_is_ended(place, tmp_path):
    """Case 59: with its whole group."""
    file = tmp_path / "pid"
    new = f"{file}.new"
    text = f"import os, time\nif not os.fork():\n    with open({new!r}, 'w') as file:\n        file.write(str(os.getpid()))\n    os.rename({new!r}, {str(file)!r})\n    time.sleep(60)\n    os._exit(0)\nwhile not os.path.exists({str(file)!r}):\n    time.sleep(0.01)\n"
    _confirm(place(), text)
    assert _has_ended(Path(f"/proc/{file.read_text()}/status"))


def _state():
    return Path.cwd(), list(sys.path), dict(os.environ), signal.getsignal(signal.SIGTERM)


def test_nothing_reaches_the_caller(place, capfd, tmp_path):
    """Cases 63 and 67: no output, no change of directory, path, environment or signals.

    Only the scratch directory is lost.
    """
    shop, before = place(), _state()
    text = "import os, shutil, signal, sys\nprint('noise'); sys.path.clear(); os.environ['X'] = '1'\nsignal.signal(signal.SIGTERM, signal.SIG_IGN); shutil.rmtree(os.getcwd())\n"
    shop.module("bad", text + GOOD)
    confirm(shop.location, ["bad"], LIMITS)
    assert _state() == before
    assert capfd.readouterr() == ("", "")
    assert "bad" not in sys.modules
    assert (shop.path / "bad.py").exists()
    assert not (shop.path / "__pycache__").exists()


def test_only_classes_that_are_defined_there_count(place):
    """Case 49: not imported, abstract, private or virtual ones, nor those that need arguments."""
    text = (
        GOOD
        + "from good import A as Other\nclass _P(A): pass\nclass N(A):\n    def __init__(self, x): ...\n"
        "class Abstract(SinkConnector): pass\nclass V: pass\nSinkConnector.register(V)\nclass O:\n    class I(A): pass\n"
    )
    found, _ = _confirm(place(), text)
    assert [(c.qualname, c.kinds[0].name, c.reason) for c in found if c.module == "bad"] == [
        ("A", "sink", ""),
        ("N", "sink", "needs-arguments"),
        ("Abstract", "sink", "abstract"),
        ("O.I", "sink", ""),
    ]


@pytest.mark.parametrize("name", ["typing", "logging", "plugwright"])
def test_the_host_is_not_shadowed(place, name):
    """Cases 68 and 69: a location's own copy of either is not taken."""
    shop = place()
    shop.module(name, "raise ValueError")
    assert _confirm(shop, GOOD)[1] == []


def test_a_module_that_the_host_has_too_is_the_locations(place):
    """As where the plugin runs."""
    shop = place()
    shop.module("packaging", GOOD)
    found, findings = confirm(shop.location, ["packaging"], LIMITS)
    assert ([each.module for each in found], findings) == (["packaging"], [])


def test_of_a_module_that_python_takes_from_the_host_nothing_is_claimed(place):
    """A package of the host hides a directory of that name without an ``__init__``."""
    shop = place()
    (shop.path / "packaging").mkdir()
    shop.module("packaging/version", GOOD)
    found, (finding,) = confirm(shop.location, ["packaging.version"], LIMITS)
    assert (found, finding.code) == ([], "host-copy")


def test_a_linked_module_is_the_locations_own(place, tmp_path):
    """Wherever the link leads."""
    shop = place()
    (tmp_path / "elsewhere.py").write_text(GOOD)
    (shop.path / "linked.py").symlink_to(tmp_path / "elsewhere.py")
    found, findings = confirm(shop.location, ["linked"], LIMITS)
    assert ([c.qualname for c in found], findings) == (["A"], [])


@pytest.mark.skipif(not confinement(), reason="this kernel has no Landlock")
@pytest.mark.parametrize(
    "text",
    ["open(__file__, 'a')", "import os\n\nos.kill(os.getppid(), 0)"],
    ids=["its own file", "its parent"],
)
def test_a_module_that_is_only_looked_into_is_kept_from_files_and_processes(place, text):
    """No configuration has chosen it yet."""
    _, (finding,) = _confirm(place(), text, wall_s=10)
    assert finding.code == "import-error"
    assert "PermissionError" in finding.message
