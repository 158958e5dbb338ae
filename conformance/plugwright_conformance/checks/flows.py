"""The order in which numbered values arrive, of each partition or key by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from plugwright_conformance.evidence.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

COUNT: Final = 20
"""How many values there are."""

KEYS: Final = 4
"""How many keys these have in turn."""

_LIKELY = "what has failed is tried again after newer values"


def require_order(flows: Mapping[Hashable, Sequence[int]], scope: str, scenario: str) -> None:
    """The values of each scope arrive for the last time in the order of their numbers.

    A value that comes before an older one is put right where the older one brings it along again.
    """
    for flow in flows.values():
        last = list(dict.fromkeys(reversed(flow)))[::-1]
        wrong = next(((early, late) for early, late in pairwise(last) if early > late), None)
        if wrong is not None:
            raise CheckFailedError(
                expected=f"value {wrong[1]} before value {wrong[0]} of the same {scope}",
                observed=f"value {wrong[1]} after value {wrong[0]}",
                scenario=scenario,
                likely=_LIKELY,
            )


def require_last(flows: Mapping[Hashable, Sequence[int]], scope: str, scenario: str) -> None:
    """Where a value replaces the one before, the last one of each key has stayed."""
    if scope != "key":
        return
    for key, flow in flows.items():
        last = max(number for number in range(COUNT) if number % KEYS == key)
        if flow[-1] != last:
            raise CheckFailedError(
                expected=f"value {last}, the last of its key",
                observed=f"value {flow[-1]}",
                scenario=scenario,
                likely=_LIKELY,
            )
