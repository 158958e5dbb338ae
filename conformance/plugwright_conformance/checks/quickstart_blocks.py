"""The blocks of a README that are marked as its quickstart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Sequence

_BLOCK = re.compile(
    r"^```(?P<language>\w+) quickstart *\n(?P<text>.*?)^``` *$", re.MULTILINE | re.DOTALL
)
_HOW = (
    "mark Python code as ```python quickstart, and what the last block prints as ```text quickstart"
)
_ANYTHING = "..."


class Quickstart(NamedTuple):
    """The marked blocks of a README.

    Attributes:
        code: Python, in order.
        output: what the last of it prints.
    """

    code: Sequence[str]
    output: str


def quickstart_of(readme: str) -> Quickstart:
    """The marked blocks.

    Raises:
        CheckFailedError: if the output of the last block is not stated.
        NotApplicableError: if there are none.
    """
    blocks = [(found["language"], found["text"]) for found in _BLOCK.finditer(readme)]
    if not blocks:
        raise NotApplicableError(f"no block of the README is marked as its quickstart: {_HOW}")
    code = [text for language, text in blocks if language == "python"]
    language, output = blocks[-1]
    if not code or language != "text" or not output.replace(_ANYTHING, "").strip():
        raise CheckFailedError(
            expected="blocks of Python, and after the last of them a block with what it prints",
            observed=", ".join(language for language, _ in blocks),
            scenario="the blocks that the README marks as its quickstart",
            likely=_HOW,
        )
    return Quickstart(code, output)


def agrees(stated: str, printed: str) -> bool:
    """Whether an output is the stated one, in which three dots stand for anything."""
    parts = [re.escape(part) for part in stated.strip().split(_ANYTHING)]
    return re.fullmatch(".*".join(parts), printed.strip(), re.DOTALL) is not None
