"""The life of a host process: calls in, answers out, until its owner is gone."""

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
import sys
import threading
import traceback
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.hosts._frames import Frames, HostClosedError
from plugwright.hosts._reports import ErrorReport, location_of, report, revive
from plugwright.hosts._service import PluginService
from plugwright.hosts._shelves import map_shelves
from plugwright.hosts._stage import StageService
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
from plugwright.processes import limit_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugwright.hosts._frames import Frame
    from plugwright.logs import LogLine
    from plugwright.metrics import MetricName, PluginMetrics
    from plugwright.plugins import PluginDescriptor

_LAST_CALLS = frozenset({"close_provider", "define", "stop"})
_STACK = 2 << 20
"""Bytes for the stack of a connector's thread, which count as data of the process: with the
system's eight megabytes, 250 connectors would use up two gigabytes. Python is built for stacks of
this size on other systems."""
_HIGH = 256
_FRAMES = 10


def serve(descriptor: int, shelves: Sequence[int] = ()) -> None:
    """Answer the owner on the other end of a line, and end with it.

    Args:
        descriptor: of the line.
        shelves: descriptors of shared memory, what comes in and what goes out.
    """
    # Up there it survives a plugin that closes all low descriptors, as daemons do.
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(descriptor)
    line = socket.socket(fileno=high)
    faulthandler.enable(all_threads=False)  # a crash says where, among what the plugin prints
    gc.freeze()  # what is loaded by now stays; no collection needs to look at it
    threading.Thread(target=_end_with_owner, args=(high,), daemon=True).start()
    _Server(Frames(line, map_shelves(shelves)[::-1])).run()
    os.killpg(0, signal.SIGKILL)


def _end_with_owner(descriptor: int) -> None:
    """Kill the whole group when the owner is gone, whatever a plugin is busy with."""
    hang_up = select.poll()
    hang_up.register(descriptor, 0)
    hang_up.poll()
    os.killpg(0, signal.SIGKILL)


class _Server:
    """Takes frames apart: each connector has a thread of its own, as its contract says.

    The stages of a running task are served on the thread that reads, because every hop costs.
    """

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._contexts: dict[str, _Context] = {}
        self._stage = StageService()
        self._service = PluginService(Plugins([], [], []))
        self._lanes: dict[str, queue.SimpleQueue[Frame]] = {}
        self._names: dict[str, str] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._owner = _Owner(frames)

    def run(self) -> None:
        """Serve until the owner hangs up."""
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
        """Put a printed line into the pipe to the owner, with whose it is."""
        context = current_context()
        connector = self._only_connector() if context is None else context.connector
        data = memoryview(f"{mark_line(connector, printable(line))}\n".encode(errors="replace"))
        while data:
            data = data[os.write(1, data) :]

    def _only_connector(self) -> str:
        """The connector of a thread that a plugin started; empty where there are several."""
        names = set(self._names.values())
        return names.pop() if len(names) == 1 else ""

    def _queue(self, message: Frame) -> None:
        """Leave a call to the thread of its connector; refuse it where there can be none."""
        try:
            self._lane(message.name).put(message)
        except (RuntimeError, MemoryError) as error:
            with suppress(HostClosedError):
                refusal = _reported(_too_many(len(self._lanes), error))
                self._frames.send("error", message.number, message.name, refusal)

    def _lane(self, name: str) -> queue.SimpleQueue[Frame]:
        if name not in self._lanes:
            lane: queue.SimpleQueue[Frame] = queue.SimpleQueue()
            thread = threading.Thread(target=self._work, args=(name, lane), name=name, daemon=True)
            # Known before it starts, because it forgets itself when it ends.
            self._lanes[name], self._names[name] = lane, name.rpartition("-")[0]
            self._threads[name] = thread
            try:
                _start_small(thread)
            except BaseException:
                self._forget(name)
                raise
        return self._lanes[name]

    def _forget(self, name: str) -> None:
        del self._lanes[name], self._names[name], self._threads[name]

    def _where(self, key: str) -> str:
        """What the thread of a connector is doing, the innermost call last."""
        thread = self._threads.get(key)
        frame = None if thread is None else sys._current_frames().get(thread.ident or 0)  # noqa: SLF001  # the documented way to look at another thread
        stack = [] if frame is None else traceback.format_stack(frame, limit=_FRAMES)
        return "".join(stack).rstrip()

    def _work(self, key: str, lane: queue.SimpleQueue[Frame]) -> None:
        with in_context(LogContext(self._names[key]) if self._names[key] else None):
            while self._answer(lane.get()) not in _LAST_CALLS:
                continue
        self._forget(key)

    def _answer(self, message: Frame) -> str:
        """Answer one call; its name."""
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
        """Tell the owner what is about to run, in case that nothing comes back."""
        call = (plugin.class_name, plugin.version, location_of(plugin), phase)
        self._frames.send("phase", 0, key, call)

    def _connector(self, key: str, name: str, arguments: Sequence[Any]) -> Any:
        if name == "start":
            self._contexts[key] = context = _Context(self._owner, key)
            return self._service.start(key, context)
        if name == "stop" and key in self._contexts:
            self._contexts.pop(key).metrics.close()
        return getattr(self._service, name)(key, *arguments)


