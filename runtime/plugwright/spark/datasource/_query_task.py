"""A task in a query, with the environment that a worker would otherwise provide it with."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.spark.datasource._codec import RowsCodec
from plugwright.transforms import TransformationChain
from plugwright.worker import Conversion, TaskControl, TaskEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from plugwright.spark.datasource.plan import ConnectorPlan
    from plugwright.worker import TaskIdentity


@dataclass(slots=True)
class QueryTask:
    """One task and the environment of its loop. Also receives the loop's status.

    Attributes:
        clock: of the loop.
        task: a new instance of the plugin's task.
        environment: of its loop.
        error: the error that failed the task.

    Raises:
        ConfigError: if a transformation rejects its settings.
        PluginError: if the task cannot be created, or a transformation fails.
    """

    plan: ConnectorPlan
    number: int
    stack: ExitStack
    control: TaskControl = field(default_factory=TaskControl)
    clock: Callable[[], float] = time.monotonic
    identity: TaskIdentity = field(init=False)
    task: Any = field(init=False)
    environment: TaskEnvironment = field(init=False)
    error: Exception | None = None

    def __post_init__(self) -> None:
        plan = self.plan
        self.identity = plan.identity(self.number)
        with self.identity.calling("constructor"):
            self.task = plan.task_class.load()()
        chain: TransformationChain[Any] = TransformationChain.compile(
            plan.transforms, lambda name: plan.transform_classes[name].load()
        )
        self.stack.callback(chain.close)
        self.environment = TaskEnvironment(
            identity=self.identity,
            configs=plan.configs[self.number],
            conversion=Conversion(RowsCodec(), chain or None),
            control=self.control,
            status=self,
            clock=self.clock,
        )

    def running(self) -> None:
        """Do nothing: a query does not report states."""

    def paused(self) -> None:
        """As before."""

    def stopped(self) -> None:
        """As before."""

    def failed(self, error: Exception) -> None:
        """Keep the error with which the query fails."""
        self.error = error
