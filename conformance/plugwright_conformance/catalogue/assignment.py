"""The task configuration of a running connector, which may change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright_conformance.evidence.outcome import NotRunError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.connector import Connector
    from plugwright.task import Task
    from plugwright_conformance.processes.virtual_time import VirtualTime

__all__ = ["TaskAssignment"]

_LOOKS, _LOOK_S, _BREATH_S = 120, 5.0, 0.02
"""Longer than the ten minutes after which many connectors look for changes."""


class TaskAssignment:
    """The configuration that a connector generates for its only task.

    Args:
        connector: a running connector with a `RecordingConnectorContext`.

    Attributes:
        tasks: all tasks created so far.
    """

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._context: Any = connector.context
        self._answered = 0
        self.tasks: list[Task] = []

    @property
    def is_renewed(self) -> bool:
        """Whether the connector has requested task reconfiguration."""
        return bool(self._context.reconfigurations > self._answered)

    def task(self) -> tuple[Task, Mapping[str, str]]:
        """A new, uninitialised task and its configuration.

        Raises:
            NotRunError: if the connector has no task, because there is nothing to do.
        """
        self._answered = self._context.reconfigurations
        configs = self._connector.task_configs(1)
        if not configs:
            raise NotRunError("the connector has no task, because its endpoint is empty")
        self.tasks.append(self._connector.task_class()())
        return self.tasks[-1], configs[0]

    def renewed(self) -> tuple[Task, Mapping[str, str]] | None:
        """The next task, if the connector has requested reconfiguration."""
        return self.task() if self.is_renewed else None

    def await_renewal(self, time: VirtualTime) -> bool:
        """Let time pass while the connector's threads may request reconfiguration; whether one did.

        The threads get a moment of real time before each look, because one may be in an endless
        call that takes no virtual time.
        """
        for _ in range(_LOOKS):
            time.skip(_LOOK_S)
            if not time.breathe(_BREATH_S) or self.is_renewed:
                break
        return self.is_renewed
