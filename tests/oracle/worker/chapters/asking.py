"""What is asked for without a connector: addresses, methods, media types and bodies."""

from __future__ import annotations

from tests.oracle.worker.steps import STANDALONE, Chapter, ask, delete, only, patch, post, put, show

__all__ = ["CHAPTERS"]

_ENDPOINTS = (
    "/",
    "/health",
    "/connectors",
    "/connectors/none",
    "/connectors/none/config",
    "/connectors/none/status",
    "/connectors/none/tasks",
    "/connectors/none/tasks-config",
    "/connectors/none/tasks/0/status",
    "/connectors/none/tasks/0/restart",
    "/connectors/none/tasks/0",
    "/connectors/none/topics",
    "/connectors/none/topics/reset",
    "/connectors/none/offsets",
    "/connectors/none/pause",
    "/connectors/none/resume",
    "/connectors/none/stop",
    "/connectors/none/restart",
    "/connectors/none/fence",
    "/connector-plugins",
    "/connector-plugins/FileStreamSource/config",
    "/connector-plugins/FileStreamSource/config/validate",
    "/admin/loggers",
    "/admin/loggers/none",
)
_METHODS = ("OPTIONS", "HEAD", "GET", "POST", "PUT", "PATCH", "DELETE")

METHODS = Chapter(
    "methods", [ask(method, endpoint) for endpoint in _ENDPOINTS for method in _METHODS]
)

STRANGE_METHODS = Chapter(
    "strange-methods",
    [
        ask(method, target)
        for method in ("TRACE", "BREW", "get", "CONNECT")
        for target in ("/", "/connectors", "/nope")
    ],
)

PATHS = Chapter(
    "paths",
    [
        show(target)
        for target in (
            "/nope",
            "/nope/",
            "//",
            "/connectors/",
            "/connectors//",
            "//connectors",
            "/connectors/none/",
            "/connectors/none//status",
            "/connectors/none/nope",
            "/connectors/none/tasks/",
            "/connectors/none/tasks/0/",
            "/connectors/none/tasks/x/status",
            "/connectors/none/tasks/-1/status",
            "/connectors/none/tasks/99999999999/status",
            "/connectors/none/tasks/+1/status",
            "/connectors/none/tasks/1.0/status",
            "/Connectors",
            "/connectors;a=b",
            "/connectors;a=b/none",
            "/%63onnectors",
            "/./connectors",
            "/connectors/../connectors",
            "/connectors/%2e%2e/connectors",
            "/connectors?",
            "/connectors?nope=1",
            "/connectors?expand",
            "/connectors?expand=",
            "/connectors?expand=nope",
            "/connectors?expand=status",
            "/connectors?expand=info&expand=status",
            "/connectors?a=%zz",
            "/connectors?a=%ff",
            "/connectors?a=b&&c",
            "/connectors#top",
            "/connectors/%",
            "/connectors/%zz",
            "/connectors/%ff",
            "/connectors/%00",
            "/connectors/a%2Fb",
            "/connectors/a%5Cb",
            "/connectors/a%25b",
            "/connectors/a%3Bb",
            "/connectors/a%20b",
            "/connectors/a+b",
            "/connectors/%C3%BC",
            "/connectors/" + "n" * 3000,
            "/connector-plugins/",
            "/connector-plugins?connectorsOnly",
            "/connector-plugins?connectorsOnly=",
            "/connector-plugins?connectorsOnly=true",
            "/connector-plugins?connectorsOnly=false",
            "/connector-plugins?connectorsOnly=FALSE",
            "/connector-plugins?connectorsOnly=nope",
            "/connector-plugins?connectorsOnly=0",
            "/connector-plugins?connectorsOnly=false&connectorsOnly=true",
            "/health/",
            "/health?x=1",
            "/metrics-of-nothing",
            "/admin",
            "/admin/",
            "/admin/loggers/",
            "@URL@/connectors",
            "@URL@/connectors?expand=status",
            "@URL@/nope",
            "@URL@/",
            "http://other.example/connectors",
            "*",
            "connectors",
        )
    ]
    + [ask("OPTIONS", "*"), ask("OPTIONS", "/nope"), ask("OPTIONS", "@URL@/connectors")],
)

