"""Details of HTTP and JSON: characters of paths, media types, weights, origins and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.worker.steps import Chapter, Step, ask, put, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CHAPTERS"]

_PATHS = (
    *(f"/nope/x{each}y" for each in "\"<>[]^`{|}!$&'()*+,=:@~"),
    "/connectors?x=[{^",
    "/connectors/;a=[",
    "/connectors;a/;/none",
    "/connectors/%5B",
)
_PREFERRED = (
    "application/json",
    "text/plain",
    "text/*",
    "*/*",
    "application/json;q=0.5, text/plain",
    "text/html, application/xml",
    "text/plain;q=0.1, text/html",
    "application/*",
    "application/json;charset=utf-8",
    "a/b/c",
    "nonsense",
    "*",
    "text/plain;charset=utf-8",
    "application/xml;q=0",
    "text/html;q=0.2,application/xml;q=0.8",
)
_WEIGHTS = (
    *("0.0001", "1.5", "-1", "x", "", "1.000", "1.001", "0.", "01", ".5", "0.999", "1.0000"),
    *(" 1", "1 "),
)
_NO_TYPES = (
    *("application/json/x", "nonsense", "application/", ";", "application/json; charset"),
    *("application/json;=", 'application/json; charset="x', "text/html"),
)
_ASKED: Sequence[tuple[str, str, Any]] = (
    ("GET", "/connectors", None),
    ("GET", "/nope", None),
    ("HEAD", "/connectors", None),
    ("POST", "/connectors", {}),
    ("PUT", "/connectors/none/pause", None),
    ("PATCH", "/connectors/none/config", {}),
    ("DELETE", "/connectors/none", None),
)
_FAILING: Sequence[tuple[str, str, Any]] = (
    ("GET", "/connectors/none", None),
    ("GET", "/nope", None),
    ("POST", "/connectors", {"name": "a", "config": {}}),
    ("PUT", "/connectors", None),
    ("PUT", "/admin/loggers/nope", {"level": "x"}),
)
_ORIGINS = (
    "https://other.example https://console.example",
    "https://a  https://b",
    "https://Console.example",
    "https://console.example,https://x",
    "https://console.example/",
)
_TEXTS = (
    '{"a":' + "1" * 1001 + "}",
    '{"a":' + "1" * 1000 + "}",
    '{"a":0.' + "1" * 1000 + "}",
    '{"name":"t","config":{},"config":null}',
    '{"a":{},"a":"b"}',
    '{"a":"b","a":{}}',
    '{"a":"b","a":null}',
)
_LONG = '{"' + "k" * 50_001 + '":"v"}'
_TAKING = (
    ("POST", "/connectors"),
    ("PUT", "/connectors/none/config"),
    ("PATCH", "/connectors/none/offsets"),
    ("PUT", "/admin/loggers/details"),
)


def _media() -> Iterator[Step]:
    yield from (ask("OPTIONS", "/connectors", headers={"Accept": each}) for each in _PREFERRED)
    for each in _WEIGHTS:
        yield show("/connectors", Accept=f"*/*;q={each}")
    for method, target, body in _ASKED:
        yield ask(method, target, body, headers={"Accept": "*/*;q=0.0001"})
        yield ask(method, target, body, headers={"Accept": "a/b/c"})
    for number, each in enumerate(_NO_TYPES):
        for method, target, body in _ASKED[number % 2 :: 2]:
            yield ask(method, target, body, headers={"Content-Type": each})
    for accept in ("application/json;version=2", "text/html, application/json;v=1;q=0.5"):
        for method, target, body in _FAILING:
            yield ask(method, target, body, headers={"Accept": accept})


def _origins() -> Iterator[Step]:
    for each in _ORIGINS:
        yield show("/", Origin=each)
        asking = {"Origin": each, "Access-Control-Request-Method": "PUT"}
        yield ask("OPTIONS", "/", headers=asking)


CHAPTERS = (
    Chapter(
        "third-details",
        [
            *(show(each) for each in _PATHS),
            put("/connectors/x[y/pause"),
            ask("POST", "/connectors/x[y/restart"),
            *_media(),
            *_origins(),
            *(ask(*taking, text=text) for text in _TEXTS for taking in _TAKING),
            ask("PUT", "/connectors/none/config", text=_LONG),
        ],
    ),
)
