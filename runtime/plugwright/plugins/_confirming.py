"""Confirming what the scan suspects: modules are imported in a child process that may die of it.

A child is a sandbox against accidents, not a jail: it runs as the same user.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.plugins._diagnostic import Diagnostic, Level, printable
from plugwright.plugins._scan import SCANNED_TYPES
from plugwright.plugins._sources import host_roots

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType

__all__ = ["ConfirmLimits", "Confirmed", "confirm"]

_ANSWERS_LIMIT = 16 << 20
_CHUNK = 1 << 16
_KINDS = {kind.name: kind for kind in SCANNED_TYPES}


@dataclass(frozen=True, slots=True)
class ConfirmLimits:
    """What the import of plugin modules may cost.

    Attributes:
        wall_s: seconds for one module.
        cpu_s: seconds of processor time for the modules of one child.
        memory: bytes of address space.
        output: bytes of what the modules print that are kept for reports.
    """

    wall_s: float = 30.0
    cpu_s: int = 120
    memory: int = 4 << 30
    output: int = 4096


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A class that the import has shown to extend a base.

    Attributes:
        reason: ``abstract`` or ``needs-arguments`` if it cannot be a plugin all the same.
    """

    module: str
    qualname: str
    kinds: tuple[PluginType, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a module could not be imported."""

    code: str
    text: str
    hint: str = "importing a module must only define things; move the rest into functions"
    file: str = ""
    line: int = 0


def confirm(
    location: Location, modules: Sequence[str], limits: ConfirmLimits | None = None
) -> tuple[list[Confirmed], list[Diagnostic]]:
    """Import modules of a location in child processes, and say which plugin classes they define.

    A module that ends or hangs its process is reported, and the next ones get a new process.
    """
    run = _Confirmation(location, limits or ConfirmLimits())
    rest = list(modules)
    while rest:
        done = run.child(rest)
        rest = rest[done:]
    return run.found, run.findings


class _Confirmation:
    def __init__(self, location: Location, limits: ConfirmLimits) -> None:
        self._location = location
        self._limits = limits
        self.found: list[Confirmed] = []
        self.findings: list[Diagnostic] = []

    def child(self, modules: Sequence[str]) -> int:
        """Have one child import modules; how many of them are settled, one at least."""
        with tempfile.TemporaryDirectory(prefix="plugwright-", ignore_cleanup_errors=True) as work:
            child = _Child(Path(work), self._request(modules), self._limits)
            settled = 0
            for answer in child.answers():
                if answer.get("module") == modules[settled]:
                    self._take(modules[settled], answer, child)
                    settled += 1
                if settled == len(modules):
                    break
            code, message = child.end()
        if settled < len(modules):
            self._report(modules[settled], _Failure(code, message), child)
            settled += 1
        return settled

    def _request(self, modules: Sequence[str]) -> Mapping[str, object]:
        return {
            "path": [str(root) for root in (*host_roots(), self._location.path.resolve())],
            "bases": {kind.name: kind.base for kind in SCANNED_TYPES},
            "modules": modules,
            "memory": self._limits.memory,
            "cpu": self._limits.cpu_s,
        }

    def _take(self, module: str, answer: Mapping[str, Any], child: _Child) -> None:
        try:
            if "error" in answer:
                self._failed(module, answer["error"], child)
            elif self._is_own(module, str(answer["file"])):
                self.found += [_confirmed(module, found) for found in answer["classes"]]
        except (KeyError, TypeError, ValueError):
            self._report(module, _Failure("import-crash", "the answer makes no sense"), child)

    def _is_own(self, module: str, file: str) -> bool:
        """Whether Python took the module from the location and not from the host."""
        root = self._location.path.resolve()
        # Of a linked module, the link is what lies in the location.
        if not file or any(
            path.is_relative_to(root) for path in (Path(file), Path(file).resolve())
        ):
            return True
        message = f"{module} is shadowed by {printable(file)}"
        place = str(self._location.origin)
        self.findings.append(Diagnostic(Level.NOTE, "host-copy", place, message))
        return False

    def _failed(self, module: str, error: Mapping[str, Any], child: _Child) -> None:
        hint = "mend the module, or take it out of the location"
        if error["missing"]:
            hint = f"install {printable(str(error['missing']))} into the location"
        code = "import-exit" if error["exit"] else "import-error"
        text = f"{error['type']}: {error['message']}"
        file, line = self._place(error["frames"])
        self._report(module, _Failure(code, text, hint, file, line), child)

    def _place(self, frames: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """The last line of the location that took part."""
        root = self._location.path.resolve()
        for file, line in reversed(frames):
            with suppress(ValueError):
                return Path(file).relative_to(root).as_posix(), int(line)
        return "", 0

    def _report(self, module: str, failure: _Failure, child: _Child) -> None:
        said = f"; it printed {child.output!r}" if child.output else ""
        message = printable(f"importing {module} failed: {failure.text}{said}")
        place, file = str(self._location.origin), printable(failure.file)
        self.findings.append(
            Diagnostic(Level.ERROR, failure.code, place, message, file, failure.line, failure.hint)
        )


def _confirmed(module: str, found: Mapping[str, Any]) -> Confirmed:
    kinds = tuple(_KINDS[name] for name in found["kinds"])
    return Confirmed(module, printable(str(found["qualname"])), kinds, str(found["reason"]))


class _Child:
    """One process, the leader of its own group, with nothing of ours but two pipes."""

    def __init__(self, work: Path, request: Mapping[str, object], limits: ConfirmLimits) -> None:
        self._limits = limits
        self._timed_out = False
        self.output = ""
        file = work / "request.json"
        file.write_text(json.dumps(request))
        scratch = work / "scratch"
        scratch.mkdir()
        self._answers, answers = os.pipe()
        script = Path(__file__).with_name("_confirm_child.py")
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own script in our own interpreter
                [sys.executable, "-I", "-S", "-B", str(script), str(file), str(answers)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=scratch,
                env={"PATH": os.defpath, "HOME": str(scratch), "TMPDIR": str(scratch)},
                pass_fds=(answers,),
                start_new_session=True,
            )
        finally:
            os.close(answers)

    def answers(self) -> Iterator[Mapping[str, Any]]:
        """What the child says, until it ends, says too much, or is silent for too long."""
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        pending, total = b"", 0
        deadline = time.monotonic() + self._limits.wall_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while total < _ANSWERS_LIMIT:
                ready = selector.select(max(0.0, deadline - time.monotonic()))
                if time.monotonic() >= deadline:
                    self._timed_out = True
                    return
                for key, _ in ready:
                    data = os.read(key.fd, _CHUNK)
                    if key.fd != self._answers:
                        self._keep(data)
                        if not data:
                            selector.unregister(key.fileobj)
                        continue
                    if not data:
                        return
                    total += len(data)
                    *lines, pending = (pending + data).split(b"\n")
                    for line in lines:
                        deadline = time.monotonic() + self._limits.wall_s
                        yield _parsed(line)

    def _keep(self, data: bytes) -> None:
        room = self._limits.output - len(self.output)
        self.output += data[: max(room, 0)].decode(errors="replace")

    def end(self) -> tuple[str, str]:
        """Kill what is left of the group; how the process ended, as code and message."""
        with suppress(subprocess.TimeoutExpired):
            if not self._timed_out:
                self._process.wait(1.0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        status = self._process.wait()
        os.close(self._answers)
        if self._process.stdout is not None:
            self._process.stdout.close()
        if self._timed_out:
            return "import-timeout", f"no end after {self._limits.wall_s:g} s"
        if status < 0:
            return "import-crash", f"the process was ended by {signal.Signals(-status).name}"
        return "import-crash", f"the process ended with status {status}"


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
