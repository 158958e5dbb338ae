"""Drawn by lot: several connectors at once sent from state to state, with offsets and topics."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.steps import (
    Chapter,
    Step,
    ask,
    created,
    delete,
    gone,
    is_in,
    patch,
    post,
    produce,
    put,
    show,
    topic,
    until,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CHAPTERS"]

_SOURCE = {"connector.class": "TrialSource", "topic": "third-lives", "tasks.max": "3"}
_STATES = {"pause": "PAUSED", "resume": "RUNNING", "stop": "STOPPED"}
_VERBS = ("pause", "resume", "stop", "restart", "parts", "patch", "remove", "task")
_VIEWS = (
    "/connectors/{}",
    "/connectors/{}/status",
    "/connectors/{}/tasks",
    "/connectors/{}/tasks-config",
    "/connectors/{}/tasks/1/status",
    "/connectors/{}/offsets",
    "/connectors/{}/topics",
    "/connectors/{}/config",
    "/connectors",
    "/connectors?expand=status",
    "/connectors?expand=info&expand=status",
)
_QUERIES = (
    "",
    "?includeTasks=true",
    "?onlyFailed=true",
    "?includeTasks=True&onlyFailed=false",
    "?onlyfailed=true&includetasks=true",
    "?includeTasks=true&x=y",
    "?includeTasks=false&onlyFailed=yes",
)


class _Life:
    """One connector as it ought to be."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = ""
        self.parts = 0
        self.tasks = 0

    def config(self) -> dict[str, str]:
        return {**_SOURCE, "parts": str(self.parts)}

    def settled(self) -> Step:
        return is_in(self.name, self.state, *[self.state] * self.tasks)


def _changed(draw: random.Random, life: _Life) -> Iterator[Step]:
    """One change by lot, and the wait until it is done."""
    base, verb = f"/connectors/{life.name}", draw.choice(_VERBS)
    if not life.state:
        life.state = draw.choice(("RUNNING", "RUNNING", "PAUSED", "STOPPED"))
        life.parts = draw.randrange(1, 4)
        life.tasks = life.parts if life.state == "RUNNING" else 0
        body = {"name": life.name, "config": life.config(), "initial_state": life.state}
        yield post("/connectors", body)
    elif verb in _STATES:
        if life.state == "STOPPED" and verb == "pause":
            life.tasks = 0
        yield put(f"{base}/{verb}")
        life.state = _STATES[verb]
        life.tasks = {"resume": life.parts, "stop": 0}.get(verb, life.tasks)
    elif verb == "parts":
        life.parts = draw.randrange(1, 4)
        yield put(f"{base}/config", life.config())
        life.tasks = life.parts if life.state == "RUNNING" else life.tasks
    elif verb == "patch":
        yield patch(f"{base}/config", {"mark": str(draw.randrange(100)), "gone": None})
        life.tasks = life.parts if life.state == "RUNNING" else life.tasks
    elif verb == "remove":
        yield from gone(life.name)
        life.state = ""
        return
    elif verb == "task":
        task = draw.randrange(life.tasks) if life.tasks else "none"
        yield post(f"{base}/tasks/{task}/restart")
    else:
        yield post(f"{base}/restart{draw.choice(_QUERIES)}")
    yield life.settled()


def _together() -> list[Step]:
    draw = random.Random(3301)  # noqa: S311  # nothing to guess
    lives = [_Life("first"), _Life("second")]
    found: list[Step] = [topic("third-lives")]
    for _ in range(44):
        life = draw.choice(lives)
        found += _changed(draw, life)
        found.append(show(draw.choice(_VIEWS).format(life.name)))
    return [*found, *(step for life in lives if life.state for step in gone(life.name))]


_FAILING = (
    ("start", "FAILED", ()),
    ("task.start", "RUNNING", ("FAILED", "FAILED")),
    ("first.task.start", "RUNNING", ("FAILED", "RUNNING")),
    ("task.poll", "RUNNING", ("FAILED", "FAILED")),
)


