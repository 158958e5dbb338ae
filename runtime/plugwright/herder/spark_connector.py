"""A started connector: its instance in a plugin process, its tasks on Spark."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from plugwright.errors import ConnectError
from plugwright.herder._worker_interface import TASK_CLASS, TaskUpdate
from plugwright.herder.delivery import delivery_fields, for_task
from plugwright.herder.engine_config import is_streamed, stream_settings
from plugwright.herder.stream_tasks import StreamTasks
from plugwright.hosts import TaskPlan
from plugwright.plugins import JAVA_NAMES, SINK, ClassReference
from plugwright.spark import TaskSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._references import References
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.herder._worker_interface import TaskListener
    from plugwright.herder.context import HerderContext
    from plugwright.plugins import PluginDescriptor
    from plugwright.spark import ResidentJob, StreamJob, StreamSettings, TaskStatus

log = logging.getLogger(__name__)


class TaskLauncher(Protocol):
    """Launches tasks on Spark; `plugwright.spark.SparkLauncher` implements it."""

    def prepare(self, python_paths: Sequence[str]) -> None:
        """Warm up the Python workers for these paths, and wait for them."""

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> ResidentJob:
        """Launch tasks of one connector; waits while Spark is still starting."""

    def launch_stream(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        settings: StreamSettings,
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> StreamJob:
        """Run the tasks of a sink connector in a streaming query."""

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants in the processes of all tasks."""


class SparkTasks:
    """Tasks of a connector that form one Spark job."""

    def __init__(self, job: ResidentJob) -> None:
        self.job = job

    def pause(self) -> None:
        """Ask every task to pause."""
        self.job.pause()

    def resume(self) -> None:
        """Ask every task to resume."""
        self.job.resume()

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """Stop tasks, or all, by force after the time-out; whether they ended by themselves."""
        return self.job.stop(timeout_s, tasks)

    def forget_topics(self, before_ms: int) -> None:
        """Forget topics last used before a time in milliseconds since the epoch."""
        self.job.forget_topics(before_ms)

    def topics(self) -> Mapping[int, Collection[str]]:
        """The topics that each task has used since the last reset, also after it has stopped."""
        return self.job.topics

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """Each task's counters since its launch, and its recent rates."""
        return self.job.counters


