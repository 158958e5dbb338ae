"""Processes that several tasks share: which tasks each has, and how these come back."""

from __future__ import annotations

import logging
import threading
from itertools import count
from typing import TYPE_CHECKING, Protocol

from plugwright.logs import LogLine, replay
from plugwright.spark._channel import ChannelClosedError
from plugwright.spark._messages import (
    Admission,
    Dismissed,
    EndProcess,
    EndRequested,
    OwnProcessWanted,
)
from plugwright.spark._shared_host import Guest, SharedHost

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from plugwright.spark._channel import Channel
    from plugwright.spark._job import ResidentJob
    from plugwright.spark._messages import Hello, Message

log = logging.getLogger(__name__)


class HostStarter(Protocol):
    """Starts and ends the Spark jobs of shared processes."""

    def start(self, host: SharedHost) -> None:
        """Start the Spark job of a process on a thread, which calls `SharedHost.ended`."""

    def cancel(self, host: SharedHost) -> None:
        """Cancel the Spark job."""

    def ticket(self, admission: Admission) -> Admission:
        """An admission with the ticket of its job."""


class SharedHosts:
    """Distributes tasks among processes.

    A process has tasks of one import path. If it crashes, its tasks are divided between two
    processes: the one whose task is to blame is soon alone.

    Args:
        size: most tasks of a process.
        starter: starts processes.
        patience: how often a process may end before it connects.
    """

    def __init__(self, size: int, starter: HostStarter, *, patience: int = 10) -> None:
        self._size = size
        self._starter = starter
        self._patience = patience
        self._changed = threading.Condition()
        self._hosts: dict[str, SharedHost] = {}
        self._numbers, self._runs = count(), count()

    def run(self, job: ResidentJob, path: str) -> None:
        """Run the tasks of a job until all of them have ended.

        Args:
            job: the tasks.
            path: directories that their plugins are imported from.
        """
        with self._changed:
            for place in range(len(job.tasks)):
                self._settle(Guest(job, place), path)
            self._changed.wait_for(lambda: not self._guests_of(job))

    def evict(self, job: ResidentJob) -> None:
        """Give up the tasks of a job that have not ended; their processes end."""
        with self._changed:
            for host, guest in self._guests_of(job):
                host.guests.remove(guest)
                if guest.run >= 0 and guest.lives and host.channel is not None:
                    self._end(host)
                self._close_if_empty(host)
            self._changed.notify_all()

    def find(self, name: str) -> SharedHost | None:
        """The process of a Spark job."""
        with self._changed:
            return self._hosts.get(name)

    def all(self) -> Sequence[SharedHost]:
        """The processes, running or about to start."""
        with self._changed:
            return list(self._hosts.values())

    def converse(self, host: SharedHost, hello: Hello, channel: Channel) -> None:
        """Serve a process until it disconnects (runs on the channel's own thread)."""
        with self._changed:
            if host.is_over:
                _send(channel, Dismissed())
                return
            if host.has_crashed(hello):
                self._divide(host)
            host.began(hello, channel)
            for guest in host.guests:
                self._admit(host, guest)
        try:
            while True:
                self._take(host, channel.receive())
        except ChannelClosedError:
            with self._changed:
                if host.channel is channel:
                    host.channel = None

    def left(self, job: ResidentJob, place: int, run: int) -> None:
        """Handle the end of a conversation with a task.

        Args:
            job: of the task.
            place: position of the task among those of its job.
            run: number of the admission with which it connected.
        """
        with self._changed:
            for host, guest in self._guests_of(job):
                if guest.place == place and guest.run == run:
                    self._handle_end(host, guest)
            self._changed.notify_all()

    def failed(self, host: SharedHost, attempts: int, words: str) -> None:
        """Handle processes that ended before they connected, as Spark reports.

        Args:
            host: the process.
            attempts: the number of Spark's attempts that have ended.
            words: Spark's message.
        """
        with self._changed:
            if host.channel is not None or attempts - host.connected <= self._patience:
                return
            for guest in list(host.guests):
                host.guests.remove(guest)
                guest.job.give_up(guest.place, words)
            self._close_if_empty(host)
            self._changed.notify_all()

    def wait_for_slot(self, host: SharedHost, reason: str) -> None:
        """Record that Spark has no slot for a process, and why."""
        with self._changed:
            idle = [each for each in self._hosts.values() if each.channel is None]
            places: dict[ResidentJob, list[int]] = {guest.job: [] for guest in host.guests}
            for guest in (guest for each in idle for guest in each.guests):
                places.get(guest.job, []).append(guest.place)
        for job, missing in places.items():
            job.wait_for_slots(missing, reason)

    def ended(self, host: SharedHost, error: Exception | None, *, again: bool) -> None:
        """Handle the end of a Spark job.

        Args:
            host: its process.
            error: the error with which the job failed.
            again: whether tasks that have not ended get another process; they fail otherwise.
        """
        with self._changed:
            host.is_over, host.channel = True, None
            self._hosts.pop(host.name, None)
            left, host.guests = host.guests, []
            for guest in left if again else ():
                log.warning("%s: the process of its task has ended: %s", guest.job.name, error)
                self._settle(guest, host.path)
            for guest in () if again else left:
                guest.job.give_up(guest.place, str(error))
            self._changed.notify_all()

    def _take(self, host: SharedHost, message: Message) -> None:
        match message:
            case LogLine():
                replay(message)
            case EndRequested():
                with self._changed:
                    self._end(host)
            case OwnProcessWanted(name, place):
                with self._changed:
                    self._separate(host, name, place)

    def _settle(self, guest: Guest, path: str, *, alone: bool = False) -> None:
        """Put a task into a process; requires the lock."""
        host = None if alone else self._with_room(path)
        if host is None:
            self._open(path, [guest], alone=alone)
            return
        host.guests.append(guest)
        self._admit(host, guest)

    def _open(self, path: str, guests: Sequence[Guest], *, alone: bool = False) -> None:
        """Start a process; requires the lock."""
        host = SharedHost(self, f"shared-{next(self._numbers)}", path, alone=alone)
        host.guests.extend(guests)
        self._hosts[host.name] = host
        self._starter.start(host)

    def _with_room(self, path: str) -> SharedHost | None:
        for host in self._hosts.values():
            usable = host.path == path and not (host.alone or host.is_over or host.ends)
            if usable and len(host.guests) < self._size:
                return host
        return None

    def _admit(self, host: SharedHost, guest: Guest) -> None:
        if host.channel is None:
            return  # when it connects
        guest.run, guest.moves = next(self._runs), False
        name = guest.job.name
        blank = Admission(name, guest.place, guest.attempt, guest.run, "")
        _send(host.channel, self._starter.ticket(blank))

    def _handle_end(self, host: SharedHost, guest: Guest) -> None:
        if not guest.lives:
            host.guests.remove(guest)
            self._close_if_empty(host)
        elif guest.moves and not host.ends:
            host.guests.remove(guest)
            self._settle(guest, host.path, alone=True)
            self._close_if_empty(host)
        elif not guest.moves:  # otherwise the next process gets it
            guest.attempt += 1
            self._admit(host, guest)

    def _divide(self, host: SharedHost) -> None:
        """Give half of the tasks another process."""
        stay = (len(host.guests) + 1) // 2
        leave, host.guests = host.guests[stay:], host.guests[:stay]
        if leave:
            self._open(host.path, leave)

    def _separate(self, host: SharedHost, name: str, place: int) -> None:
        """Let a busy task move to a process of its own."""
        for guest in host.guests:
            mine = guest.job.name == name and guest.place == place
            if mine and len(host.guests) > 1 and not guest.moves and guest.lives:
                log.info("%s is busy, and gets a process of its own", name)
                guest.moves, guest.attempt = True, 0
                guest.job.move(place)

    def _end(self, host: SharedHost) -> None:
        """End a process; its tasks come back, and the end is not counted as a crash of theirs."""
        host.ends = True
        for guest in host.guests:
            if guest.lives:
                guest.moves, guest.attempt = True, 0
                guest.job.expect_end(guest.place)
        if host.channel is not None:
            _send(host.channel, EndProcess())

    def _close_if_empty(self, host: SharedHost) -> None:
        if host.guests or host.is_over:
            return
        host.is_over = True
        self._hosts.pop(host.name, None)
        if host.channel is None:
            self._starter.cancel(host)
        else:
            _send(host.channel, Dismissed())

    def _guests_of(self, job: ResidentJob) -> Collection[tuple[SharedHost, Guest]]:
        return [
            (host, each) for host in self._hosts.values() for each in host.guests if each.job is job
        ]


def _send(channel: Channel, message: Message) -> None:
    try:
        channel.send(message)
    except ChannelClosedError:
        return  # Spark starts another process, which gets its tasks