def _failed() -> Iterator[Step]:
    """Failed connectors are looked at, changed and mended in place."""
    draw = random.Random(3302)  # noqa: S311
    for place, state, tasks in _FAILING:
        name = place.replace(".", "-")
        config = {**_SOURCE, "parts": "2", "fail.at": place}
        yield from created(name, config, state, *tasks)
        yield from (show(each.format(name)) for each in draw.sample(_VIEWS[:9], 4))
        yield ask("PATCH", f"/connectors/{name}/offsets", {"offsets": []})
        yield delete(f"/connectors/{name}/offsets")
        task = draw.choice(("5x", "0.0", "%20"))
        yield post(f"/connectors/{name}/tasks/{task}/restart")
        yield patch(f"/connectors/{name}/config", {"fail.at": None})
        yield is_in(name, "RUNNING", "RUNNING", "RUNNING")
        yield put(f"/connectors/{name}/topics/reset")
        yield show(f"/connectors/{name}/topics")
        yield from gone(name)


_ODD_SOURCE: Sequence[Any] = (
    {"partition": {"part": "0"}, "offset": {"count": 2}},
    {"partition": {"part": "1"}, "offset": {"count": 9007199254740993}},
    {"partition": {"part": "0", "deep": {"a": [1, None]}}, "offset": {"count": 1}},
    {"partition": {"part": "2"}, "offset": {"count": -0.0, "e": 1e100}},
    {"partition": {"part": "2"}, "offset": {}},
    {"partition": {"part": "1"}, "offset": None},
    {"partition": {"part": None}, "offset": {"count": None}},
    {"partition": {"": ""}, "offset": {"ü": "\u2028"}},
    {"partition": {"part": 1.0}, "offset": {"count": "x"}},
    {"offset": {"count": 2}, "partition": {"part": "0"}, "x": []},
    {"partition": {"part": "0"}},
)


def _moved() -> Iterator[Step]:
    """A source writes, and its offsets are changed between its lives."""
    draw = random.Random(3303)  # noqa: S311
    yield topic("third-moved")
    config = {**_SOURCE, "topic": "third-moved", "parts": "2", "records": "4"}
    yield from created("moves", config, "RUNNING", "RUNNING", "RUNNING")
    done = [{"offset": {"count": 4}}] * 2
    yield until("/connectors/moves/offsets", offsets=done)
    yield until("/connectors/moves/topics", moves={"topics": ["third-moved"]})
    yield put("/connectors/moves/stop")
    yield is_in("moves", "STOPPED")
    for _ in range(14):
        some = draw.sample(_ODD_SOURCE, draw.randrange(1, 4))
        yield patch("/connectors/moves/offsets", {"offsets": some})
        yield show("/connectors/moves/offsets")
    yield put("/connectors/moves/pause")
    yield is_in("moves", "PAUSED")
    yield show("/connectors/moves/offsets")
    yield delete("/connectors/moves/offsets")
    yield patch("/connectors/moves/offsets", {"offsets": [_ODD_SOURCE[0]]})
    yield put("/connectors/moves/stop")
    yield is_in("moves", "STOPPED")
    yield delete("/connectors/moves/offsets")
    yield show("/connectors/moves/offsets")
    yield put("/connectors/moves/resume")
    yield is_in("moves", "RUNNING", "RUNNING", "RUNNING")
    yield until("/connectors/moves/offsets", offsets=done)
    yield from gone("moves")