_ACCEPTS = (
    "*/*",
    "application/*",
    "application/json",
    "application/json; charset=utf-8",
    "application/json;q=0.5, text/html",
    "text/html, application/xhtml+xml, */*;q=0.8",
    "text/html",
    "text/*",
    "application/xml",
    "application/vnd.api+json",
    "application/json;q=0",
    "*",
    "nonsense",
    "a/b/c",
    ",",
)
_TYPES = (
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=ISO-8859-1",
    "APPLICATION/JSON",
    "application/vnd.api+json",
    "application/*",
    "*/*",
    "text/plain",
    "text/json",
    "application/xml",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "nonsense",
    "",
)

MEDIA = Chapter(
    "media",
    [
        *(show("/connectors", Accept=accept) for accept in _ACCEPTS),
        *(show("/nope", Accept=accept) for accept in ("text/html", "application/xml")),
        show("/connectors/none", Accept="text/html"),
        show("/", Accept="text/html"),
        show("/health", Accept="text/plain"),
        *(ask("POST", "/connectors", {}, headers={"Content-Type": kind}) for kind in _TYPES),
        *(
            ask("PUT", "/connectors/none/config", {}, headers={"Content-Type": kind})
            for kind in ("text/plain", "application/x-www-form-urlencoded", "")
        ),
        *(
            ask("PATCH", "/connectors/none/config", {}, headers={"Content-Type": kind})
            for kind in ("text/plain", "application/merge-patch+json", "")
        ),
        ask("PUT", "/admin/loggers/none", {}, headers={"Content-Type": "text/plain"}),
        ask("PUT", "/connectors/none/pause", text="x", headers={"Content-Type": "text/plain"}),
        ask("PUT", "/connectors/none/pause", text="{"),
        ask("DELETE", "/connectors/none", text="{"),
        ask("GET", "/connectors", text="{"),
        ask("POST", "/connectors/none/restart", text="not json"),
        ask("POST", "/connectors", {}, headers={"Accept": "text/html"}),
        show("/connectors", Origin="https://console.example"),
        show("/connectors", Origin="https://elsewhere.example"),
        show("/nope", Origin="https://console.example"),
        ask(
            "OPTIONS",
            "/connectors",
            headers={
                "Origin": "https://console.example",
                "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "content-type",
            },
        ),
        ask(
            "OPTIONS",
            "/connectors",
            headers={
                "Origin": "https://console.example",
                "Access-Control-Request-Method": "DELETE",
            },
        ),
        ask(
            "OPTIONS",
            "/connectors",
            headers={
                "Origin": "https://elsewhere.example",
                "Access-Control-Request-Method": "PUT",
            },
        ),
    ],
)

