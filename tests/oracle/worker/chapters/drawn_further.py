"""Drawn by lot as well, of kinds that the first drawing lacks: media, methods, states, versions."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.chapters.plugins import (
    BUILT_IN,
    CONVERTERS,
    PREDICATES,
    TRANSFORMATIONS,
)
from tests.oracle.worker.steps import (
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
    until,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["CHAPTERS"]

_SOURCE = {"connector.class": "TrialSource", "topic": "further", "tasks.max": "2", "parts": "2"}
_TAKING: Sequence[tuple[str, str, Any]] = (
    ("POST", "/connectors", {"name": "f", "config": {"connector.class": "TrialSource"}}),
    ("PUT", "/connectors/none/config", {"connector.class": "TrialSource"}),
    ("PATCH", "/connectors/none/config", {"parts": "3"}),
    ("PATCH", "/connectors/none/offsets", {"offsets": [{"partition": {"a": 1}, "offset": None}]}),
    ("PUT", "/connector-plugins/TrialSource/config/validate", {"connector.class": "TrialSource"}),
    ("PUT", "/admin/loggers/further.further", {"level": "WARN"}),
    ("PUT", "/connectors/none/pause", None),
    ("PUT", "/connectors/none/topics/reset", None),
    ("POST", "/connectors/none/tasks", [{"a": "b"}]),
    ("DELETE", "/connectors/none/offsets", None),
)
_CONTENT = (
    "application/json",
    "application/json; charset=UTF-16",
    "application/json; charset=nope",
    "application/json; q=1",
    "Application/Json;Charset=utf-8",
    "application/merge-patch+json",
    "application/octet-stream",
    "application/x-yaml",
    "text/plain; charset=utf-8",
    "text/html",
    "image/png",
    "application",
    "application/",
    "/json",
    "application/json application/xml",
    ";",
    "*/json",
    "application/*+json",
)
_ACCEPT = (
    "application/json",
    "application/json;charset=utf-16",
    "application/xml;q=0.9, application/json;q=0.1",
    "text/plain",
    "text/html;q=1",
    "*/*;q=0",
    "*/*;q=x",
    "application/*+json",
    "application/json, ,",
    "image/*, */*;q=0.01",
    ";q=1",
)


def _media() -> list[Step]:
    draw = random.Random(2001)  # noqa: S311  # nothing to guess
    found = []
    for _ in range(44):
        method, target, body = draw.choice(_TAKING)
        headers = {}
        if draw.random() < 0.8:
            headers["Content-Type"] = draw.choice(_CONTENT)
        if draw.random() < 0.4:
            headers["Accept"] = draw.choice(_ACCEPT)
        if draw.random() < 0.2:
            headers["Origin"] = draw.choice(("https://console.example", "http://console.example"))
        target += draw.choice(("", "", "", "/", "?x=%20", "?x&x"))
        found.append(ask(method, target, body, headers=headers or None))
    return found


_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "LINK", "PROPFIND", "Put")
_PLACES = (
    "/",
    "/health",
    "/connectors",
    "/connectors/walked",
    "/connectors/walked/status",
    "/connectors/walked/tasks",
    "/connectors/walked/tasks/0",
    "/connectors/walked/tasks/0/status",
    "/connectors/walked/tasks/7/status",
    "/connectors/walked/tasks-config",
    "/connectors/walked/topics/nope",
    "/connectors/walked/offsets/nope",
    "/connectors/walked/restart/nope",
    "/connector-plugins",
    "/connector-plugins/TrialSource",
    "/connector-plugins/TrialSource/config",
    "/connector-plugins/TrialSource/config/validate",
    "/connector-plugins/TrialSource/config/nope",
    "/admin/loggers",
    "/admin/loggers/further.none",
    "/admin/nope",
)
_TAILS = ("", "", "", "/", "//", "?", "?a=b", ";v=1", "/?expand=info", "%20", "/.", "?%zz")
_CHANGING = {("DELETE", "/connectors/walked"), ("POST", "/connectors/walked/tasks")}


def _methods() -> list[Step]:
    draw = random.Random(2002)  # noqa: S311
    found: list[Step] = created("walked", _SOURCE, "RUNNING", "RUNNING", "RUNNING")
    while len(found) < 46:
        method, place = draw.choice(_METHODS), draw.choice(_PLACES)
        if (method, place) not in _CHANGING:
            found.append(ask(method, place + draw.choice(_TAILS)))
    return [*found, *gone("walked")]


_EXPANDED = ("expand=status", "expand=info", "expand=Status", "expand=", "expand", "expand=tasks")
_BESIDES = ("x=1", "Expand=info", "expand=info,status", "expand=%69nfo", "expand=+info", "&", "=")


def _expand() -> list[Step]:
    draw = random.Random(2003)  # noqa: S311
    found = [
        *created("walking", {**_SOURCE, "parts": "1"}, "RUNNING", "RUNNING"),
        post("/connectors", {"name": "still", "config": _SOURCE, "initial_state": "STOPPED"}),
        is_in("still", "STOPPED"),
        post("/connectors", {"name": "held", "config": _SOURCE, "initial_state": "PAUSED"}),
        is_in("held", "PAUSED"),
        *created("broken", {**_SOURCE, "fail.at": "start"}, "FAILED"),
        *created("half", {**_SOURCE, "fail.at": "task.start", "parts": "1"}, "RUNNING", "FAILED"),
    ]
    for _ in range(18):
        some = draw.choices(_EXPANDED, k=draw.randrange(1, 4)) + draw.choices(_BESIDES, k=1)
        draw.shuffle(some)
        found.append(show(f"/connectors{draw.choice(('', '', '/'))}?{'&'.join(some)}"))
    return [
        *found,
        *(step for n in ("walking", "still", "held", "broken", "half") for step in gone(n)),
    ]


_PARTITIONS: Sequence[Any] = ({"part": "0"}, {"part": 1}, {}, None, [], "p", 0, {"part": {"a": 1}})
_COUNTS: Sequence[Any] = ({"count": 1}, {"count": None}, {}, None, [1], "o", 1.5, {"a": [[]]})
_WHOLE: Sequence[Any] = (
    {},
    {"offsets": []},
    {"offsets": None},
    {"offsets": {"partition": {}, "offset": {}}},
    {"offsets": ["x"]},
    {"Offsets": []},
    {"offsets": [], "offsets ": []},
    [],
    "x",
    7,
    True,
)
_TEXTS = ("", " ", "null", "{", "[", '{"offsets":[{}', '{"offsets":[,]}', "\ufeff{}", "NaN", "'x'")


def _asked_of_offsets(draw: random.Random, name: str) -> Iterator[Step]:
    """Wrong changes of offsets, and what they are after each that is none."""
    target = f"/connectors/{name}/offsets"
    for _ in range(9):
        kind = draw.random()
        if kind < 0.45:
            some = [
                {"partition": draw.choice(_PARTITIONS), "offset": draw.choice(_COUNTS)}
                for _ in range(draw.randrange(1, 3))
            ]
            yield patch(target, {"offsets": some})
        elif kind < 0.65:
            yield patch(target, draw.choice(_WHOLE))
        elif kind < 0.85:
            yield ask("PATCH", target, text=draw.choice(_TEXTS))
        else:
            yield ask(draw.choice(("PUT", "POST", "OPTIONS", "HEAD")), target, {})
    yield ask("DELETE", target, text=draw.choice(_TEXTS))
    yield show(f"{target}{draw.choice(('', '?x=y', '/'))}")


def _offsets() -> list[Step]:
    draw = random.Random(2004)  # noqa: S311
    return [
        topic("further"),
        *_asked_of_offsets(draw, "moved"),
        *created("moved", _SOURCE, "RUNNING", "RUNNING", "RUNNING"),
        *_asked_of_offsets(draw, "moved"),
        put("/connectors/moved/pause"),
        is_in("moved", "PAUSED", "PAUSED", "PAUSED"),
        *_asked_of_offsets(draw, "moved"),
        put("/connectors/moved/stop"),
        is_in("moved", "STOPPED"),
        *_asked_of_offsets(draw, "moved"),
        *gone("moved"),
        *created("moved", {**_SOURCE, "fail.at": "start"}, "FAILED"),
        *_asked_of_offsets(draw, "moved"),
        put("/connectors/moved/stop"),
        is_in("moved", "STOPPED"),
        *_asked_of_offsets(draw, "moved"),
        *gone("moved"),
    ]


_LOGGERS = (
    "further.f",
    "further.f.g",
    "further.f.g.h",
    "further.F",
    "further.%20f",
    "further.f%2Eg",
    "further",
)
_LEVELS: Sequence[Any] = ("INFO", "debug", "Error", "WARNING", "OFF", "", " ", None, 3, [], "ÏNFO")
_SCOPES = ("", "?scope=worker", "?scope=Worker", "?scope=", "?scope", "?scope=x&scope=worker")
_FIELDS = ("level", "level", "level", "level", "Level", "levels")


def _loggers() -> list[Step]:
    draw = random.Random(2005)  # noqa: S311
    found: list[Step] = []
    for number in range(16):
        name = draw.choice(_LOGGERS)
        body: Any = {draw.choice(_FIELDS): draw.choice(_LEVELS)}
        if draw.random() < 0.2:
            body = draw.choice(([body], {}, "INFO", {**body, "scope": "worker"}))
        found += [put(f"/admin/loggers/{name}{draw.choice(_SCOPES)}", body)]
        found += [show(f"/admin/loggers/{draw.choice(_LOGGERS)}{draw.choice(_SCOPES)}")]
        if number % 5 == 4:
            level = draw.choice(("ERROR", "WARN"))
            found += [put(f"/admin/loggers/{name}?scope=cluster", {"level": level})]
            found += [until(f"/admin/loggers/{name}", level=level)]
    return found


_ASKED = (
    "1.0.0",
    "2.0.0",
    "@VERSION@",
    "latest",
    "%5B2.0.0%5D",
    "%5B1.0.0,2.0.0)",
    "(,2.0.0)",
    "%20",
    "",
    "v1",
)
_FOUND = (
    "VersionedSink",
    "VersionedSinkConnector",
    "versioned.VersionedSinkConnector",
    "TrialSink",
    "EveryTypeSinkConnector",
    "InsertField",
    "InsertField$Key",
    "MaskField$Value",
    "ByteArray",
    "JsonConverter",
    "RecordIsTombstone",
    "trial.TrialSinkTask",
    "All",
    "FileConfigProvider",
)


def _definitions() -> list[Step]:
    draw = random.Random(2006)  # noqa: S311
    found = []
    for _ in range(40):
        name = draw.choice(_FOUND if draw.random() < 0.6 else BUILT_IN)
        query = "&".join(f"version={each}" for each in draw.sample(_ASKED, draw.randrange(3)))
        found.append(show(f"/connector-plugins/{name}/config{query and f'?{query}'}"))
    return [
        *found,
        *(
            show(f"/connector-plugins{draw.choice(('', '/'))}?connectorsOnly={which}")
            for which in ("true", "false", "1", "yes", "TRUE", "%74rue")
        ),
    ]


_SETTINGS: Mapping[str, Sequence[Any]] = {
    "Cast": ("spec", ("int8,a:string", "string", "a:int64", "bytes", "a:", None)),
    "DropHeaders": ("headers", ("a", ",", None, " a , b ")),
    "ExtractField": ("field", ("a.b", None, " ", "`a`.b")),
    "Filter": ("negate", ("true", "TRUE", None)),
    "Flatten": ("delimiter", (".", "..", None, "")),
    "HeaderFrom": ("operation", ("copy", "move", "COPY", None)),
    "HoistField": ("field", ("a", " ", None)),
    "InsertField": ("timestamp.field", ("t", "!t", "t!", "t?!", None)),
    "InsertHeader": ("value.literal", ("null", "[1]", "", None)),
    "MaskField": ("replacement", ("", "x", None)),
    "RegexRouter": ("regex", ("(?<n>a)", "[", "a{,2}", "\\Q", None)),
    "ReplaceField": ("renames", ("a:b,b:a", "a:a", ":b", "a:b:c", None)),
    "SetSchemaMetadata": ("schema.version", ("0", "-7", "1e3", None)),
    "TimestampConverter": ("format", ("yyyy-MM-dd", "YYYY'", "yyyyq", None)),
    "TimestampRouter": ("timestamp.format", ("yyyyMMdd", "b", "'", None)),
    "ValueToKey": ("fields", ("a,b", ",", " ", None)),
}
_REQUIRED: Mapping[str, str] = {
    "HeaderFrom": '{"fields": "a", "headers": "b"}',
    "InsertHeader": '{"header": "h"}',
    "MaskField": '{"fields": "a"}',
    "RegexRouter": '{"replacement": "x"}',
    "TimestampConverter": '{"target.type": "string"}',
}
_CONVERTING: Mapping[str, Sequence[Any]] = {
    "schemas.enable": ("true", "False", "maybe", None),
    "schemas.cache.size": ("0", "10", "1.5", None),
    "decimal.format": ("base64", "BASE64", "numeric", None),
    "replace.null.with.default": ("false", "0"),
    "encoding": ("UTF-8", "utf8", "US-ASCII", "none", None),
    "converter.type": ("key", "value", "header", "KEY", None),
}
_BASES = (
    {"connector.class": "TrialSource", "topic": "t"},
    {"connector.class": "TrialSink", "topics": "t"},
)


def _checked(config: Mapping[str, Any]) -> Step:
    kind = config["connector.class"]
    return put(f"/connector-plugins/{kind}/config/validate", {"name": "further", **config})


def _validations() -> list[Step]:
    draw = random.Random(2007)  # noqa: S311
    found = []
    for kind in TRANSFORMATIONS:
        name = kind.rpartition(".")[2].partition("$")[0]
        setting, values = _SETTINGS[name]
        config = {"transforms": "t", "transforms.t.type": kind}
        settings = {**json.loads(_REQUIRED.get(name, "{}")), setting: draw.choice(values)}
        config |= {f"transforms.t.{key}": value for key, value in settings.items()}
        found.append(_checked({**draw.choice(_BASES), **config}))
    for kind in PREDICATES * 2:
        config = {"predicates": "p", "predicates.p.type": kind}
        for key in draw.sample(("name", "pattern", "negate"), 2):
            config[f"predicates.p.{key}"] = draw.choice(("a", "*", "", None))
        found.append(_checked({**draw.choice(_BASES), **config}))
    for kind in CONVERTERS * 2:
        side = draw.choice(("key", "value", "header"))
        config = {f"{side}.converter": kind}
        for key in draw.sample(list(_CONVERTING), 2):
            config[f"{side}.converter.{key}"] = draw.choice(_CONVERTING[key])
        found.append(_checked({**draw.choice(_BASES), **config}))
    return found


CHAPTERS = (
    Chapter("further-media", _media()),
    Chapter("further-methods", _methods()),
    Chapter("further-expand", _expand()),
    Chapter("further-offsets", _offsets()),
    Chapter("further-loggers", _loggers()),
    Chapter("further-definitions", _definitions()),
    Chapter("further-validations", _validations()),
)
