"""Sends requests to a group's coordinator from a process that they may crash.

librdkafka aborts its whole process in two cases: when a request about offsets is answered by a
coordinator that is still loading, and when a request times out while the coordinator is away and
the broker comes back afterwards (`rd_kafka_enq_once_t`, 2.16). Each request is a line of JSON on
standard input, each reply a line on standard output, beside the lines of the client's log; the
process ends with its input.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from threading import Lock
from typing import TYPE_CHECKING, Any

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicCollection,
)
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError
from plugwright.kafka.admin import Admin
from plugwright.logs import LogLine, RelayHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LOGGED = "log "
"""Begins a line that is no reply, but one of the log."""
REQUEST_S = 15.0
"""How long the client waits for a response."""
_NO_TOPIC = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION})
_WRITING = Lock()


def main() -> None:
    """Reply to requests until the input ends."""
    logging.basicConfig(handlers=[RelayHandler(_write_logged, OSError)])
    setup = json.loads(sys.stdin.readline() or "null")
    if setup is not None:
        group = setup["group"]
        for line in sys.stdin:
            _write(json.dumps(_reply(setup, group, json.loads(line))))
    os._exit(0)  # the client would wait for its connections


def _write_logged(line: LogLine) -> None:
    _write(LOGGED + json.dumps(line.to_plain()))


def _write(line: str) -> None:
    with _WRITING:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _reply(setup: Mapping[str, Any], group: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a request: partitions, the client's error, or ours."""
    try:
        # Each request has its own client, because a client that failed once is not reused.
        admin = Admin(setup["bootstrap.servers"], overrides=setup["overrides"])
        described = admin.client.describe_consumer_groups([group], request_timeout=REQUEST_S)
        admin.answer(described[group])  # first, see the module's docstring
        return {
            "partitions": _OPERATIONS[request["operation"]](admin, group, request["partitions"])
        }
    except KafkaException as error:
        return {"error": _plain_error(error.args[0])}
    except ConnectError as error:
        return {"failure": [str(error), error.code, error.hint, dict(error.facts)]}


def _list(admin: Admin, group: str, _: list[Any]) -> list[Any]:
    futures = admin.client.list_consumer_group_offsets(
        [ConsumerGroupTopicPartitions(group)], request_timeout=REQUEST_S
    )
    return _plain(admin.answer(futures[group]).topic_partitions)


def _alter(admin: Admin, group: str, partitions: list[Any]) -> list[Any]:
    wanted = ConsumerGroupTopicPartitions(group, [ClientPartition(*each) for each in partitions])
    futures = admin.client.alter_consumer_group_offsets([wanted], request_timeout=REQUEST_S)
    return _plain(admin.answer(futures[group]).topic_partitions)


def _delete(admin: Admin, group: str, _: list[Any]) -> list[Any]:
    futures = admin.client.delete_consumer_groups([group], request_timeout=REQUEST_S)
    admin.answer(futures[group])
    return []


def _partitions(admin: Admin, _: str, topics: list[Any]) -> list[Any]:
    """The partitions that each of some topics has; none of one that does not exist."""
    names = [name for (name,) in topics]
    futures = admin.client.describe_topics(TopicCollection(names), request_timeout=REQUEST_S)
    found = []
    for name in names:
        try:
            described = admin.answer(futures[name])
        except KafkaException as error:
            if error.args[0].code() not in _NO_TOPIC:
                raise
        else:
            found += [[name, each.id, -1, "", None] for each in described.partitions]
    return found


def _plain(partitions: list[ClientPartition]) -> list[Any]:
    return [
        [p.topic, p.partition, p.offset, p.metadata or "", _plain_error(p.error)]
        for p in partitions
    ]


def _plain_error(error: KafkaError | None) -> list[Any] | None:
    return None if error is None else [error.code(), error.str()]


_OPERATIONS: Mapping[str, Callable[[Admin, str, list[Any]], list[Any]]] = {
    "list": _list,
    "alter": _alter,
    "delete": _delete,
    "partitions": _partitions,
}


if __name__ == "__main__":
    main()
