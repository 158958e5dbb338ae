"""The task's side of a stage host: one call at a time, each with a whole batch."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.errors import PluginError
from plugwright.hosts._process import HostProcess
from plugwright.hosts.frames import HostClosedError
from plugwright.hosts.reports import revive
from plugwright.logs import explicit_levels, replay
from plugwright.origin import name_origin, origin

if TYPE_CHECKING:
    from plugwright.hosts.stage import StageSetup
    from plugwright.plugins import ClassReference


class StageHost:
    """Runs the parts of one task whose location conflicts with the task's own.

    Args:
        setup: the plugins around the task.
        process: number of this host.
    """

    def __init__(self, setup: StageSetup, process: int) -> None:
        self._setup = setup
        self._number = process
        references = (*setup.transform_classes.values(), *setup.converters.values())
        self._about = next(r for r in references if r.location and r.process == process)
        self._host = HostProcess(setup.paths[process - 1], buffers=True)
        with suppress(HostClosedError):  # the first call reports why
            self._host.frames.send("setup", 0, "", (explicit_levels(), [], [], 0))

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants; thread-safe."""
        with suppress(HostClosedError):  # the process has ended and logs nothing
            self._host.frames.send("level", level, namespace)

    def open(self, timeout_s: float = 60.0) -> None:
        """Load and configure the plugins.

        Raises:
            ConfigError: if a plugin rejects its settings.
            PluginError: if one cannot be loaded or configured, or hangs or ends its process.
        """
        self._host.frames.time_limit(timeout_s)
        self.call("open", self._setup, self._number, phase="configure")
        self._host.frames.time_limit(None)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._host.pid

    def call(
        self, name: str, *arguments: Any, phase: str, about: ClassReference | None = None
    ) -> Any:
        """Process one batch.

        Raises:
            PluginError: if the process has ended, naming the plugin and the phase.
            ConnectError: if the host rejects the batch as a whole.
        """
        frames = self._host.frames
        try:
            frames.send("stage", 1, "", (name, arguments))
            while (message := frames.receive()).kind == "log":
                replay(message.content())
        except HostClosedError as error:
            raise self._lost(about or self._about, phase) from error
        if message.kind == "error":
            raise revive(message.content())
        return message.content()

    def close(self) -> None:
        """End the process and its children."""
        self._host.kill()

    def _lost(self, about: ClassReference, phase: str) -> PluginError:
        failure = PluginError(
            f"{about.class_name} {about.version} failed in {phase}: its host process "
            f"{self._host.pid} for {about.location} {self._host.end()}",
            code="plugin.host-ended",
            hint="see what the plugin printed, and restart the task",
            facts={
                "plugin": about.class_name,
                "version": about.version,
                "location": about.location,
                "phase": phase,
                "pid": self._host.pid,
            },
        )
        name_origin(failure, origin(about.class_name, about.version, about.location, phase))
        return failure
