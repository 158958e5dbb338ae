"""Connectors and tasks in the form of the REST API."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.control_plane import (
    ConnectorInfo,
    ConnectorState,
    ConnectorStatus,
    TaskId,
    TaskInfo,
    TaskState,
)
from plugwright.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.herder.config_state import ConfigState
    from plugwright.herder.status_store import Status, StatusStore

RestartPlan = tuple[bool, "Sequence[int]"]


def connector_info(
    name: str, config: Mapping[str, str], state: ConfigState, kind: str
) -> ConnectorInfo:
    """A connector's configuration and tasks."""
    tasks = [TaskId(name, number) for number in sorted(state.task_configs.get(name, {}))]
    return ConnectorInfo(name, config, tasks, kind)


def task_infos(name: str, state: ConfigState) -> list[TaskInfo]:
    """The configurations of a connector's tasks."""
    configs = sorted(state.task_configs.get(name, {}).items())
    return [TaskInfo(TaskId(name, number), config) for number, config in configs]


def connector_status(
    name: str, store: StatusStore, kind: str, plan: RestartPlan = (False, ())
) -> ConnectorStatus:
    """The statuses of a connector and its tasks, with the parts of a restart plan as RESTARTING.

    Raises:
        NotFoundError: if the connector has no status.
    """
    status = store.connector(name)
    if status is None:
        raise NotFoundError(f"No status found for connector {name}", facts={"name": name})
    restarts, numbers = plan
    tasks = [
        replace(_task_state(number, task), state=_shown(task, number in numbers))
        for number, task in store.tasks(name).items()
    ]
    shown = ConnectorState(
        _shown(status, restarts), status.worker_id, status.trace or None, status.version or None
    )
    return ConnectorStatus(name, shown, tasks, kind)


def task_state(task: TaskId, store: StatusStore) -> TaskState:
    """The status of one task.

    Raises:
        NotFoundError: if the task has no status.
    """
    status = store.tasks(task.connector).get(task.task)
    if status is None:
        raise NotFoundError(f"No status found for task {task}", facts={"task": str(task)})
    return _task_state(task.task, status)


def _task_state(number: int, status: Status) -> TaskState:
    return TaskState(
        number, status.state, status.worker_id, status.trace or None, status.version or None
    )


def _shown(status: Status, restarts: bool) -> str:
    return "RESTARTING" if restarts else status.state
