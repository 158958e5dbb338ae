"""Running one step in a fresh Python process that knows the location, and nothing of this one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from plugwright_conformance.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.subject import Subject

__all__ = ["run_isolated"]

_TIMEOUT_S = 30.0


def run_isolated(subject: Subject, step: str, **arguments: Any) -> Mapping[str, Any]:
    """Run a step of `plugwright_conformance.child` and return what it reported.

    Args:
        subject: its location goes onto the child's import path.
        step: name of the step.
        arguments: plain data for it.

    Raises:
        CheckFailedError: if the process does not report, with the end of its error output.
    """
    command = [sys.executable, "-I", "-m", "plugwright_conformance.child", str(subject.root), step]
    try:
        done = subprocess.run(  # noqa: S603  # our own module in our own interpreter
            command,
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CheckFailedError(
            expected=f"an answer within {_TIMEOUT_S:g} s", observed="none", scenario=step
        ) from error
    for line in done.stdout.splitlines():
        if line.startswith("REPORT "):
            report: Mapping[str, Any] = json.loads(line.removeprefix("REPORT "))
            return report
    last = (done.stderr.strip().splitlines() or ["no output"])[-1]
    raise CheckFailedError(
        expected="the step to work in a fresh process",
        observed=f"exit {done.returncode}: {last}",
        scenario=step,
    )