def _start_small(thread: threading.Thread) -> None:
    """Start a thread with a stack of its own size; those that plugins start have the system's."""
    before = threading.stack_size(_STACK)
    try:
        thread.start()
    finally:
        threading.stack_size(before)


def _too_many(there: int, error: BaseException) -> ConnectError:
    return ConnectError(
        f"the process of this location has {there} connectors and cannot start the thread of "
        f"another one: {error}",
        code="plugin.host-full",
        hint="raise plugin.memory.limit.mb or the system's limit of threads, or run fewer "
        "connectors on this worker",
        facts={"connectors": there},
    )


def _reported(error: BaseException) -> ErrorReport:
    """The error as plain data, although its class may be a plugin's own and answer with another."""
    try:
        return report(error)
    except BaseException as broken:  # noqa: BLE001  # somebody waits for the answer
        return report(ConnectError(f"{type(error).__name__}, which fails itself: {said(broken)}"))


class _Owner:
    """The other end, as connectors may ask it from any thread of theirs."""

    def __init__(self, frames: Frames) -> None:
        self._frames = frames
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Any]] = {}

    def ask(self, key: str, name: str, *arguments: Any) -> Any:
        """Ask and wait for the answer.

        Raises:
            ConnectError: what the owner raised.
        """
        number, answer = next(self._numbers), Future[Any]()
        self._waiting[number] = answer
        self._frames.send("question", number, key, (name, arguments))
        return answer.result()

    def tell(self, key: str, name: str, *arguments: Any) -> None:
        """Say something that needs no answer."""
        self._frames.send("question", 0, key, (name, arguments))

    def answered(self, message: Frame) -> None:
        """Take an answer."""
        waiting = self._waiting.pop(message.number)
        try:
            content = message.content()
        except Exception as error:  # noqa: BLE001  # whoever waits is to hear of it
            waiting.set_exception(error)
            return
        if message.kind == "refusal":
            waiting.set_exception(revive(content))
        else:
            waiting.set_result(content)


class _Context:
    """What a connector may ask of the runtime, which lives in another process."""

    def __init__(self, owner: _Owner, key: str) -> None:
        self._owner = owner
        self._key = key
        tags = {"connector": key.rpartition("-")[0]}
        self.metrics = AnnouncedMetrics(tags, self._tell_metrics)

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

    def _tell_metrics(self, metrics: Sequence[tuple[MetricName, float | str]]) -> None:
        with suppress(HostClosedError):
            self._owner.tell(self._key, "tell_figures", reported_figures(metrics))
