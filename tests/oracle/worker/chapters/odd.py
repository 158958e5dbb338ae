"""Requests that other tests of ours make, whatever state their connector is in."""

from __future__ import annotations

from tests.oracle.worker.steps import (
    STANDALONE,
    Chapter,
    Step,
    ask,
    created,
    delete,
    gone,
    is_in,
    post,
    put,
)

__all__ = ["CHAPTERS"]

_TEXTS = ("{", "\udcff")
_OFFSETS = (
    {"offsets": [{"partition": {"a": 1}, "offset": {"b": [1]}}]},
    {"offsets": [{"partition": {"a": "x"}, "offset": {"b": 2}}]},
    {"offsets": [{"partition": {"a": "x"}, "offset": None}, {"partition": {"a": "x"}}]},
)
_CONFIGS = (
    {},
    {"shop.url": None},
    {"tasks.max": "2", "unknown.field": "x"},
    {"tasks.max": -1},
    {"shop.url": "http://other", "connector.class": "ShopSink", "topics": "t"},
    {"a": "x" * 70_000},
    {"connector.class": "ShopSource", "shop.url": "http://shop"},
    {"connector.class": "ShopSink", "shop.url": "http://shop", "topics": "t"},
)


def _unreadable(name: str) -> list[Step]:
    """Bodies that are no object, or have what their target does not take."""
    base = f"/connectors/{name}"
    return [
        *(
            ask(method, f"{base}/{rest}", text=text)
            for method, rest in (("PUT", "config"), ("PATCH", "config"), ("PATCH", "offsets"))
            for text in _TEXTS
        ),
        *(ask(method, f"{base}/config", []) for method in ("PUT", "PATCH")),
        *(ask(method, f"{base}/config", body) for method in ("PUT", "PATCH") for body in _OFFSETS),
        *(ask("PATCH", f"{base}/offsets", body) for body in ([], *_OFFSETS, *_CONFIGS)),
    ]


_ODD = Chapter(
    "odd-requests",
    [
        *(put(f"/connectors/one/{rest}") for rest in ("pause", "resume", "stop", "topics/reset")),
        *(post(f"/connectors/one/{rest}") for rest in ("restart", "tasks/0/restart")),
        *(
            post(f"/connectors/one/restart?includeTasks=true{more}")
            for more in ("", "&onlyFailed=maybe&x=y")
        ),
        post(f"/connectors/one/tasks/{'9' * 30}/restart"),
        delete("/connectors/one/offsets"),
        *_unreadable("one"),
        *created("one", {"connector.class": "TrialSource", "topic": "odd"}, "RUNNING", "RUNNING"),
        *_unreadable("one"),
        put("/connectors/one/stop"),
        is_in("one", "STOPPED"),
        *_unreadable("one"),
        delete("/connectors/one/offsets"),
        *gone("one"),
        *(ask("POST", "/connectors", text=text) for text in ("{", "[]", "\udcff", '{"name":1}')),
        *(
            ask("PUT", f"/connectors/{name}/config", text="{}")
            for name in ("%00", "%2F", "..", "a" * 9000)
        ),
        *(
            ask("PATCH", f"/connectors/{name}/offsets", text="{}")
            for name in ("local-file-source", "%C3%BC")
        ),
        ask("POST", "/connectors/local-file-sink/restart?includeTasks=perhaps&x=%ff", text=""),
        ask("POST", "/connectors/local-file-sink/tasks/99999999999999999999/restart", text=""),
        ask("PUT", "/connector-plugins/Nope/config/validate", text='{"connector.class":"Nope"}'),
        ask("BREW", "/connectors", text=""),
    ],
    (STANDALONE,),
)

CHAPTERS = (_ODD,)
