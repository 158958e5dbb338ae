"""One started connector: its instance in a location's process, its tasks on Spark."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from plugwright.errors import ConnectError
from plugwright.herder._delivery import delivery_fields, for_task
from plugwright.herder._engine_config import is_streamed, stream_settings
from plugwright.herder._seams import TASK_CLASS, TaskNews
from plugwright.herder._stream_tasks import StreamTasks
from plugwright.hosts import TaskPlan
from plugwright.plugins import JAVA_NAMES, SINK, ClassReference
from plugwright.spark import TaskSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._context import HerderContext
    from plugwright.herder._references import References
    from plugwright.herder._seams import TaskListener
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor
    from plugwright.spark import ResidentJob, StreamJob, StreamSettings, TaskStatus

log = logging.getLogger(__name__)


class TaskLauncher(Protocol):
    """Puts tasks onto Spark; `plugwright.spark.SparkLauncher` is one."""

    def prepare(self, python_paths: Sequence[str]) -> None:
        """Have the first task of each of these begin as fast as any other; waits for that."""

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> ResidentJob:
        """Start some tasks of one connector; waits for Spark where that is still starting."""

    def launch_stream(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        settings: StreamSettings,
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None] | None = None,
    ) -> StreamJob:
        """Run the tasks of a sink connector by a streaming query."""

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of the loggers of a name and below in the processes of all tasks."""


class SparkTasks:
    """Some tasks of a connector, as one Spark job."""

    def __init__(self, job: ResidentJob) -> None:
        self.job = job

    def pause(self) -> None:
        """Ask every task to hold still."""
        self.job.pause()

    def resume(self) -> None:
        """Ask every task to go on."""
        self.job.resume()

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """Stop these tasks, or all, by force after a while; whether they ended by themselves."""
        return self.job.stop(timeout_s, tasks)

    def forget_topics(self) -> None:
        """Have every task tell of its topics anew, once it uses them again."""
        self.job.forget_topics()

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """What each task has counted since its launch, and its figures of the recent past."""
        return self.job.counters


class SparkConnector:
    """A connector that can be started, or one whose tasks alone run here.

    Args:
        worker: the worker's settings.
        launcher: puts its tasks onto Spark.
        check: makes a fresh instance; called at once, and again whenever it is resumed.
        context: what the connector may ask of the herder; ``None`` for one that is not started.
        references: those in its configuration.
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
        """Of its plugin."""
        return self._checked.plugin.version

    @property
    def supplied(self) -> Mapping[str, str]:
        """What config providers put in place of references when it was started, with these."""
        return self._checked.supplied

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes on the driver that it runs in."""
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
        """Stop the connector itself; its tasks are paused apart from it.

        What it says of its tasks is asked before: they may be started, paused, while it is stopped.

        Raises:
            ConnectError: if it fails to say that.
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
        """Ask the connector how its work is to be divided.

        Raises:
            ConnectError: if it fails, or wants more tasks than it may have.
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
                    hint="mend task_configs, or raise tasks.max",
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
        """Run these tasks, each as a task of one new Spark job, or all by a streaming query.

        Those that are paused do not begin before they are resumed.

        Raises:
            ConfigError: if a config provider fails that their configurations refer to.
        """

        def heard(number: int, status: TaskStatus) -> None:
            listener(number, TaskNews(status.state, status.trace, status.topics))

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
        """Stop the connector itself; what it raises changes nothing."""
        self._checked.connector.stop()
        if self._context is not None:
            self._context.end()

    def _take_class(self, named: str) -> None:
        """Find the class of tasks whose connector does not run here.

        A worker of Kafka Connect stored Java's name. Where that is not one of Kafka's own, only the
        connector knows which class of ours it is, so it is started for a moment.
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
        """That of one task, its configuration resolved."""
        settings, secrets = self._references.resolved(config)
        known = {*self._checked.supplied, *secrets}
        errors = replace(common.errors, hidden=tuple(sorted(known)))
        return for_task(replace(common, errors=errors), number, settings)

    def _common_spec(self) -> TaskSpec:
        """What all tasks share; the chain and the converters are settled once."""
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
    """The class that a task configuration names; a class within a class is found by its capital."""
    parts = class_name.split(".")
    first = next((n for n, part in enumerate(parts) if part[:1].isupper()), len(parts) - 1)
    location = "" if plugin.location is None else str(plugin.location.path.resolve())
    return ClassReference(
        ".".join(parts[:first]),
        ".".join(parts[first:]),
        version=plugin.version,
        location=location,
    )
