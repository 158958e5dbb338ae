"""The main loop of a host process: answers calls until its owner is gone."""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import itertools
import logging
import os
import queue
import select
import signal
import socket
import threading
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.hosts._service import PluginService
from plugwright.hosts.frames import Frames, HostClosedError
from plugwright.hosts.reports import ErrorReport, location_of, report, revive
from plugwright.hosts.shared_buffers import map_shared_buffers
from plugwright.hosts.stage import StageService
from plugwright.logs import (
    LogContext,
    RelayHandler,
    current_context,
    in_context,
    mark_line,
    printable,
    redirected_output,
    restore_levels,
    set_level,
)
from plugwright.metrics import AnnouncedMetrics, reported_figures
from plugwright.origin import said
from plugwright.plugins import Plugins
from plugwright.processes import await_threads, limit_memory
from plugwright.thread_stack import thread_stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.hosts.frames import Frame
    from plugwright.logs import LogLine
    from plugwright.metrics import MetricName, PluginMetrics
    from plugwright.plugins import PluginDescriptor

_LAST_CALLS = frozenset({"close_provider", "define", "stop"})
_STACK = 2 << 20
"""Stack size of a connector's thread, which counts as data of the process: with the
system's eight megabytes, 250 connectors would use two gigabytes. This is Python's default on
other systems."""
_MOST_ENDING = 100
"""How many of the latest ended threads are waited for when another one cannot start."""
_EXIT_S = 1.0
_HIGH = 256


def serve(descriptor: int, buffers: Sequence[int] = ()) -> None:
    """Serve the owner at the other end of a socket, and end with it.

    Args:
        descriptor: of the socket.
        buffers: descriptors of the shared buffers, incoming and outgoing.
    """
    # A high number survives a plugin that closes all low descriptors, as daemons do.
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    line = socket.socket(fileno=high)
    faulthandler.enable(all_threads=False)  # a crash prints its stack
    gc.freeze()  # objects loaded so far stay, so collections can skip them
    threading.Thread(target=_end_with_owner, args=(high,), daemon=True).start()
    _Server(Frames(line, map_shared_buffers(buffers)[::-1])).run()
    os.killpg(0, signal.SIGKILL)


def _end_with_owner(descriptor: int) -> None:
    """Kill the whole process group when the owner is gone, whatever a plugin is doing."""
    hang_up = select.poll()
    hang_up.register(descriptor, 0)
    hang_up.poll()
    os.killpg(0, signal.SIGKILL)


class _Server:
    """Dispatches frames: each connector has its own thread, as its contract says.

    The stages of a running task are served on the reading thread, because thread switches cost.
    """

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._contexts: dict[str, _Context] = {}
        self._stage = StageService()
        self._service = PluginService(Plugins([], [], []))
        self._calls: dict[str, queue.SimpleQueue[Frame]] = {}
        self._names: dict[str, str] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._ending: deque[int] = deque(maxlen=_MOST_ENDING)
        self._owner = _Owner(frames)

    def run(self) -> None:
        """Serve until the owner disconnects."""
        with redirected_output(self._print):
            try:
                while True:
                    self._take(self._frames.receive())
            except HostClosedError:
                return

    def _take(self, message: Frame) -> None:
        if message.kind == "stage":
            self._answer(message)
        elif message.kind == "connector":
            self._queue(message)
        elif message.kind == "setup":
            levels, locations, descriptors, memory = message.content()
            limit_memory(memory)
            self._service = PluginService(Plugins(locations, descriptors, []), self._announce)
            relay = RelayHandler(self._relay, HostClosedError, connector=self._only_connector)
            logging.basicConfig(handlers=[relay], force=True)
            restore_levels(levels)
        elif message.kind == "level":
            set_level(message.name, message.number)
        elif message.kind == "where":
            self._frames.send("result", message.number, message.name, self._where(message.name))
        elif message.number:
            self._owner.answered(message)

    def _relay(self, line: LogLine) -> None:
        self._frames.send("log", line.level, line.logger, line)

    def _print(self, line: str) -> None:
        """Write a printed line into the pipe to the owner, tagged with its connector."""
        context = current_context()
        connector = self._only_connector() if context is None else context.connector
        data = memoryview(f"{mark_line(connector, printable(line))}\n".encode(errors="replace"))
        while data:
            data = data[os.write(1, data) :]

    def _only_connector(self) -> str:
        """The only connector, for a thread that a plugin started; empty if there are several."""
        names = set(self._names.values())
        return names.pop() if len(names) == 1 else ""

    def _queue(self, message: Frame) -> None:
        """Queue a call for the thread of its connector; reject it if no thread can be started."""
        try:
            self._calls_of(message.name).put(message)
        except (RuntimeError, MemoryError) as error:
            with suppress(HostClosedError):
                refusal = _reported(_too_many(len(self._calls), error))
                self._frames.send("error", message.number, message.name, refusal)

    def _calls_of(self, name: str) -> queue.SimpleQueue[Frame]:
        if name not in self._calls:
            calls: queue.SimpleQueue[Frame] = queue.SimpleQueue()
            thread = threading.Thread(target=self._work, args=(name, calls), name=name, daemon=True)
            # Registered before it starts, because it removes itself when it ends.
            self._calls[name], self._names[name] = calls, name.rpartition("-")[0]
            self._threads[name] = thread
            try:
                self._start(thread)
            except BaseException:
                self._forget(name)
                raise
        return self._calls[name]

    def _start(self, thread: threading.Thread) -> None:
        """Start a thread; if there is no memory for it, wait for that of the threads that end."""
        try:
            _start_small(thread)
        except (RuntimeError, MemoryError):
            if not self._ending:
                raise
            await_threads([self._ending.popleft() for _ in range(len(self._ending))], _EXIT_S)
            _start_small(thread)

    def _forget(self, name: str) -> None:
        del self._calls[name], self._names[name], self._threads[name]

    def _retire(self, name: str) -> None:
        """Forget a connector on its own thread, which ends after the answer."""
        self._forget(name)
        self._ending.append(threading.get_native_id())

    def _where(self, key: str) -> str:
        """The stack of a connector's thread, innermost call last."""
        thread = self._threads.get(key)
        return "" if thread is None else thread_stack(thread.ident)

    def _work(self, key: str, calls: queue.SimpleQueue[Frame]) -> None:
        with in_context(LogContext(self._names[key]) if self._names[key] else None):
            while self._answer(calls.get()) not in _LAST_CALLS:
                continue

    def _answer(self, message: Frame) -> str:
        """Answer one call; returns its name."""
        name = ""
        try:
            name, arguments = message.content()
            if message.kind == "stage":
                answer = getattr(self._stage, name)(*arguments)
            else:
                answer = self._connector(message.name, name, arguments)
            self._frames.send("result", message.number, message.name, answer)
        except HostClosedError:
            return name
        except BaseException as error:  # noqa: BLE001  # whatever a plugin raises; the owner judges
            with suppress(HostClosedError):
                self._frames.send("error", message.number, message.name, _reported(error))
        return name

    def _announce(self, key: str, plugin: PluginDescriptor, phase: str) -> None:
        """Send the owner the next call, in case the process does not return from it."""
        call = (plugin.class_name, plugin.version, location_of(plugin), phase)
        self._frames.send("phase", 0, key, call)

    def _connector(self, key: str, name: str, arguments: Sequence[Any]) -> Any:
        if name == "start":
            self._contexts[key] = context = _Context(self._owner, key)
            return self._service.start(key, context)
        try:
            if name == "stop" and key in self._contexts:
                self._contexts.pop(key).metrics.close()
            return getattr(self._service, name)(key, *arguments)
        finally:
            if name in _LAST_CALLS:  # before the answer: the owner may open another one at once
                self._retire(key)