class SparkConnector:
    """A connector that can be started, or that only hosts tasks here.

    Args:
        worker: the worker's settings.
        launcher: launches its tasks on Spark.
        check: validates and creates a new instance; called at once, and again on every resume.
        context: the connector's context; ``None`` if the connector is not started here.
        references: the config provider references in its configuration.
    """

    def __init__(
        self,
        worker: WorkerConfig,
        launcher: TaskLauncher,
        check: Callable[[], CheckedConnector],
        context: HerderContext | None,
        references: References,
    ) -> None:
        self._references = references
        self._worker = worker
        self._launcher = launcher
        self._check = check
        self._context = context
        self._plan: TaskPlan | None = None
        self._paused_spec: TaskSpec | None = None
        self._checked = check()
        self._stream = StreamTasks(self._launch_stream) if self._is_streamed() else None
        self._started = False

    @property
    def version(self) -> str:
        """The version of its plugin."""
        return self._checked.plugin.version

    @property
    def supplied(self) -> Mapping[str, str]:
        """The values that config providers supplied at the start, each with its reference."""
        return self._checked.supplied

    @property
    def pids(self) -> tuple[int, ...]:
        """The driver processes that it runs in."""
        return self._checked.connector.pids

    def start(self) -> None:
        """Start the connector itself.

        Raises:
            ConnectError: if it fails to start.
        """
        assert self._context is not None  # noqa: S101  # else nothing starts, pauses or resumes it
        self._started = True
        try:
            self._checked.connector.start(self._context)
        except BaseException:
            self.stop()
            raise

    def pause(self) -> None:
        """Stop the connector itself; its tasks are paused separately.

        Generates task configurations first, so that tasks can be launched while it is stopped.

        Raises:
            ConnectError: if it fails to generate them.
        """
        self._paused_spec = self._common_spec()
        self.stop()

    def resume(self) -> None:
        """Start the connector itself again, or for the first time.

        Raises:
            ConnectError: if it fails to start.
        """
        if not self._started:
            self._checked.connector.stop()
        self._checked = self._check()
        self.start()
        self._paused_spec = None

    def task_configs(self) -> Sequence[Mapping[str, str]]:
        """Generate the task configurations.

        Raises:
            ConnectError: if it fails, or generates more tasks than allowed.
        """
        config = self._checked.config
        plan = self._plan
        if plan is None or self._paused_spec is None:
            plan = self._plan = self._checked.connector.tasks(config.tasks_max)
        if len(plan.configs) > config.tasks_max:
            message = (
                f"The connector {config.name} has generated {len(plan.configs)} tasks, which is "
                f"greater than {config.tasks_max}, the maximum number of tasks it is configured "
                "to create."
            )
            if config.tasks_max_enforced:
                raise ConnectError(
                    message,
                    code="connector.too-many-tasks",
                    hint="correct task_configs, or raise tasks.max",
                )
            log.warning("%s They run because tasks.max.enforce is false.", message)
        task_class = f"{plan.task_class.module}.{plan.task_class.qualname}"
        configs = [self._references.restored(each, self._checked.supplied) for each in plan.configs]
        return [{**task_config, TASK_CLASS: task_class} for task_config in configs]

    def launch(
        self,
        name: str,
        configs: Mapping[int, Mapping[str, str]],
        listener: TaskListener,
        *,
        paused: bool = False,
    ) -> SparkTasks | StreamTasks:
        """Run tasks, each as a task of one new Spark job, or all in a streaming query.

        Paused tasks start when they are resumed.

        Raises:
            ConfigError: if a config provider in their configurations fails.
        """

        def heard(number: int, status: TaskStatus) -> None:
            listener(number, TaskUpdate(status.state, status.trace, status.topics))

        if not self._started:
            self._take_class(next(iter(configs.values()))[TASK_CLASS])
        common = replace(self._common_spec(), paused=paused)
        specs = [self._spec(common, number, config) for number, config in configs.items()]
        if self._stream is not None:
            self._stream.start(name, specs, listener)
            return self._stream
        job = self._launcher.launch(name, specs, python_path=self._python_path(), listener=heard)
        return SparkTasks(job)

    def stop(self) -> None:
        """Stop the connector itself; its exceptions are ignored."""
        self._checked.connector.stop()
        if self._context is not None:
            self._context.end()

    def _take_class(self, named: str) -> None:
        """Determine the task class of a connector that does not run here.

        A worker of Kafka Connect stored Java's name. Unless it is one of Kafka's own, only the
        connector knows the corresponding Python class, so it is started for a moment.
        """
        plugin, ours = self._checked.plugin, JAVA_NAMES.get(named, named)
        own = plugin.class_name.partition(".")[0]
        if self._context is None or ours.partition(".")[0] == own:
            self._plan = TaskPlan(_task_class(ours, plugin), ())
        else:
            self.start()
            self.pause()

    def _is_streamed(self) -> bool:
        checked = self._checked
        return checked.plugin.type is SINK and is_streamed(checked.config.originals)

    def _launch_stream(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        heard: Callable[[int, TaskStatus], None],
    ) -> StreamJob:
        return self._launcher.launch_stream(
            name,
            specs,
            stream_settings(self._worker, self._checked.config.originals),
            python_path=self._python_path(),
            listener=heard,
        )

    def _python_path(self) -> str:
        return os.pathsep.join(self._checked.connector.python_path)

    def _spec(self, common: TaskSpec, number: int, config: Mapping[str, str]) -> TaskSpec:
        """The spec of one task, with its configuration resolved."""
        settings, secrets = self._references.resolved(config)
        known = {*self._checked.supplied, *secrets}
        errors = replace(common.errors, hidden=tuple(sorted(known)))
        return for_task(replace(common, errors=errors), number, settings)

    def _common_spec(self) -> TaskSpec:
        """The part of the spec that all tasks share, with chain and converters determined once."""
        if self._paused_spec is not None:
            return self._paused_spec
        if self._plan is None:
            self.task_configs()
        assert self._plan is not None  # noqa: S101  # just asked for
        config, plugin, worker = self._checked.config, self._checked.plugin, self._worker
        around = self._checked.connector.surroundings()
        spec = TaskSpec(
            connector=config.name,
            task=0,
            kind=plugin.type.name,
            task_class=self._plan.task_class,
            version=plugin.version,
            location=self._plan.task_class.location,
            config={},
            bootstrap_servers=worker.bootstrap_servers,
            key_converter=around.converters["key.converter"],
            value_converter=around.converters["value.converter"],
            header_converter=around.converters["header.converter"],
            transforms=around.transforms,
            transform_classes=around.transform_classes,
            stage_paths=around.paths,
            topics=config.topics,
            topics_regex=config.topics_regex,
            offsets_topic=worker.offsets_topic,
            offsets_shape=worker.offsets_shape,
            flush_interval_s=worker.flush_interval_s,
            flush_timeout_s=worker.flush_timeout_s,
            flush_max_records=worker.flush_max_records,
            startup_timeout_s=worker.startup_timeout_s,
            call_warning_s=worker.call_timeout_s,
            memory_limit=worker.memory_limit,
        )
        return replace(spec, **delivery_fields(worker, config, sink=plugin.type is SINK))


def _task_class(class_name: str, plugin: PluginDescriptor) -> ClassReference:
    """Find the task class by name; a capitalised component marks an enclosing class."""
    parts = class_name.split(".")
    first = next((n for n, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    location = "" if plugin.location is None else str(plugin.location.path.resolve())
    return ClassReference(
        ".".join(parts[:first]),
        ".".join(parts[first:]),
        version=plugin.version,
        location=location,
    )
