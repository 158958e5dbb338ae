"""A task in a query with the loop interfaces that a worker and Kafka would otherwise provide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.spark.datasource._codec import RowsCodec
from plugwright.transforms import TransformationChain
from plugwright.worker import TaskControl

if TYPE_CHECKING:
    from contextlib import ExitStack

    from plugwright.spark.datasource._plan import ConnectorPlan
    from plugwright.worker import TaskIdentity


@dataclass(slots=True)
class QueryTask:
    """One task and the interfaces of its loop. Also receives the loop's status.

    Attributes:
        task: a new instance of the plugin's task.
        error: the error that failed the task.

    Raises:
        ConfigError: if a transformation rejects its settings.
        PluginError: if the task cannot be created, or a transformation fails.
    """

    plan: ConnectorPlan
    number: int
    stack: ExitStack
    control: TaskControl = field(default_factory=TaskControl)
    identity: TaskIdentity = field(init=False)
    task: Any = field(init=False)
    seams: dict[str, Any] = field(init=False)
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
        self.seams = {
            "identity": self.identity,
            "configs": plan.configs[self.number],
            "codec": RowsCodec(),
            "transform": chain or None,
            "control": self.control,
            "status": self,
        }

    def running(self) -> None:
        """Do nothing: a query does not report states."""

    def paused(self) -> None:
        """As before."""

    def stopped(self) -> None:
        """As before."""

    def failed(self, error: Exception) -> None:
        """Keep the error with which the query fails."""
        self.error = error
