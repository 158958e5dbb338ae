"""What a conversation is made of: requests, waits for a state, and acts beside the API.

Every step is plain data, ready for JSON. In targets, headers, bodies and files these marks stand
for what differs from run to run: ``@DIR@`` for the directory of the run, ``@URL@`` for the address
of the worker, ``@VERSION@`` for its own version.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "BOTH",
    "DISTRIBUTED",
    "STANDALONE",
    "Chapter",
    "Step",
    "ask",
    "body_of",
    "created",
    "delete",
    "gone",
    "is_in",
    "only",
    "patch",
    "post",
    "produce",
    "put",
    "show",
    "tasks_have",
    "topic",
    "until",
    "write",
]

STANDALONE, DISTRIBUTED = "standalone", "distributed"
BOTH = (STANDALONE, DISTRIBUTED)
_ONLY = "only"

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the conversation that needs nothing of the others and leaves nothing behind.

    Attributes:
        name: unique.
        steps: in order.
        modes: which workers have it.
    """

    name: str
    steps: Sequence[Step | Sequence[Step]]
    modes: Sequence[str] = BOTH

    def numbered(self, mode: str) -> Iterator[tuple[str, Step]]:
        """Every step of a mode with its id: the chapter and the place in it, alike in all modes."""
        flat = [s for each in self.steps for s in (each if isinstance(each, list) else [each])]
        for number, step in enumerate(flat, 1):
            if step.get(_ONLY, mode) == mode:
                shown = {key: value for key, value in step.items() if key != _ONLY}
                yield f"{self.name}/{number:03}", shown


def ask(
    method: str,
    target: str,
    body: object = None,
    *,
    text: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Step:
    """A request; ``text`` is a body as it stands, for those that are no JSON."""
    step: Step = {"ask": f"{method} {target}"}
    if body is not None:
        step["json"] = body
    if text is not None:
        step["text"] = text
    if headers is not None:
        step["headers"] = dict(headers)
    return step


def body_of(step: Step) -> str | None:
    """The body of a request, if it has one."""
    return json.dumps(step["json"]) if "json" in step else step.get("text")


def show(target: str, **headers: str) -> Step:
    """A GET."""
    return ask("GET", target, headers={k.replace("_", "-"): v for k, v in headers.items()} or None)


def post(target: str, body: object = None) -> Step:
    """A POST."""
    return ask("POST", target, body)


def put(target: str, body: object = None) -> Step:
    """A PUT."""
    return ask("PUT", target, body)


def patch(target: str, body: object = None) -> Step:
    """A PATCH."""
    return ask("PATCH", target, body)


def delete(target: str) -> Step:
    """A DELETE."""
    return ask("DELETE", target)


def until(target: str, status: int = 200, **found: Any) -> Step:
    """A GET that is repeated until its status is this, and its body has these fields."""
    return {
        "ask": f"GET {target}",
        "until": {"status": status, **({"body": found} if found else {})},
    }


def is_in(name: str, connector: str, *tasks: str) -> Step:
    """Waits until a connector and its tasks are in these states."""
    states = [{"state": state} for state in tasks]
    return until(f"/connectors/{name}/status", connector={"state": connector}, tasks=states)


def tasks_have(name: str, *configs: Mapping[str, str]) -> Step:
    """Waits until the tasks of a connector have these settings among others."""
    tasks = [{"config": dict(config)} for config in configs]
    return {"ask": f"GET /connectors/{name}/tasks", "until": {"status": 200, "body": tasks}}


def gone(name: str) -> list[Step]:
    """Removes a connector, and waits until it has neither configuration nor status."""
    return [
        delete(f"/connectors/{name}"),
        until(f"/connectors/{name}", 404),
        until(f"/connectors/{name}/status", 404),
    ]


def created(name: str, config: Mapping[str, str], connector: str, *tasks: str) -> list[Step]:
    """Creates a connector, and waits until it and its tasks are in these states."""
    return [
        post("/connectors", {"name": name, "config": dict(config)}),
        is_in(name, connector, *tasks),
    ]


def only(mode: str, *steps: Step) -> list[Step]:
    """Steps that one mode has, and the other does without."""
    return [{**step, _ONLY: mode} for step in steps]


def write(file: str, text: str) -> Step:
    """Writes a file in the directory of the run."""
    return {"write": file, "text": text}


def topic(name: str, partitions: int = 1) -> Step:
    """Creates a topic."""
    return {"topic": name, "partitions": partitions}


def produce(name: str, *values: str, partition: int = 0) -> Step:
    """Writes values to a partition of a topic."""
    return {"produce": name, "partition": partition, "values": list(values)}
