"""Requests drawn by lot: endpoints, states, methods, bodies and headers in odd combinations."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.steps import (
    STANDALONE,
    Chapter,
    Step,
    ask,
    created,
    gone,
    is_in,
    patch,
    post,
    put,
    show,
    topic,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CHAPTERS"]

_ONLY = (STANDALONE,)
_SOURCE = {"connector.class": "TrialSource", "topic": "drawn", "tasks.max": "2", "parts": "2"}
_RESOURCES = (
    "",
    "/config",
    "/status",
    "/tasks",
    "/tasks-config",
    "/tasks/0/status",
    "/tasks/1/status",
    "/tasks/2/status",
    "/tasks/00/status",
    "/tasks/0/nope",
    "/offsets",
    "/nope",
    "/status/",
    "/tasks?x=y",
    "/status?expand=info",
)
_HARMLESS = (
    ("PATCH", "/config", {"tasks.max": "many"}),
    ("PATCH", "/config", {"connector.class": None}),
    ("PATCH", "/config", {"connector.class": "Nope"}),
    ("PATCH", "/config", {"parts": -1}),
    ("PATCH", "/config", {"topic": ""}),
    ("PATCH", "/config", {"name": ""}),
    ("PATCH", "/config", {"parts": [1]}),
    ("PATCH", "/config", []),
    ("PATCH", "/config", "x"),
    ("PUT", "/config", {**_SOURCE, "parts": "x"}),
    ("PUT", "/config", {**_SOURCE, "topic": ""}),
    ("PUT", "/config", {**_SOURCE, "name": ""}),
    ("PUT", "/config", {**_SOURCE, "name": "drawn "}),
    ("PUT", "/config", {"connector.class": "TrialSink"}),
    ("PUT", "/config", {"connector.class": None}),
    ("PUT", "/config", None),
    ("PUT", "/config", [1]),
    ("PUT", "/offsets", {"offsets": [{"partition": {"a": 1}, "offset": {"b": 2}}]}),
    ("PATCH", "/offsets", {"offsets": [{"partition": {"a": 1}}, {"offset": {"b": 2}}]}),
    ("PATCH", "/offsets", {"offsets": [{"partition": {"a": 1}, "offset": 7}]}),
    ("PATCH", "/offsets", {"offset": []}),
    ("PATCH", "/offsets", {"offsets": [[]]}),
    ("PATCH", "/offsets", {"offsets": 0}),
    ("POST", "/offsets", None),
    ("PUT", "/status", {}),
    ("POST", "/tasks", []),
    ("POST", "/tasks", {}),
    ("PUT", "/tasks/0/restart", None),
    ("POST", "/tasks/x/restart", None),
    ("POST", "/tasks/1.5/restart", None),
    ("GET", "/restart", None),
    ("PUT", "/restart?includeTasks=true", None),
    ("POST", "/pause", None),
    ("PATCH", "/resume", None),
    ("DELETE", "/stop", None),
    ("PUT", "/fence", None),
    ("GET", "/fence", None),
    ("POST", "/topics", None),
    ("DELETE", "/topics/reset", None),
    ("DELETE", "/config", None),
    ("DELETE", "/tasks", None),
    ("OPTIONS", "/config", None),
    ("OPTIONS", "/offsets", None),
    ("HEAD", "/status", None),
    ("HEAD", "/tasks/9/status", None),
)
_QUERIES = (
    "expand=info",
    "expand=status&expand=info&expand=info",
    "expand=Info",
    "expand=info%20",
    "Expand=status",
    "expand=status&x",
    "",
)


def _about(draw: random.Random, name: str) -> Iterator[Step]:
    """Some requests that change nothing, in whatever state the connector is."""
    for rest in draw.sample(_RESOURCES, 6):
        yield show(f"/connectors/{name}{rest}")
    for method, rest, body in draw.sample(_HARMLESS, 13):
        yield ask(method, f"/connectors/{name}{rest}", body)
    yield show(f"/connectors?{draw.choice(_QUERIES)}")


def _state(draw: random.Random, verb: str, *states: str) -> list[Step]:
    reached = [put(f"/connectors/drawn/{verb}"), is_in("drawn", *states)]
    return [*reached, *_about(draw, "drawn")]


def _states() -> list[Step]:
    draw = random.Random(1704)  # noqa: S311  # nothing to guess
    return [
        topic("drawn"),
        *created("drawn", _SOURCE, "RUNNING", "RUNNING", "RUNNING"),
        *_about(draw, "drawn"),
        *_state(draw, "pause", "PAUSED", "PAUSED", "PAUSED"),
        *_state(draw, "stop", "STOPPED"),
        *_state(draw, "pause", "PAUSED"),
        *_state(draw, "resume", "RUNNING", "RUNNING", "RUNNING"),
        *gone("drawn"),
        *_about(draw, "drawn"),
        *created("drawn", {**_SOURCE, "fail.at": "start"}, "FAILED"),
        *_about(draw, "drawn"),
        *gone("drawn"),
    ]


_BASE = {"name": "broken", "config": {"connector.class": "TrialSource", "tasks.max": "1"}}
"""It lacks a topic, so that no change of it can make a connector."""
_ENDS = (" ", "\n\n", "x", "null", ",", "\0", "]", "//")
_VALUES: Sequence[Any] = ({}, [None], 0, -1.5, 1e300, "", "é", True, False, None, 10**30)


def _broken(draw: random.Random, body: dict[str, Any]) -> str:
    """A body with one thing about it that is odd."""
    text = json.dumps(body)
    place = draw.randrange(1, len(text) - 1)
    return draw.choice(
        (
            text[:place],
            text[:place] + draw.choice("{}[],:\"'\\\t0") + text[place + 1 :],
            text + draw.choice(_ENDS),
            f"[{text}]",
            json.dumps({**body, draw.choice((*body, "more")): draw.choice(_VALUES)}),
            text[:-1] + ', "name": "again"}',
        )
    )


def _bodies() -> list[Step]:
    draw = random.Random(1705)  # noqa: S311
    config, validate = _BASE["config"], "/connector-plugins/TrialSource/config/validate"
    asked = (
        ("POST", "/connectors", _BASE),
        ("PUT", "/connectors/broken/config", config),
        ("PATCH", "/connectors/broken/config", config),
        ("PUT", validate, config),
        ("PATCH", "/connectors/broken/offsets", {"offsets": [{"partition": {"a": 1}}]}),
        ("PUT", "/admin/loggers/broken", {"level": "INFO"}),
    )
    return [
        ask(method, target, text=_broken(draw, body))
        for _ in range(11)
        for method, target, body in asked
    ]


_ACCEPT = (
    "application/xml",
    "application/json;q=0.5",
    "text/html, application/json",
    "text/*",
    "text/html;q=0.9, */*;q=0.1",
    "application/*;q=0.2",
    "application/json;q=0",
    "APPLICATION/JSON",
    "*/json",
    "application/vnd.kafka+json",
    "json",
)
_CONTENT = (
    "application/json; charset=latin1",
    "application/json;",
    "application/xml",
    "text/json",
    "application/x-www-form-urlencoded",
    "application/*",
    "*/*",
    "application/json, text/plain",
    "json",
    "multipart/form-data",
)
_ORIGINS = ("https://console.example", "https://console.example:8443", "null", "x")


def _headers() -> list[Step]:
    draw = random.Random(1706)  # noqa: S311
    targets = ("/", "/connectors", "/connectors/none/status", "/connector-plugins", "/nope")
    changes = ("PUT /connectors/none/config", "POST /connectors", "PATCH /connectors/none/offsets")
    found = [show(draw.choice(targets), Accept=each) for each in _ACCEPT]
    for each in _CONTENT:
        method, target = draw.choice(changes).split()
        found.append(ask(method, target, {}, headers={"Content-Type": each}))
    for origin in _ORIGINS:
        for method in draw.sample(("GET", "PUT", "DELETE", "OPTIONS"), 2):
            asking = {"Origin": origin, "Access-Control-Request-Method": draw.choice(("GET", "X"))}
            found.append(ask(method, draw.choice(targets), headers=asking))
    return found


_SEGMENTS = (
    "connectors",
    "none",
    "status",
    "config",
    "tasks",
    "0",
    "..",
    ".",
    "",
    "%2e",
    "%20",
    "a%2fb",
    "a;b",
    "%e2%82%ac",
    "%c3",
    "a%09b",
    "admin",
    "loggers",
    "connector-plugins",
)


def _paths() -> list[Step]:
    draw = random.Random(1707)  # noqa: S311
    found = []
    for _ in range(45):
        first = draw.choice(("connectors", "connectors", "admin", "connector-plugins"))
        rest = draw.choices(_SEGMENTS, k=draw.randrange(1, 4))
        found.append(show("/" + "/".join([first, *rest])))
    return found


_LOGGERS = ("drawn", "drawn.a", "drawn.a.b", "drawn.", "drawn..c", "Drawn", "drawn%2Fd", "drawn$e")
_WORDS = ("info", "WARN ", "\tDEBUG", "trace", "Off", "all", "fatal", "10", "warning", "CRITICAL")


def _loggers() -> list[Step]:
    draw = random.Random(1708)  # noqa: S311
    found: list[Step] = []
    for word in _WORDS * 2:
        scope = draw.choice(("", "", "", "?scope=worker", "?scope=odd", "?scope=%20"))
        found.append(put(f"/admin/loggers/{draw.choice(_LOGGERS)}{scope}", {"level": word}))
        found.append(show(f"/admin/loggers/{draw.choice(_LOGGERS)}"))
    return found


_VERBS = ("pause", "resume", "stop", "restart", "restart?includeTasks=true", "config", "task")


def _walked(draw: random.Random, state: str, tasks: int) -> Iterator[Step]:
    """A connector is sent from state to state by lot."""
    for _ in range(26):
        verb = draw.choice(_VERBS)
        base = f"/connectors/walker/{verb}"
        if verb in ("pause", "resume", "stop"):
            yield put(base)
            tasks = {"resume": 2, "stop": 0}.get(verb, tasks)
            state = {"pause": "PAUSED", "resume": "RUNNING", "stop": "STOPPED"}[verb]
        elif verb == "config":
            yield put(base, {**_SOURCE, "mark": str(draw.randrange(100))})
            tasks = 0 if state == "STOPPED" else 2 if state == "RUNNING" else tasks
        elif verb == "task":
            # Java shows a task that is not there as FAILED once it was to be restarted.
            task = draw.randrange(tasks) if tasks else "x"
            yield post(f"/connectors/walker/tasks/{task}/restart")
        else:
            yield post(base)
        yield is_in("walker", state, *[state] * tasks)
        yield show(f"/connectors/walker{draw.choice(('', '/config', '/tasks', '/offsets'))}")


def _walks() -> list[Step]:
    draw = random.Random(1709)  # noqa: S311
    started = created("walker", _SOURCE, "RUNNING", "RUNNING", "RUNNING")
    return [*started, *_walked(draw, "RUNNING", 2), *gone("walker")]


_OFFSETS: Sequence[Any] = (
    {"partition": {"part": "0"}, "offset": {"count": 3}},
    {"partition": {"part": 0}, "offset": {"count": "3"}},
    {"partition": {"part": "1"}, "offset": None},
    {"partition": {"part": "1", "x": None}, "offset": {"count": 1.5, "y": [1, "a"]}},
    {"partition": {}, "offset": {}},
    {"partition": None, "offset": None},
    {"partition": {"ü": "日本"}, "offset": {"": ""}},
    {"partition": {"part": "0"}, "offset": {"count": 2**63}},
    {"partition": {"part": True}, "offset": {"count": False}},
    {"partition": [], "offset": {}},
    {"partition": {"part": "0"}, "offsets": {}},
)


def _offsets() -> list[Step]:
    draw = random.Random(1710)  # noqa: S311
    found = created("placed", _SOURCE, "RUNNING", "RUNNING", "RUNNING")
    found += [put("/connectors/placed/stop"), is_in("placed", "STOPPED")]
    for _ in range(20):
        some = draw.sample(_OFFSETS, draw.randrange(1, 3))
        found += [patch("/connectors/placed/offsets", {"offsets": some})]
        found += [show("/connectors/placed/offsets")]
    return [*found, ask("DELETE", "/connectors/placed/offsets"), *gone("placed")]


CHAPTERS = (
    Chapter("drawn-states", _states(), _ONLY),
    Chapter("drawn-bodies", _bodies(), _ONLY),
    Chapter("drawn-headers", _headers(), _ONLY),
    Chapter("drawn-paths", _paths(), _ONLY),
    Chapter("drawn-loggers", _loggers(), _ONLY),
    Chapter("drawn-walks", _walks(), _ONLY),
    Chapter("drawn-offsets", _offsets(), _ONLY),
)