_NO_JSON = (
    "",
    " ",
    "{",
    "}",
    "{}",
    "[]",
    "[{}]",
    "null",
    "true",
    "1",
    '"text"',
    "{'name': 'x'}",
    "{name: 1}",
    '{"name": "x",}',
    '{"name": "x"} trailing',
    '{"name": "x"} {}',
    "// comment\n{}",
    '{"config": {"a": NaN}}',
    '{"config": {"a": "\t"}}',
    '{"config": {"a": "\\x"}}',
    "\ufeff{}",
    "\udcff",
    "[" * 2000,
    "nope",
)
_EMPTY = ("", "{}", "null")
_BODIES = (
    {"name": "x"},
    {"config": None},
    {"config": {}},
    {"name": None, "config": {}},
    {"name": "", "config": {}},
    {"name": " ", "config": {}},
    {"name": 7, "config": {}},
    {"name": True, "config": {}},
    {"name": 1.5, "config": {}},
    {"name": [], "config": {}},
    {"name": {}, "config": {}},
    {"name": "x", "config": []},
    {"name": "x", "config": ["a"]},
    {"name": "x", "config": "text"},
    {"name": "x", "config": ""},
    {"name": "x", "config": 1},
    {"name": "x", "config": True},
    {"name": "x", "config": {"connector.class": []}},
    {"name": "x", "config": {"connector.class": {}}},
    {"name": "x", "config": {"connector.class": None}},
    {"name": "x", "config": {"connector.class": ""}},
    {"name": "x", "config": {"connector.class": 1}},
    {"name": "x", "config": {"connector.class": True}},
    {"name": "x", "config": {"connector.class": "Nope"}},
    {"name": "x", "config": {"": ""}},
    {"name": "x", "config": {}, "nope": 1},
    {"Name": "x", "config": {}},
    {"name": "x", "config": {}, "initial_state": "NOPE"},
    {"name": "x", "config": {}, "initial_state": ""},
    {"name": "x", "config": {}, "initial_state": None},
    {"name": "x", "config": {}, "initial_state": 1},
    {"name": "x", "config": {}, "initial_state": []},
    {"name": "x", "config": {}, "initial_state": "running"},
    {"name": "x", "config": {"name": "y", "connector.class": "FileStreamSink"}},
    {"name": "x", "config": {"name": "", "connector.class": "FileStreamSink"}},
    {"name": "x", "config": {"name": None, "connector.class": "FileStreamSink"}},
    {"name": "x", "config": {"connector.class": "FileStreamSink"}},
)
_NULL = {"name": "x", "config": {"connector.class": "FileStreamSink", "topics": "t", "file": None}}
"""A distributed worker of Java takes it, and has a connector that can never start."""
_MORE_BODIES = (
    {"name": "x", "config": {"connector.class": "FileStreamSink", "topics": 1.0, "x": [1]}},
    {"name": "x", "config": {"connector.class": "JsonConverter"}},
    {"name": "x", "config": {"connector.class": "java.lang.String"}},
)

BODIES = Chapter(
    "bodies",
    [
        *(ask("POST", "/connectors", text=text) for text in _NO_JSON),
        *(post("/connectors", body) for body in _BODIES),
        *only(STANDALONE, post("/connectors", _NULL)),
        *(post("/connectors", body) for body in _MORE_BODIES),
        *(ask("PUT", "/connectors/none/config", text=text) for text in _EMPTY),
        ask("PUT", "/connectors/none/config", text="{"),
        put("/connectors/none/config", {"name": "other"}),
        put("/connectors/none/config", {"name": 1}),
        put("/connectors/none/config", {"name": None}),
        put("/connectors/none/config", {"a": [1]}),
        put("/connectors/none/config", {"a": {"b": 1}}),
        put("/connectors/none/config", {"connector.class": "FileStreamSink"}),
        put("/connectors/none/config", {"config": {"connector.class": "FileStreamSink"}}),
        *(ask("PATCH", "/connectors/none/config", text=text) for text in _EMPTY),
        patch("/connectors/none/config", {"a": "b"}),
        patch("/connectors/none/config", {"a": None}),
        *(ask("PATCH", "/connectors/none/offsets", text=text) for text in _EMPTY),
        patch("/connectors/none/offsets", {"offsets": []}),
        patch("/connectors/none/offsets", {"offsets": None}),
        patch("/connectors/none/offsets", {"offsets": [{"partition": {}, "offset": {}}]}),
        patch("/connectors/none/offsets", {"nope": []}),
        delete("/connectors/none/offsets"),
        *(ask("PUT", "/admin/loggers/none", text=text) for text in _EMPTY),
        *(
            ask("PUT", "/connector-plugins/FileStreamSource/config/validate", text=text)
            for text in _EMPTY
        ),
        *(
            post(f"/connectors/none/restart?{query}")
            for query in (
                "includeTasks=true",
                "onlyFailed=true",
                "includeTasks=true&onlyFailed=true",
                "includeTasks=nope",
                "includeTasks",
                "nope=1",
            )
        ),
    ],
)

CHAPTERS = (METHODS, STRANGE_METHODS, PATHS, MEDIA, BODIES)
