"""Runs a function in a new Python process that imports from a location."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.processes.cpu_share import Patience
from plugwright_conformance.processes.plugin_environment import furnish, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.subject.subject import Subject

__all__ = ["NoReportError", "run_alone", "run_isolated"]

_TIMEOUT_S = 30.0
_LOOK_S = 0.2
_WITHOUT_TASK = frozenset({"watch-import", "describe-config", "plan-tasks", "run-blocks"})
ELSEWHERE: Mapping[str, str] = MappingProxyType({"LC_ALL": "C", "TZ": "AHEAD-14"})
"""What the environment says on a machine without UTF-8, fourteen hours ahead of UTC."""


class NoReportError(Exception):
    """The process ended without a report, so there is nothing to judge by."""


def run_isolated(  # what runs, where, and with what
    subject: Subject,
    step: str,
    scenario: str,
    *,
    elsewhere: bool = False,
    hash_seed: int | None = None,
    **arguments: Any,
) -> Mapping[str, Any]:
    """Run a step of `processes.child`, or one with a task of `simulator.task_steps`.

    Args:
        subject: its location goes onto the child's import path.
        step: name of the step.
        scenario: what the step does, for the text of a failure.
        elsewhere: whether that is a machine of other habits, see `ELSEWHERE`.
        hash_seed: of the process; by default Python takes one at random, as on every machine.
        arguments: plain data for it.

    Returns:
        What the step has reported.

    Raises:
        CheckFailedError: if the plugin raised there, or did not come to an end.
        NoReportError: if the process ended in any other way without a report.
    """
    options = ["-I"] if hash_seed is None else ["-P", "-s"]  # isolated, Python reads no seed
    options += ["-X", "utf8=0"] if elsewhere else []
    command = [sys.executable, *options, "-c", _script(step), str(subject.root.resolve()), step]
    habits: Mapping[str, Any] = {}
    if elsewhere:
        habits = {"env": {**os.environ, **ELSEWHERE}, "cwd": "/", "umask": 0o077}
    if hash_seed is not None:
        plain = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        habits = {**habits, "env": {**plain, "PYTHONHASHSEED": str(hash_seed)}}
    return _report(command, scenario, arguments, **habits)


def _script(step: str) -> str:
    """Runs the child with this very suite and runtime, wherever they were imported from.

    A step without a task imports no more than it must, as it may look at what an import does.
    """
    module = "processes.child" if step in _WITHOUT_TASK else "simulator.task_steps"
    places = [place_of("plugwright_conformance"), place_of("plugwright")]
    return (
        f"import sys; sys.path[:0] = {places!r}\n"
        f"from plugwright_conformance.{module} import main; main()"
    )


def run_alone(
    subject: Subject, directory: Path, step: str, scenario: str, **arguments: Any
) -> Mapping[str, Any]:
    """As `run_isolated`, with nothing to import but the plugin, the API and what it requires.

    Args:
        subject: the plugin.
        directory: an empty one, which becomes that environment.
        step: name of the step.
        scenario: what the step does, for the text of a failure.
        arguments: plain data for it.

    Raises:
        CheckFailedError: if the plugin raised there, or did not come to an end.
        NotRunError: if a required distribution is not installed here.
        NoReportError: if the process ended in any other way without a report.
    """
    furnish(subject, directory)
    script = Path(__file__).with_name("alone.py")
    command = [sys.executable, "-I", "-S", str(script), str(directory), step]
    return _report(command, scenario, arguments)


def _report(
    command: Sequence[str], scenario: str, arguments: Mapping[str, Any], **habits: Any
) -> Mapping[str, Any]:
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile("w+", encoding="utf-8") as question:  # a pipe may be full
        json.dump(arguments, question)
        question.seek(0)
        with subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
            command, stdin=question, stdout=pipe, stderr=pipe, text=True, **habits
        ) as process:
            said, trouble = _answer(process, scenario)
    try:
        report: Mapping[str, Any] = json.loads(said)
    except ValueError as error:
        last = (trouble.strip().splitlines() or ["no output"])[-1]
        raise NoReportError(f"{scenario}: exit {process.returncode}, no report: {last}") from error
    if "raised" in report:
        raise CheckFailedError(
            expected="the same to work there", observed=report["raised"], scenario=scenario
        )
    return report


def _answer(process: subprocess.Popen[str], scenario: str) -> tuple[str, str]:
    """The output of the process, the start and the end of it.

    Raises:
        CheckFailedError: if it does not come to an end; waiting for a core does not count.
    """
    patience = Patience(process.pid, _TIMEOUT_S)
    while True:
        try:
            return process.communicate(timeout=_LOOK_S)
        except subprocess.TimeoutExpired as error:
            if patience.left_s() < 0:
                process.kill()
                raise CheckFailedError(
                    f"an answer within {_TIMEOUT_S:g} s", observed="none", scenario=scenario
                ) from error
