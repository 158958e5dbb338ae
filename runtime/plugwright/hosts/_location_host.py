"""The driver's side of a location host: calls connectors in another process, with time-outs."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoAnswerError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, PluginError
from plugwright.hosts._process import HostProcess
from plugwright.hosts.frames import HostClosedError
from plugwright.hosts.reports import location_of, report, revive
from plugwright.logs import explicit_levels, replay
from plugwright.origin import name_origin, origin

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright.config import ConfigData
    from plugwright.hosts._setup import (
        ConnectorSetup,
        Examined,
        HostedContext,
        Parts,
        TaskPlan,
    )
    from plugwright.hosts.frames import Frame
    from plugwright.plugins import Location, PluginDescriptor, Plugins

_LAST_WORDS_S = 1.0
_PHASES = {
    "open": "validate",
    "tasks": "task_configs",
    "parts": "configure",
    "open_provider": "configure",
    "ask_provider": "get",
    "close_provider": "close",
    "define": "config",
}
_ALIVE_S = 2.0


class LocationHost:
    """Runs the driver's part of connectors in a process of their locations.

    Args:
        path: the locations, in import order.
        plugins: the installed plugins.
        timeout_s: time-out of a call, after which the plugin counts as hanging.
        memory: bytes of data that the process may have; 0 for no limit.
    """

    def __init__(
        self, path: Sequence[Location], plugins: Plugins, *, timeout_s: float, memory: int = 0
    ) -> None:
        self._timeout_s = timeout_s
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[str, Future[Any]]] = {}
        self._entered: dict[str, tuple[str, str, str, str]] = {}
        self._culprits: set[str] = set()
        self._subjects: dict[str, PluginDescriptor] = {}
        self._contexts: dict[str, Any] = {}
        self._hanging: set[str] = set()
        self._lock = threading.Lock()
        self._closing = False
        self.usable = True
        self._origins = ", ".join(str(location.origin) for location in path)
        self._process = HostProcess([str(each.path.resolve()) for each in path])
        known = (list(plugins.locations), list(plugins.descriptors))
        with suppress(HostClosedError):  # the first call reports why
            self._process.frames.send("setup", 0, "", (explicit_levels(), *known, memory))
        self._reader = threading.Thread(target=self._receive, name="location-host", daemon=True)
        self._reader.start()
        self._process.watch(self._lost)

    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants, see `plugwright.logs.set_level`."""
        with suppress(HostClosedError):  # the process has ended and logs nothing
            self._process.frames.send("level", level, namespace)

    def open(self, key: str, setup: ConnectorSetup) -> Examined:
        """Create a connector and validate its configuration.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if one fails, hangs or ends the process when it is created or called.
        """
        self._subjects[key] = setup.plugin or setup.converters[0].plugin
        try:
            examined: Examined = self._call(key, "open", setup)
        except ConnectError as error:
            if error.code == "plugin.host-full":
                del self._subjects[key]  # the process does not have it
            raise
        return examined

    def start(self, key: str, context: HostedContext) -> None:
        """Initialize and start a connector.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
            ConnectError: raised by the connector.
        """
        self._contexts[key] = context
        self._call(key, "start")

    def ask(self, key: str, question: str, *arguments: Any) -> Any:
        """Call a method of a connector by name.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
            ConnectError: raised by the connector.
        """
        return self._call(key, "ask", question, *arguments)

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask a connector for its task configurations.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
        """
        plan: TaskPlan = self._call(key, "tasks", most)
        return plan

    def parts(self, key: str) -> Parts:
        """Compile a connector's chain, and return the classes that its tasks need.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            PluginError: if a plugin fails, hangs, or ends the process.
        """
        parts: Parts = self._call(key, "parts")
        return parts

    def stop(self, key: str) -> None:
        """Stop a connector, if it was started, and remove it; do nothing if it was never opened.

        Raises:
            PluginError: if it fails, hangs, or the process has ended.
        """
        self._contexts.pop(key, None)
        if key not in self._subjects:
            return
        try:
            if key not in self._hanging:  # its thread will not return
                self._call(key, "stop")
        finally:
            self._subjects.pop(key, None)

    def define(self, key: str, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
        """
        answer: list[Mapping[str, Any]] = self._call(key, "define", plugin)
        return answer

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Create and configure a config provider.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
        """
        self._subjects[key] = plugin
        self._call(key, "open_provider", plugin, settings)

    def ask_provider(self, key: str, path: str | None, keys: Collection[str] | None) -> ConfigData:
        """Get values from a config provider.

        Raises:
            PluginError: if it fails, hangs, or ends the process.
        """
        answer: ConfigData = self._call(key, "ask_provider", path, keys)
        return answer

    def close_provider(self, key: str) -> None:
        """Close a config provider and remove it.

        Raises:
            PluginError: if it fails, hangs, or the process has ended.
        """
        try:
            self._call(key, "close_provider")
        finally:
            self._subjects.pop(key, None)

    def close(self) -> None:
        """End the process and its children."""
        self._closing = True
        self._process.kill(self._reader)

    def _call(self, key: str, name: str, *arguments: Any) -> Any:
        try:
            message = self._exchange("connector", key, (name, arguments), self._timeout_s)
        except HostClosedError as error:
            raise self._failure(key, name, self._process.end(), "plugin.host-ended") from error
        except NoAnswerError as error:
            raise self._hung(key, name) from error
        finally:
            self._entered.pop(key, None)
        if message.kind == "error":
            raise revive(message.content())
        return message.content()

    def _exchange(self, kind: str, key: str, content: Any, timeout_s: float) -> Frame:
        number, answer = next(self._numbers), Future[Any]()
        with self._lock:
            self._waiting[number] = (key, answer)
        try:
            self._process.frames.send(kind, number, key, content)
            message: Frame = answer.result(timeout_s)
        finally:
            with self._lock:
                self._waiting.pop(number, None)
        return message

    def _hung(self, key: str, name: str) -> PluginError:
        """Give up a hanging connector, or the process if no thread runs; returns the error."""
        self.usable = False
        self._hanging.add(key)
        self._culprits.add(key)
        how = f"did not answer within {self._timeout_s:g} s"
        failure = self._failure(key, name, how, "plugin.host-timeout")
        try:
            stack = self._exchange("where", key, None, _ALIVE_S).content()
            failure.add_note(f"current stack:\n{stack}")
        except (HostClosedError, NoAnswerError):
            failure.add_note("none of its threads could run, so the process was killed")
            self._process.kill()
        return failure

    def _receive(self) -> None:
        try:
            while True:
                self._take(self._process.frames.receive())
        except HostClosedError:
            self._fail_waiting()
            self._process.kill()  # it has usually ended already, unless it sent invalid data

    def _take(self, message: Frame) -> None:
        if message.kind == "phase":
            self._entered[message.name] = message.content()
        elif message.kind == "log":
            replay(message.content())
        elif message.kind == "question":
            # On another thread: the runtime's reaction may call into the host again.
            threading.Thread(target=self._reply, args=(message,), daemon=True).start()
        else:
            with self._lock:
                waiting = self._waiting.pop(message.number, None)
            if waiting is not None:
                waiting[1].set_result(message)

    def _reply(self, message: Frame) -> None:
        try:
            name, arguments = message.content()
            context = self._contexts[message.name]
            if name == "raise_error":
                arguments = [revive(arguments[0])]
            answer = getattr(context, name)(*arguments)
            if message.number:
                self._process.frames.send("answer", message.number, message.name, answer)
        except Exception as error:  # noqa: BLE001  # reported to the connector, which asked
            with suppress(HostClosedError):
                self._process.frames.send("refusal", message.number, message.name, report(error))

    def _fail_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = list(self._waiting.values()), {}
            self._culprits.update(key for key, _ in waiting)
        for _, answer in waiting:
            answer.set_exception(HostClosedError())

    def _lost(self) -> None:
        """Handle the end of the process; unless it was requested, its connectors fail.

        If it ended during a call, the other connectors are not to blame and are restarted.
        """
        self.usable = False
        self._reader.join(_LAST_WORDS_S)  # it still handles what was sent before the end
        self._process.frames.close()
        self._reader.join(_LAST_WORDS_S)  # a child of the process may have kept the pipe open
        if self._closing:
            return
        for key, context in list(self._contexts.items()):
            failure = self._failure(key, "running", self._process.end(), "plugin.host-ended")
            if self._culprits and key not in self._culprits:
                context.host_lost(failure)
            else:
                context.raise_error(failure)

    def _failure(self, key: str, name: str, how: str, code: str) -> PluginError:
        subject = self._subjects[key]
        own = (subject.class_name, subject.version, location_of(subject), _PHASES.get(name, name))
        plugin, version, location, phase = self._entered.get(key, own)
        failure = PluginError(
            f"{plugin} {version} failed in {phase}: its host process "
            f"{self._process.pid} for {self._origins} {how}",
            code=code,
            hint="see what the plugin printed, and restart the connector",
            facts={
                "plugin": plugin,
                "version": version,
                "location": location,
                "phase": phase,
                "pid": self._process.pid,
            },
        )
        name_origin(failure, origin(plugin, version, location, phase))
        return failure