def _sunk() -> Iterator[Step]:
    """A sink reads, and its offsets are changed between its lives."""
    draw = random.Random(3304)  # noqa: S311
    yield topic("third-sunk", 3)
    for partition in range(3):
        yield produce("third-sunk", '"a"', '"b"', partition=partition)
    config = {"connector.class": "FileStreamSink", "topics": "third-sunk", "file": "@DIR@/sunk"}
    whole = [{"offset": {"kafka_offset": 2}}] * 3
    yield from created("sinks", config, "RUNNING", "RUNNING")
    yield until("/connectors/sinks/offsets", offsets=whole)
    yield until("/connectors/sinks/topics", sinks={"topics": ["third-sunk"]})
    yield put("/connectors/sinks/stop")
    yield is_in("sinks", "STOPPED")
    for _ in range(16):
        some = [
            {
                "partition": {
                    "kafka_topic": draw.choice(("third-sunk", "third-sunk", "third-none", 3)),
                    "kafka_partition": draw.choice((0, 1, 2, "1", "02", 3, -1, 1.0)),
                },
                "offset": draw.choice(
                    ({"kafka_offset": 1}, {"kafka_offset": "0"}, None, {"kafka_offset": 2**63})
                ),
            }
            for _ in range(draw.randrange(1, 3))
        ]
        yield patch("/connectors/sinks/offsets", {"offsets": some})
        yield show("/connectors/sinks/offsets")
    yield delete("/connectors/sinks/offsets")
    yield show("/connectors/sinks/offsets")
    yield put("/connectors/sinks/resume")
    yield is_in("sinks", "RUNNING", "RUNNING")
    yield until("/connectors/sinks/offsets", offsets=whole)
    yield put("/connectors/sinks/stop")
    yield delete("/connectors/sinks/offsets")
    yield is_in("sinks", "STOPPED")
    yield from gone("sinks")


_ROUTED = {
    "transforms": "route",
    "transforms.route.type": "RegexRouter",
    "transforms.route.regex": "third-(.*)",
    "transforms.route.replacement": "third-to-$1",
}


def _topics() -> Iterator[Step]:
    """Topics that connectors use, after routing, resets and removals."""
    for name in ("third-to-lines", "third-lines", "third-t1", "third-t2"):
        yield topic(name)
    yield write("third.txt", "one\ntwo\n")
    config = {
        "connector.class": "FileStreamSource",
        "topic": "third-lines",
        "file": "@DIR@/third.txt",
    }
    yield from created("lines", {**config, **_ROUTED}, "RUNNING", "RUNNING")
    yield until("/connectors/lines/topics", lines={"topics": ["third-to-lines"]})
    yield show("/connectors/lines/offsets")
    yield put("/connectors/lines/stop")
    yield is_in("lines", "STOPPED")
    yield put("/connectors/lines/topics/reset")
    yield put("/connectors/lines/config", config)
    yield put("/connectors/lines/resume")
    yield is_in("lines", "RUNNING", "RUNNING")
    yield write("third.txt", "one\ntwo\nthree\n")
    yield until("/connectors/lines/topics", lines={"topics": ["third-lines"]})
    yield from gone("lines")
    yield show("/connectors/lines/topics")
    for name in ("third-t1", "third-t2"):
        yield produce(name, '"x"')
    sink = {"connector.class": "TrialSink", "topics.regex": "third-t[12]"}
    yield from created("both", sink, "RUNNING", "RUNNING")
    yield until("/connectors/both/topics", both={"topics": ["third-t1", "third-t2"]})
    yield until("/connectors/both/offsets", offsets=[{"offset": {"kafka_offset": 1}}] * 2)
    yield put("/connectors/both/pause")
    yield is_in("both", "PAUSED", "PAUSED")
    yield put("/connectors/both/topics/reset")
    yield until("/connectors/both/topics", both={"topics": []})
    yield post("/connectors/both/restart?includeTasks=true")
    yield is_in("both", "PAUSED", "PAUSED")
    yield show("/connectors/both/topics")
    yield from gone("both")


CHAPTERS = (
    Chapter("third-together", _together()),
    Chapter("third-failed", list(_failed())),
    Chapter("third-moved", list(_moved())),
    Chapter("third-sunk", list(_sunk())),
    Chapter("third-topics", list(_topics())),
)
