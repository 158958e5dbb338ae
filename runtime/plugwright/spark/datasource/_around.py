"""What stands around a task within a query: its transformations, and what becomes of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.transforms import TransformationChain
from plugwright.worker import ErrorHandler, ErrorLog, Origin, TaskControl, Transformations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.spark.datasource._plan import ConnectorPlan

__all__ = ["Around"]


class Around:
    """The transformations of one task, which obey the ``errors.*`` settings (KIP-298).

    Attributes:
        handler: decides about failures of the task's own.

    Raises:
        ConfigError: if a transformation refuses its settings.
        PluginError: if one fails.
    """

    def __init__(self, plan: ConnectorPlan, number: int) -> None:
        identity, errors = plan.identity(number), plan.options.errors
        self.handler = ErrorHandler(identity, TaskControl(), errors)
        if errors.log:
            report = ErrorLog(identity, self.handler.counters, messages=errors.log_messages)
            self.handler = ErrorHandler(
                identity, TaskControl(), errors, reporters=[report], counters=self.handler.counters
            )
        self._chain: TransformationChain[Any] = TransformationChain.compile(
            plan.transforms, lambda name: plan.transform_classes[name].load()
        )
        self._steps = Transformations(self._chain or None, self.handler)

    def transformed(self, records: Sequence[Any]) -> list[Any]:
        """The records after the chain, without those that were dropped or are left out.

        Raises:
            ConnectError: if one fails and that is not tolerated.
        """
        if not self._steps:
            return list(records)
        changed: list[Any] = []
        rest = iter(records)
        while (halt := self._steps.run(rest, changed)) is not None:
            changed.append(self._steps.go_on(halt, Origin(record=records[len(changed)])))
        return [record for record in changed if record is not None]

    def close(self) -> None:
        """Close the transformations."""
        self._chain.close()
