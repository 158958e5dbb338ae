"""A program in a terminal of its own, with directories of its own, and what is left of it."""

from __future__ import annotations

import fcntl
import getpass
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from tests.e2e.workers import marked_processes, until

from plugwright.processes import descendants

__all__ = ["WAYS", "Terminal"]

_BIN = Path(sys.executable).parent
_MARK = "PLUGWRIGHT_TEST_TERMINAL"
_CACHE = "cache/plugwright"
"""The only place that may have new files: jars, locks and logs, as the documentation says."""
_END_S = 60.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_ERASED = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)
_CTRL_C, _CTRL_Z = b"\x03", b"\x1a"


class Terminal:
    """A program that leads a session on a pseudo-terminal, as a terminal emulator starts one.

    Its home, temporary files, caches and working directory are below a directory of its own.

    Args:
        files: of its working directory: content by name.
        command: the program and its arguments.
        kept: a cache of jars that it may use, so that it needs no network.
    """

    def __init__(self, files, *command, kept=None):
        self.root = Path(tempfile.mkdtemp(prefix="t-"))
        self._mark = uuid4().hex
        for name in ("home", "tmp", "run", "work", _CACHE):
            (self.root / name).mkdir(parents=True)
        for name, text in files.items():
            (self.root / "work" / name).write_text(text, "utf-8")
        if kept is not None and kept.is_dir():
            (self.root / _CACHE / "jars").symlink_to(kept)
        self._before = self._present()
        self._seen = {}
        self._said = b""
        self._master, slave = os.openpty()
        _keep_output(slave)
        self._process = subprocess.Popen(
            [_BIN / command[0], *command[1:]],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=self.root / "work",
            env=self._environment(),
            start_new_session=True,
            preexec_fn=_enter,  # noqa: PLW1509  # a few system calls
        )
        os.close(slave)
        self.began = time.monotonic()
        self._closing, self._ringer = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _environment(self):
        own = {"HOME": "home", "TMPDIR": "tmp", "XDG_RUNTIME_DIR": "run", "XDG_CACHE_HOME": "cache"}
        places = {name: str(self.root / place) for name, place in own.items()}
        passed = {k: v for k, v in os.environ.items() if k not in {"CI", "PLUGWRIGHT_CACHE"}}
        plain = {"TERM": "xterm-256color", "COLUMNS": "120", _MARK: self._mark}
        return {**passed, **places, **plain, "PATH": f"{_BIN}:{os.environ['PATH']}"}

    def _read(self):
        while True:
            ready, _, _ = select.select([self._master, self._closing], [], [])
            if self._closing in ready:
                return
            try:
                self._said += os.read(self._master, 65536)
            except OSError:
                return  # no process has the other side any more

    @property
    def said(self):
        """What a person would have read, line by line."""
        text = self._said.decode(errors="replace").replace("\r\n", "\n")
        return _ERASED.sub("", _ESCAPES.sub("", text))

    @property
    def pid(self):
        """Of the program."""
        return self._process.pid

    @property
    def runs(self):
        """Whether the program itself has not ended."""
        return self._process.poll() is None

    def look(self):
        """Remember who is there, for those that would hide their environment later."""
        for pid, command in descendants(self.pid):
            with suppress(OSError):
                self._seen[pid] = (_started(pid), command)

    def press_ctrl_c(self):
        """The interrupt key: a signal to everything in the foreground."""
        os.write(self._master, _CTRL_C)

    def press_ctrl_z(self):
        """The key that stops everything in the foreground."""
        os.write(self._master, _CTRL_Z)

    def type_line(self, text):
        """Type a line."""
        os.write(self._master, f"{text}\n".encode())

    def terminate(self):
        """SIGTERM to the program alone."""
        os.kill(self.pid, signal.SIGTERM)

    def close_window(self):
        """The terminal goes away; as from a shell, the signal comes once more."""
        os.write(self._ringer, b"x")
        self._reader.join()
        os.close(self._master)
        self._master = -1
        if self.runs:
            os.kill(self.pid, signal.SIGHUP)

    def wait(self):
        """Wait until the program has ended; its exit status."""
        return self._process.wait(_END_S)

    def await_no_process(self):
        """Wait until nothing is left that runs; what is left, by id, after too long."""
        until(lambda: not self._running(), _END_S, 0.02)
        left = self._running()
        if not left:
            self._reader.join(_END_S)  # what they wrote last is read
        return left

    def _running(self):
        hidden = {p: c for p, (begun, c) in self._seen.items() if _is_still(p, begun)}
        return {**hidden, **marked_processes(_MARK, self._mark)}

    def new_files(self):
        """What is there that was not there before, but in the declared cache."""
        new = self._present() - self._before
        left = sorted(each for each in new if not each.startswith(_CACHE))
        counters = Path(f"/tmp/hsperfdata_{getpass.getuser()}")  # noqa: S108  # where Java has them
        return left + [str(counters / str(p)) for p in self._seen if (counters / str(p)).exists()]

    def _present(self):
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")}

    def close(self):
        """End what is left, and remove the directories."""
        for pid in self._running():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()  # so nothing gets the signal of the terminal
        if self._master >= 0:
            self.close_window()
        os.close(self._closing)
        os.close(self._ringer)
        shutil.rmtree(self.root, ignore_errors=True)


WAYS = {
    "Ctrl-C": (Terminal.press_ctrl_c, signal.SIGINT),
    "SIGTERM": (Terminal.terminate, signal.SIGTERM),
    "closed": (Terminal.close_window, signal.SIGHUP),
}
"""How a program on a terminal is interrupted, and the signal that it gets."""


def _keep_output(terminal):
    """Let Ctrl-C drop no output; the kernel would do so after it has sent the signal."""
    attributes = termios.tcgetattr(terminal)
    attributes[3] |= termios.NOFLSH
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)


def _enter():
    """Take the terminal of standard input, and heed signals whatever the tests do."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP):
        signal.signal(number, signal.SIG_DFL)


def _started(pid):
    """When a process began, which tells it from another one with its id."""
    stat = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
    return stat.rpartition(")")[2].split()[19]


def _is_still(pid, begun):
    try:
        return _started(pid) == begun and Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False
