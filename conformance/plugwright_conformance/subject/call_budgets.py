"""Time budgets for API calls that checks repeat."""

from __future__ import annotations

import functools
import time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["CALL_BUDGETS_S", "IDLE_POLL_S", "unhurried"]

IDLE_POLL_S = 2.5
"""Of a poll that finds nothing; it may wait for something to come."""

_ANSWER_S, _STEP_S = 0.05, 0.5

CALL_BUDGETS_S: Mapping[str, float] = MappingProxyType(
    {
        "version": _ANSWER_S,
        "config": _ANSWER_S,
        "validate": _STEP_S,
        "start": _STEP_S,
        "task_configs": _STEP_S,
        "poll": _STEP_S,
        "commit": _STEP_S,
        "open": _STEP_S,
        "put": _STEP_S,
        "flush": _STEP_S,
        "close": _STEP_S,
        "stop": _STEP_S,
    }
)
"""Seconds for each call, on average over a check, with an endpoint that answers.

Every check's own budget has room for all of its calls at this pace. Where a check makes a call
once, against an endpoint that is silent or gone, it may take longer; its page says how long.
"""

_SHARE = 0.8
_C = TypeVar("_C", bound=type)


def unhurried(cls: _C) -> _C:
    """Make a connector or a task take four fifths of the budget in each of its calls."""
    for name, budget_s in CALL_BUDGETS_S.items():
        if hasattr(cls, name):
            setattr(cls, name, _slow(getattr(cls, name), budget_s, idle=name == "poll"))
    return cls


def _slow(call: Callable[..., Any], budget_s: float, *, idle: bool) -> Callable[..., Any]:
    @functools.wraps(call)
    def slow(*arguments: Any) -> Any:
        result = call(*arguments)
        time.sleep(_SHARE * (IDLE_POLL_S if idle and not result else budget_s))
        return result

    return slow