def _start_small(thread: threading.Thread) -> None:
    """Start a thread with a small stack; threads of plugins have the system's default."""
    before = threading.stack_size(_STACK)
    try:
        thread.start()
    finally:
        threading.stack_size(before)


def _too_many(there: int, error: BaseException) -> ConnectError:
    return ConnectError(
        f"the process of this location has {there} connectors and cannot start a thread for "
        f"another one: {error}",
        code="plugin.host-full",
        hint="raise plugin.memory.limit.mb or the system's limit of threads, or run fewer "
        "connectors on this worker",
        facts={"connectors": there},
    )


def _reported(error: BaseException) -> ErrorReport:
    """Convert an error, although its class may be a plugin's own and misbehave."""
    try:
        return report(error)
    except BaseException as broken:  # noqa: BLE001  # somebody waits for the answer
        return report(
            ConnectError(f"{type(error).__name__}, whose own methods fail: {said(broken)}")
        )


class _Owner:
    """The owner at the other end, callable from any thread."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Any]] = {}

    def ask(self, key: str, name: str, *arguments: Any) -> Any:
        """Call and wait for the answer.

        Raises:
            ConnectError: raised by the owner.
        """
        number, answer = next(self._numbers), Future[Any]()
        self._waiting[number] = answer
        self._frames.send("question", number, key, (name, arguments))
        return answer.result()

    def tell(self, key: str, name: str, *arguments: Any) -> None:
        """Send a notification that needs no answer."""
        self._frames.send("question", 0, key, (name, arguments))

    def answered(self, message: Frame) -> None:
        """Handle an answer."""
        waiting = self._waiting.pop(message.number)
        try:
            content = message.content()
        except Exception as error:  # noqa: BLE001  # reported to the waiting caller
            waiting.set_exception(error)
            return
        if message.kind == "refusal":
            waiting.set_exception(revive(content))
        else:
            waiting.set_result(content)


class _Context:
    """The context of a connector, which forwards to the runtime in another process."""

    def __init__(self, owner: _Owner, key: str) -> None:
        self._owner = owner
        self._key = key
        tags = {"connector": key.rpartition("-")[0]}
        self.metrics = AnnouncedMetrics(tags, self._report_metrics)

    @property
    def offset_storage_reader(self) -> _Context:
        return self

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] | None = self._owner.ask(self._key, "offset", dict(partition))
        return found

    def offsets(
        self, partitions: Iterable[Mapping[str, Any]]
    ) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        return [(partition, self.offset(partition)) for partition in partitions]

    def request_task_reconfiguration(self) -> None:
        self._owner.tell(self._key, "request_task_reconfiguration")

    def raise_error(self, error: Exception) -> None:
        self._owner.tell(self._key, "raise_error", report(error))

    def plugin_metrics(self) -> PluginMetrics:
        return self.metrics

    def _report_metrics(self, metrics: Sequence[tuple[MetricName, float | str]]) -> None:
        with suppress(HostClosedError):
            self._owner.tell(self._key, "report_metrics", reported_figures(metrics))
