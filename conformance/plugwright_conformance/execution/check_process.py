"""A child process for checks that run plugin code; if it ends, the run continues.

The process is forked, so it starts with everything already prepared, and changes that a plugin
makes to the interpreter, threads and processes end with it. Verdicts are returned as plain data
(attack H08).
"""

from __future__ import annotations

import gc
import json
import os
from contextlib import contextmanager, suppress
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any, NoReturn

from plugwright.processes import ending, kill_group
from plugwright_conformance.evidence.outcome import CheckEnd
from plugwright_conformance.evidence.plain_result import plain_result, read_result
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.forked import Forked, fork
from plugwright_conformance.processes.time_budget import PROGRAMS_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult

    Ask = Callable[[str], CheckResult | None]
    Run = Callable[[str, Ask], CheckResult]

__all__ = ["CheckProcess", "CheckProcessLostError"]

_GRACE_S = 30.0  # ten of them for a call to return
_LOOK_S = 0.1


class CheckProcessLostError(Exception):
    """The process of a check ended, or was killed, before it returned a verdict.

    Attributes:
        ending: whether it hung, ended, or failed with an error of the suite.
    """

    def __init__(self, reason: str, ending: CheckEnd = CheckEnd.ENDED) -> None:
        super().__init__(reason)
        self.ending = ending


class CheckProcess:
    """Runs checks in a child process, one after the other, and replaces it after a crash.

    Args:
        run: runs the check of an id in the child; its argument returns the results of other checks.
        answer: returns, in this process, the results that the child requests.
        prepare: called first in every child process.
    """

    def __init__(self, run: Run, answer: Ask, prepare: Callable[[], None] | None = None) -> None:
        self._run, self._answer, self._prepare = run, answer, prepare
        self._child: _Child | None = None

    def start(self) -> None:
        """Fork now rather than for the first check."""
        self._started()

    def result(self, check: type[Check], patience_s: float) -> CheckResult:
        """The result of a check.

        Args:
            check: what to run.
            patience_s: the check's time limit in seconds; soon afterwards the process is killed.

        Raises:
            CheckProcessLostError: if its process ended, or had to be killed.
        """
        kept = False
        try:
            result, kept = self._started().result(check, patience_s + _GRACE_S, self._answer)
        finally:
            if not kept:
                self.close()
        return result

    def kill(self) -> None:
        """End the process while another thread waits for its result, which is lost."""
        if (child := self._child) is not None:
            child.kill()

    def close(self) -> None:
        """End the process; the next check gets a new one."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _started(self) -> _Child:
        self._child = self._child or _Child(self._run, self._prepare)
        return self._child

    @contextmanager
    def entered(self) -> Iterator[CheckProcess]:
        """This object, closed at the end of the block."""
        try:
            yield self
        finally:
            self.close()


class _Child:
    """The parent's view of the child process."""

    def __init__(self, run: Run, prepare: Callable[[], None] | None) -> None:
        self._line, theirs = Pipe()
        self._process = Forked(fork())
        if not self._process.pid:
            self._line.close()
            _serve(theirs, run, prepare)
        theirs.close()

    def result(
        self, check: type[Check], patience_s: float, answer: Ask
    ) -> tuple[CheckResult, bool]:
        """The result of a check, and whether the process can be reused."""
        with suppress(OSError):  # a process that has ended is noticed by its missing answer
            self._line.send_bytes(check.id.encode())
        while True:
            heard = self._hear(patience_s)
            if "broken" in heard:
                raise CheckProcessLostError(heard["broken"], CheckEnd.REGULAR)
            if "ask" not in heard:
                return _result(heard.get("result"), check), heard.get("keep") is True
            found = answer(str(heard["ask"]))
            with suppress(OSError):
                self._line.send_bytes(_packed({"answer": found and plain_result(found)}))

    def kill(self) -> None:
        """End it with all its child processes."""
        kill_group(self._process.pid)

    def close(self) -> None:
        """End it with all its child processes, and forget it."""
        self._line.close()
        kill_group(self._process.pid)
        self._process.end()

    def _hear(self, patience_s: float) -> dict[str, Any]:
        work_s = PROGRAMS_SHARE * patience_s
        patience = Patience(self._process.pid, patience_s, work_s=work_s)
        while not self._line.poll(_LOOK_S):
            if self._process.has_ended() and not self._line.poll():
                raise CheckProcessLostError(self._how_it_ended())
            if patience.left_s() < 0:
                raise CheckProcessLostError(
                    f"it could not be interrupted, and was killed after {patience_s:g} s",
                    CheckEnd.HUNG,
                )
        try:
            heard = json.loads(self._line.recv_bytes())
        except (EOFError, OSError):
            self._process.await_end()
            raise CheckProcessLostError(self._how_it_ended()) from None
        except ValueError as error:
            raise CheckProcessLostError("its process returned no verdict") from error
        return heard if isinstance(heard, dict) else {}

    def _how_it_ended(self) -> str:
        if self._process.code is None:
            return "its process closed the connection"
        return f"its process {ending(self._process.code)} before there was a verdict"


def _serve(line: Connection, run: Run, prepare: Callable[[], None] | None) -> NoReturn:
    """Run the requested checks until the parent closes the connection; never return."""
    me = os.getpid()
    gc.freeze()  # inherited Kafka clients have no threads here and must not be freed
    try:
        os.setsid()
        if prepare is not None:
            prepare()
        os.dup2(2, 1)  # results go to standard output, to which a plugin may print, too
        while True:
            desk = _ResultLookup(line)
            result = run(line.recv_bytes().decode(), desk.ask)
            if os.getpid() != me:
                break  # a fork of this process that the plugin has made
            line.send_bytes(_packed({"result": plain_result(result), "keep": not desk.waiting}))
    except (EOFError, BrokenPipeError):
        pass
    except BaseException as error:  # noqa: BLE001  # no exception may leave a forked process
        with suppress(Exception):
            if os.getpid() == me:
                line.send_bytes(_packed({"broken": f"{type(error).__name__}: {error}"}))
    finally:
        os._exit(0)


class _ResultLookup:
    """The child's access to the results of other checks.

    Attributes:
        waiting: whether an answer is outstanding, which the next check would mistake for its own.
    """

    def __init__(self, line: Connection) -> None:
        self._line = line
        self.waiting = False

    def ask(self, name: str) -> CheckResult | None:
        """The result of another check."""
        self.waiting = True
        self._line.send_bytes(_packed({"ask": name}))
        found = json.loads(self._line.recv_bytes())["answer"]
        self.waiting = False
        return None if found is None else read_result(found)


def _packed(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, default=str).encode()


def _result(found: Any, check: type[Check]) -> CheckResult:
    try:
        result = read_result(found)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckProcessLostError("its process returned no verdict") from error
    if result.id != check.id:
        raise CheckProcessLostError(f"its process returned the verdict of {result.id}")
    return result
