"""Holds a conversation with a worker, whichever it is, and notes what it answers."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import Producer
from tests.oracle.worker.marks import Marks
from tests.oracle.worker.steps import body_of
from tests.oracle.worker.wire import Answer, exchange

from plugwright.kafka import create_topic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.oracle.worker.steps import Step

__all__ = ["Stage", "contains", "play"]

_WAIT_S = 40.0
_PAUSE_S = 0.05
_HEADERS = (
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "allow",
    "content-type",
    "location",
)
_REBALANCING = ("rebalance", "momentarily")


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a conversation is held.

    Attributes:
        url: of the worker.
        directory: for files.
        bootstrap_servers: of its broker.
        version: of the worker.
    """

    url: str
    directory: Path
    bootstrap_servers: str
    version: str

    @property
    def marks(self) -> Marks:
        """What stands for these in steps and answers."""
        return Marks(self.url, str(self.directory), self.version)


def play(stage: Stage, step: Step, wait_s: float = _WAIT_S) -> dict[str, Any] | None:
    """Do one step; what the worker answered, or ``None`` where the worker was not asked.

    A step that waits gives up after ``wait_s`` and has the last answer.
    """
    if "write" in step:
        (stage.directory / step["write"]).write_text(step["text"], "utf-8")
    elif "ask" not in step and not stage.bootstrap_servers:
        pass  # there is no Kafka
    elif "topic" in step:
        create_topic(stage.bootstrap_servers, step["topic"], partitions=step["partitions"])
    elif "produce" in step:
        _produce(stage, step)
    else:
        return _asked(stage, step, wait_s)
    return None


def _produce(stage: Stage, step: Step) -> None:
    producer = Producer({"bootstrap.servers": stage.bootstrap_servers})
    for value in step["values"]:
        producer.produce(step["produce"], value.encode(), partition=step["partition"])
    assert producer.flush(30) == 0


def _asked(stage: Stage, step: Step, wait_s: float) -> dict[str, Any]:
    wanted = step.get("until")
    deadline = time.monotonic() + wait_s
    while True:
        found = _shown(_exchanged(stage, step), stage.marks)
        done = not _rebalances(found) if wanted is None else contains(found, wanted)
        if done or time.monotonic() > deadline:
            return found
        time.sleep(_PAUSE_S)


def _exchanged(stage: Stage, step: Step) -> Answer:
    method, _, target = stage.marks.filled(step["ask"]).partition(" ")
    headers = {name: stage.marks.filled(value) for name, value in step.get("headers", {}).items()}
    text = body_of(step)
    body = None if text is None else stage.marks.filled(text).encode("utf-8", "surrogateescape")
    return exchange(stage.url, method, target, headers, body)


def _rebalances(found: Mapping[str, Any]) -> bool:
    """Whether a worker asks to try again, as a distributed one does while it rebalances."""
    return found["status"] in (409, 500) and any(
        word in str(found["body"]) for word in _REBALANCING
    )


def _shown(answer: Answer, marks: Marks) -> dict[str, Any]:
    headers = {name: answer.headers[name] for name in _HEADERS if name in answer.headers}
    body = _parsed(answer.body.decode("utf-8", "replace"))
    return dict(marks.put({"status": answer.status, "headers": headers, "body": body}))


def _parsed(text: str) -> Any:
    """JSON, whatever the headers say; else the text, or ``None`` if there is nothing."""
    try:
        return json.loads(text)
    except ValueError:
        return text or None


def contains(found: Any, wanted: Any) -> bool:
    """Whether a value has all that is wanted of it; lists have to be of one length."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            key in found and contains(found[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(contains(*pair) for pair in zip(found, wanted, strict=True))
        )
    return bool(found == wanted)
