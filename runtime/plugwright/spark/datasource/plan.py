"""The plan of a connector, as picklable data for the Spark tasks that run its tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright._version import __version__
from plugwright.worker import TaskIdentity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.plugins import ClassReference
    from plugwright.spark.datasource.options import RowsOptions


@dataclass(frozen=True, slots=True)
class ConnectorPlan:
    """A connector that was validated, started, asked for task configurations, and stopped.

    Attributes:
        plugin: class name of the connector.
        version: of the plugin.
        task_class: the plugin's task.
        configs: the configuration of each task, references resolved.
        python_path: import path of the tasks.
        transforms: the settings of transformations and predicates.
        transform_classes: the classes that these settings name.
        runtime: the version of Plugwright that made the plan.
        options: of the data source.
    """

    plugin: str
    version: str
    task_class: ClassReference
    python_path: tuple[str, ...]
    options: RowsOptions
    configs: tuple[Mapping[str, str], ...] = field(repr=False)
    transforms: Mapping[str, str] = field(default_factory=dict, repr=False)
    transform_classes: Mapping[str, ClassReference] = field(default_factory=dict)
    runtime: str = __version__

    def identity(self, number: int) -> TaskIdentity:
        """The identity of a task, for errors."""
        return TaskIdentity(
            self.plugin.rpartition(".")[2],
            number,
            self.task_class.class_name,
            self.version,
            self.task_class.location,
        )
