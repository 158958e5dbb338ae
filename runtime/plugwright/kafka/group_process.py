"""The owner's side of the process that sends requests to a group's coordinator."""

from __future__ import annotations

import json
import logging
import queue
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConnectError
from plugwright.kafka._group_child import LOGGED
from plugwright.logs import LogContext, LogLine, current_context, replay
from plugwright.processes import await_or_kill

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

log = logging.getLogger(__name__)

_COMMAND = (sys.executable, "-m", "plugwright.kafka._group_child")
_ANSWER_S = 40.0
"""The time for two requests of the client and the start of the process."""
_END_S = 5.0


class GroupProcessDiedError(Exception):
    """The process ended or does not reply; the next request starts a new one."""


class GroupProcess:
    """A separate process for the requests to one group's coordinator.

    It starts with the first request and ends with this object. What its client logs is logged here.

    Args:
        group: the group whose coordinator receives the requests.
        overrides: settings for the client, in Kafka's property names.
        command: the command to start.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        group: str,
        overrides: Mapping[str, str] | None = None,
        *,
        command: Sequence[str] = _COMMAND,
    ) -> None:
        self._setup = {
            "bootstrap.servers": bootstrap_servers,
            "group": group,
            "overrides": dict(overrides or {}),
        }
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._end: Callable[[], object] = _nothing

    def ask(self, operation: str, partitions: Sequence[Sequence[Any]] = ()) -> list[list[Any]]:
        """Topic, partition, offset, metadata and error for each partition.

        Args:
            operation: ``list``, ``alter``, ``delete``, or ``partitions`` for those of topics.
            partitions: topic, partition, offset and metadata of each partition to alter, or topics.

        Raises:
            KafkaException: if the coordinator refuses.
            ConnectError: if Kafka refuses the client.
            GroupProcessDiedError: if the request ended the process.
        """
        with self._lock:
            reply = self._exchange({"operation": operation, "partitions": list(partitions)})
        if error := reply.get("error"):
            raise KafkaException(KafkaError(*error))
        if failure := reply.get("failure"):
            message, code, hint, facts = failure
            raise ConnectError(message, code=code, hint=hint, facts=facts)
        found: list[list[Any]] = reply["partitions"]
        return found

    def _exchange(self, request: Mapping[str, Any]) -> dict[str, Any]:
        process = self._process or self._started()
        assert process.stdin is not None  # noqa: S101  # a pipe
        line = ""
        with suppress(OSError, queue.Empty):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = self._replies.get(timeout=_ANSWER_S)
        if not line:
            self._end()
            self._process = None
            raise GroupProcessDiedError(f"it ended with status {process.returncode}")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _started(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(  # noqa: S603  # our own code in our own interpreter
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # the last words of a client that aborts
            text=True,
            start_new_session=True,  # it ends with its owner, not on a terminal's signal
        )
        self._replies = queue.SimpleQueue()
        reader = threading.Thread(
            target=_read,
            args=(self._process.stdout, self._replies, current_context()),
            name="kafka-group",
            daemon=True,
        )
        reader.start()
        self._end = weakref.finalize(self, _ended, self._process, reader)
        assert self._process.stdin is not None  # noqa: S101  # a pipe
        with suppress(OSError):  # the request reports it
            self._process.stdin.write(json.dumps(self._setup) + "\n")
        return self._process


def _read(output: IO[str], replies: queue.SimpleQueue[str], context: LogContext | None) -> None:
    """Pass on replies, and log what the process logs and prints; an empty reply is the end."""
    with output:
        for line in output:
            if line.startswith("{"):
                replies.put(line)
            elif line.startswith(LOGGED):
                replay(LogLine.from_plain(json.loads(line.removeprefix(LOGGED))), context)
            else:
                log.info("%s", line.rstrip())
    replies.put("")


def _ended(process: subprocess.Popen[str], reader: threading.Thread) -> None:
    """Close the input so that the process ends, or kill it."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    await_or_kill(process, _END_S)
    reader.join()  # it closes the output, which has ended with the process


def _nothing() -> None:
    """There is no process yet."""
