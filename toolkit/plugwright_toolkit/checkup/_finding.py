"""Findings about the environment, and running many checks within a time limit."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Condition(Enum):
    """The condition of a part of the environment."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class EnvironmentFinding:
    """One part of the environment.

    Attributes:
        found: the observation.
        hint: how to fix it, unless it is fine.
    """

    name: str
    condition: Condition
    found: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class EnvironmentCheck:
    """A check of the environment.

    Attributes:
        ask: returns the findings; may raise.
        seconds: time limit.
        late: the condition if it takes longer.
        hint: what to do then.
    """

    name: str
    ask: Callable[[], Sequence[EnvironmentFinding]]
    seconds: float = 8.0
    late: Condition = Condition.WARN
    hint: str = "try again when the machine is less busy"


def examine(checks: Sequence[EnvironmentCheck]) -> list[EnvironmentFinding]:
    """The findings of checks, in their order; all run at once.

    A check that fails or is not done in time becomes a finding itself.
    """
    answers: dict[str, Sequence[EnvironmentFinding]] = {}

    def ask(check: EnvironmentCheck) -> None:
        answers[check.name] = _answer(check)

    # Daemons, because a check that hangs must not keep the process from ending.
    threads = [threading.Thread(target=ask, args=(each,), daemon=True) for each in checks]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for check, thread in zip(checks, threads, strict=True):
        thread.join(max(0.0, started + check.seconds - time.monotonic()))
    done = dict(answers)
    return [finding for each in checks for finding in done.get(each.name) or [_late(each)]]


def _answer(check: EnvironmentCheck) -> Sequence[EnvironmentFinding]:
    try:
        return check.ask()
    except ConnectError as error:
        return [EnvironmentFinding(check.name, Condition.FAIL, str(error), error.hint)]
    except Exception as error:  # noqa: BLE001  # a broken check hides no other
        text = f"could not be checked: {type(error).__name__}: {error}"
        return [EnvironmentFinding(check.name, Condition.WARN, text, "report this")]


def _late(check: EnvironmentCheck) -> EnvironmentFinding:
    return EnvironmentFinding(
        check.name, check.late, f"no answer within {check.seconds:g} s", check.hint
    )
