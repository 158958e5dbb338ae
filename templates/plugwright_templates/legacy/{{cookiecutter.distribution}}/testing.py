"""Seeds and reads the endpoint for the conformance suite, without the connector's own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["Endpoint"]


class Endpoint:
    """The system on the other side.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""
        raise NotImplementedError("start the system, return the settings that lead to it")

    def stop(self) -> None:
        """Take the endpoint down."""

    def seed(self, values: Sequence[str]) -> None:
        """Add values on the far side."""
        raise NotImplementedError("add the values, for a sink too: the endpoint itself is tried")

    def read_back(self) -> list[str]:
        """Every value on the far side, in order."""
        raise NotImplementedError("return the values, for the tests of a sink")

    def refuse(self) -> Sequence[str]:
        """Turn everybody away from now on; the words in which the system says so, if it can."""
        return ()

    def seed_foreign(self) -> Sequence[str]:
        """Add a value of an undeclared type; the words that the error must have, if it can."""
        return ()
