"""Lives of connectors: what is done to them, and what their scripts do.

A script has rules, ``CALL NUMBER: ACTION & ACTION``, for the calls of one instance. The connectors
of ``plugins`` write each call into a file. In scripts and patterns ``T`` stands for the topic,
which is named like the connector.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.oracle.worker.steps import Step, ask, gone, is_in, post, put, topic, until
from tests.oracle.worker.steps import produce as _produce

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Act = Callable[[str], list[Step]]

__all__ = [
    "BEATS",
    "EXACT",
    "FAILED",
    "PLAIN",
    "RUNNING",
    "SITTINGS",
    "Life",
    "asked",
    "called",
    "changed",
    "committed",
    "created_topic",
    "offsets",
    "produced",
    "restarted",
    "sink",
    "source",
    "states",
]

PLAIN, BEATS, EXACT = "plain", "beats", "exact"
SITTINGS = (PLAIN, BEATS, EXACT)
"""Workers that commit when asked, that commit often, and that have exactly-once sources."""
RUNNING, FAILED = ("RUNNING", "RUNNING"), ("RUNNING", "FAILED")
"""The states of a connector and its task."""
_TOPIC = re.compile(r"\bT\b")


@dataclass(frozen=True, slots=True)
class Life:
    """The life of one connector.

    Attributes:
        name: of it and of its topic; unique in a sitting.
        steps: in order; one that waits for a call has the pattern of its line.
        sitting: the worker that it lives in.
    """

    name: str
    steps: Sequence[Step]
    sitting: str


def sink(  # noqa: PLR0913  # all but the first two have defaults
    name: str,
    values: str,
    script: str,
    *acts: Act,
    other: str | None = None,
    config: Mapping[str, str] | None = None,
    sitting: str = PLAIN,
) -> Life:
    """A sink whose topic has ``values`` already, and a second partition with ``other`` ones."""
    own = {"connector.class": "witness.WitnessSinkConnector", "topics": f"sink-{name}"}
    before = [topic(f"sink-{name}", 1 if other is None else 2)]
    for partition, texts in enumerate((values, other)):
        if texts:
            before.append(_produce(f"sink-{name}", *texts.split(), partition=partition))
    return _life(f"sink-{name}", before, {**own, **(config or {})}, script, acts, sitting)


def source(
    name: str,
    script: str,
    *acts: Act,
    config: Mapping[str, str] | None = None,
    sitting: str = PLAIN,
) -> Life:
    """A source with a topic of its own."""
    own = {"connector.class": "witness.WitnessSourceConnector", "topic": f"source-{name}"}
    return _life(
        f"source-{name}",
        [topic(f"source-{name}")],
        {**own, **(config or {})},
        script,
        acts,
        sitting,
    )


def _life(  # noqa: PLR0913, PLR0917  # the two kinds of connectors end here
    name: str,
    before: Sequence[Step],
    own: Mapping[str, str],
    script: str,
    acts: Sequence[Act],
    sitting: str,
) -> Life:
    base = {"tasks.max": "1", "calls": f"@DIR@/{name}.calls", "script": _named(script, name)}
    created = post("/connectors", {"name": name, "config": {**base, **own}})
    steps = [created, *(step for act in acts for step in act(name)), *gone(name)]
    topics = [
        {
            key: _named(value, name) if key in {"topic", "produce"} else value
            for key, value in s.items()
        }
        for s in before
    ]
    return Life(name, [*topics, *steps], sitting)


def _named(text: str, name: str) -> str:
    return _TOPIC.sub(name, text)


def called(*patterns: str) -> Act:
    """Waits for calls, in any order, after those that were waited for already."""
    return lambda name: [{"called": [_named(pattern, name) for pattern in patterns]}]


def created_topic(name: str) -> Act:
    """Another topic comes."""
    return lambda own: [topic(_named(name, own))]


def committed(*offsets: int) -> Act:
    """Waits until these are the committed offsets of the partitions of the sink's topic."""

    def act(name: str) -> list[Step]:
        found = [
            {
                "partition": {"kafka_topic": name, "kafka_partition": partition},
                "offset": {"kafka_offset": offset},
            }
            for partition, offset in enumerate(offsets)
        ]
        return [until(f"/connectors/{name}/offsets", offsets=found)]

    return act


def produced(values: str, partition: int = 0, to: str = "T") -> Act:
    """More values come."""
    return lambda name: [_produce(_named(to, name), *values.split(), partition=partition)]


def states(*expected: str) -> Act:
    """Waits until the connector and its tasks are in these states."""
    return lambda name: [is_in(name, *expected)]


def asked(what: str, *expected: str) -> Act:
    """A change of the state, and a wait for what the connector and its tasks are then."""
    return lambda name: [put(f"/connectors/{name}/{what}"), is_in(name, *expected)]


def restarted(what: str = "tasks/0/restart") -> Act:
    """A restart of the task, or of what is named."""
    return lambda name: [ask("POST", f"/connectors/{name}/{what}")]


def changed(**settings: str) -> Act:
    """Some settings become others."""
    return lambda name: [ask("PATCH", f"/connectors/{name}/config", settings)]


def offsets(*pairs: Mapping[str, object]) -> Act:
    """Offsets of the stopped connector become others, or are forgotten if there are none."""

    def act(name: str) -> list[Step]:
        target = f"/connectors/{name}/offsets"
        if not pairs:
            return [ask("DELETE", target)]
        text = [{"partition": dict(p["partition"]), "offset": p["offset"]} for p in pairs]
        return [ask("PATCH", target, {"offsets": text})]

    return act
