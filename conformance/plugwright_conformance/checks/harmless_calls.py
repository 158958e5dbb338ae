"""Calls to the endpoint before which nothing was done that may have to be done again."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright_conformance.simulator import Call


def first_calls(calls: Sequence[Call]) -> tuple[list[int], list[int]]:
    """The first call of each poll, put and commit: those without effect, and commits after a put.

    Before the former nothing was done that may have to be done again. Those of a poll change
    nothing. Before the first one of a put nothing of its batch was written, before the first one
    of a commit nothing at all if no put since the last commit made any. Of a task with threads of
    its own it is unknown what they have done by then.
    """
    if any(call.own_thread for call in calls):
        return [], []
    found: list[int] = []
    after_puts: list[int] = []
    written = False
    for (phase, _), group in groupby(enumerate(calls), lambda each: (each[1].phase, each[1].at)):
        first, _ = next(group)
        if phase in {"poll", "put"} or (phase == "pre_commit" and not written):
            found.append(first)
        elif phase == "pre_commit":
            after_puts.append(first)
        written = phase == "put" or (written and phase != "pre_commit")
    return found, after_puts


def is_first(calls: Sequence[Call], struck_calls: Sequence[Call], number: int) -> bool:
    """Whether the call that failed is the one that was meant: answers come in any number of parts.

    Args:
        calls: of a life without a fault.
        struck_calls: of the life in which one has failed.
        number: of that call.
    """
    same = [(call.name, call.phase) for call in calls[: number + 1]]
    return same == [(call.name, call.phase) for call in struck_calls[: number + 1]]
