"""Wraps the plugin under the task loop: current call and raised exceptions."""

from __future__ import annotations

import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright.errors import PluginError
    from plugwright.worker import TaskIdentity
    from plugwright_conformance.simulator.calls import EndpointCalls


@dataclass(frozen=True, slots=True)
class Crossing:
    """One exception raised by the plugin.

    Attributes:
        phase: the method that raised it.
        kind: its class.
        is_connect: whether the contract has it.
    """

    phase: str
    kind: str
    message: str
    place: str
    is_connect: bool

    def __str__(self) -> str:
        return f"{self.kind}: {self.message} out of {self.phase}() from {self.place}"


class WatchedIdentity:
    """A task identity that records every call into the plugin.

    Attributes:
        crossings: the exceptions so far.
        phase: the method that was called last.
    """

    def __init__(self, identity: TaskIdentity, calls: EndpointCalls) -> None:
        self._identity = identity
        self._calls = calls
        self.crossings: list[Crossing] = []
        self.phase = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._identity, name)

    def __str__(self) -> str:
        return str(self._identity)

    @contextmanager
    def calling(self, phase: str) -> Iterator[None]:
        """Guard one call as the loop's own identity does."""
        self.phase = phase
        with self._identity.calling(phase):
            try:
                with self._calls.watched():
                    yield
            except BaseException as error:
                self.crossings.append(_crossing(phase, error))
                raise

    def failure(self, phase: str, error: BaseException) -> PluginError:
        """The error for something that the loop has caught itself."""
        if error.__traceback__ is not None and phase in {"commit", "commit_record"}:
            self.crossings.append(_crossing(phase, error))
        return self._identity.failure(phase, error)


def _crossing(phase: str, error: BaseException) -> Crossing:
    frames = [(f.f_code.co_filename, line) for f, line in traceback.walk_tb(error.__traceback__)]
    own = [frame for frame in frames if "plugwright_conformance" not in frame[0]] or frames
    place = f"{Path(own[-1][0]).name}:{own[-1][1]}" if own else "nowhere"
    return Crossing(phase, type(error).__name__, str(error), place, isinstance(error, ConnectError))
