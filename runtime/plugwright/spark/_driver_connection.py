"""Connects a task host to the driver, and checks the machine that it runs on."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError
from plugwright.shipping import received
from plugwright.spark.channel import ChannelClosedError, connect
from plugwright.spark.exit_table import ExitTable
from plugwright.spark.messages import Admission, Hello
from plugwright.spark.tickets import TICKET_PROPERTY, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.channel import Channel

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 10.0
_DOUBLINGS = 10


def connect_to_driver(
    address: tuple[str, int], certificate: str, context: Any, *, job: str, index: int
) -> tuple[Channel, Callable[[str], None]]:
    """Connect to the driver, identify the task, and report the exits of earlier processes.

    Args:
        address: of the driver's control channel.
        certificate: the certificate that the driver must present.
        context: Spark's task context, which holds the key of its job.
        job: name of the job.
        index: number of the task within the job.

    Returns:
        The channel, and the function that records the phases of the task.

    Raises:
        ChannelClosedError: if the driver does not answer. Because Spark retries at once, this
            waits first, longer with every attempt.
    """
    attempt, run = int(context.attemptNumber()), int(context.taskAttemptId())
    key = str(context.getLocalProperty(TICKET_PROPERTY))
    try:
        channel = connect(address, certificate)
    except ChannelClosedError as error:
        time.sleep(min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(attempt, _DOUBLINGS)))
        raise ChannelClosedError(
            f"the driver does not answer at {address[0]}:{address[1]}, as seen from "
            f"{socket.gethostname()}; set spark.driver.host to an address that executors reach"
        ) from error
    exits = ExitTable.inherited()
    ticket = shown(key, job=job, task=index, attempt=attempt, run=run)
    channel.send(_hello(Admission(job, index, attempt, run, ticket), exits))
    return channel, exits.enter if exits else _ignore


def connect_for(address: tuple[str, int], certificate: str, admission: Admission) -> Channel:
    """Connect to the driver for one of the tasks that share this process.

    Args:
        address: of the driver's control channel.
        certificate: the certificate that the driver must present.
        admission: identifies the task.

    Raises:
        ChannelClosedError: if the driver does not answer.
    """
    channel = connect(address, certificate)
    channel.send(_hello(admission, ExitTable.inherited()))
    return channel


def _hello(task: Admission, exits: ExitTable | None) -> Hello:
    return Hello(
        job=task.job,
        task=task.task,
        attempt=task.attempt,
        run=task.run,
        ticket=task.ticket,
        pid=os.getpid(),
        daemon=f"{socket.gethostname()}:{os.getppid()}",
        exits=exits.crashes() if exits else {},
    )


def require_location(spec: TaskSpec) -> None:
    """Require every location of a task on this machine, sent by the driver or installed here.

    Raises:
        SetupError: if the location of the task's plugin is not installed here, or one that was
            sent is damaged.
    """
    for archive in spec.shipped.values():
        received(Path(archive))
    if spec.location and spec.location not in spec.shipped and not Path(spec.location).exists():
        host = socket.gethostname()
        raise SetupError(
            f"{spec.location}, the location of {spec.task_class.module}."
            f"{spec.task_class.qualname} {spec.version}, does not exist on {host}, where Spark "
            f"runs task {spec.connector}-{spec.task}",
            code="task.location-missing",
            hint="set plugin.distribution=ship, or install plugin.path under the same path on "
            "every machine of the cluster",
            facts={"location": spec.location, "host": host},
        )


def _ignore(_: str) -> None:
    """Discard the phase."""
