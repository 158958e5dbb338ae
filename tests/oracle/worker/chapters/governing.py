"""Loggers, versions of plugins that run, and what workers ask each other."""

from __future__ import annotations

from tests.oracle.worker.steps import (
    BOTH,
    Chapter,
    ask,
    created,
    gone,
    is_in,
    post,
    put,
    show,
    topic,
    until,
)

__all__ = ["CHAPTERS"]

_LEVELS = ("ERROR", "warn", "Info", "DEBUG", "TRACE", "OFF", "ALL", "FATAL", "nope", "", " INFO ")

LOGGERS = Chapter(
    "loggers",
    [
        show("/admin/loggers/root"),
        show("/admin/loggers/ROOT"),
        show("/admin/loggers/none.such"),
        show("/admin/loggers/none.such/"),
        show("/admin/loggers/none%20such"),
        *(put("/admin/loggers/made.up", {"level": level}) for level in _LEVELS),
        show("/admin/loggers/made.up"),
        put("/admin/loggers/made.up", {"level": "WARN"}),
        show("/admin/loggers/made.up"),
        put("/admin/loggers/made", {"level": "ERROR"}),
        show("/admin/loggers/made"),
        show("/admin/loggers/made.up"),
        put("/admin/loggers/made.up.further", {"level": "DEBUG"}),
        put("/admin/loggers/made", {"level": "INFO"}),
        show("/admin/loggers/made.up.further"),
        put("/admin/loggers/made.up", {}),
        put("/admin/loggers/made.up", {"level": None}),
        put("/admin/loggers/made.up", {"level": 1}),
        put("/admin/loggers/made.up", {"level": []}),
        put("/admin/loggers/made.up", {"Level": "INFO"}),
        put("/admin/loggers/made.up", {"level": "INFO", "other": "x"}),
        put("/admin/loggers/made.up?scope=worker", {"level": "INFO"}),
        put("/admin/loggers/made.up?scope=WORKER", {"level": "INFO"}),
        put("/admin/loggers/made.up?scope=cluster", {"level": "ERROR"}),
        until("/admin/loggers/made.up", level="ERROR"),
        put("/admin/loggers/made.up?scope=Cluster", {"level": "WARN"}),
        until("/admin/loggers/made.up", level="WARN"),
        put("/admin/loggers/made.up?scope=cluster", {"level": "nope"}),
        put("/admin/loggers/made.up?scope=cluster", {}),
        put("/admin/loggers/made.up?scope=nope", {"level": "INFO"}),
        put("/admin/loggers/made.up?scope=", {"level": "INFO"}),
        put("/admin/loggers/made.up?nope=1", {"level": "INFO"}),
        put("/admin/loggers", {"level": "INFO"}),
        show("/admin/loggers?scope=cluster"),
    ],
)

_VERSIONED = {"connector.class": "VersionedSink", "topics": "governed"}

VERSIONS = Chapter(
    "versions",
    [
        topic("governed"),
        *created("newest", _VERSIONED, "RUNNING", "RUNNING"),
        show("/connectors/newest/tasks/0/status"),
        *gone("newest"),
        *(
            step
            for version in ("1.0.0", "[1.0.0,2.0.0)", "[2.0.0]", "latest")
            for step in (
                *created(
                    "chosen",
                    {**_VERSIONED, "connector.plugin.version": version},
                    "RUNNING",
                    "RUNNING",
                ),
                show("/connectors/chosen/tasks/0/status"),
                show("/connectors/chosen/config"),
                put("/connectors/chosen/pause"),
                is_in("chosen", "PAUSED", "PAUSED"),
                put("/connectors/chosen/stop"),
                is_in("chosen", "STOPPED"),
                *gone("chosen"),
            )
        ),
        *(
            post(
                "/connectors",
                {"name": "wrong", "config": {**_VERSIONED, "connector.plugin.version": version}},
            )
            for version in ("3.0.0", "[3.0.0,)", "nope", "[", "", " ")
        ),
        *(
            post("/connectors", {"name": "wrong", "config": {**_VERSIONED, **more}})
            for more in (
                {"value.converter": "JsonConverter", "value.converter.plugin.version": "1.0.0"},
                {"value.converter.plugin.version": "@VERSION@"},
                {"header.converter": "SimpleHeaderConverter"}
                | {"header.converter.plugin.version": "1.0.0"},
                {"transforms": "f", "transforms.f.type": "Filter"}
                | {"transforms.f.plugin.version": "1.0.0"},
            )
        ),
        *created(
            "all-chosen",
            {
                **_VERSIONED,
                "connector.plugin.version": "1.0.0",
                "key.converter": "StringConverter",
                "key.converter.plugin.version": "@VERSION@",
                "value.converter": "JsonConverter",
                "value.converter.plugin.version": "@VERSION@",
                "transforms": "f",
                "transforms.f.type": "Filter",
                "transforms.f.plugin.version": "@VERSION@",
                "transforms.f.predicate": "p",
                "predicates": "p",
                "predicates.p.type": "RecordIsTombstone",
                "predicates.p.plugin.version": "@VERSION@",
            },
            "RUNNING",
            "RUNNING",
        ),
        *gone("all-chosen"),
        show("/connectors"),
    ],
)

_TASKS = [{"connector.class": "TrialSink", "task.class": "trial.TrialSinkTask", "part": "0"}]
_SIGNED = {
    "X-Connect-Authorization": "c2lnbmF0dXJl",
    "X-Connect-Request-Signature-Algorithm": "HmacSHA256",
}

INTERNAL = Chapter(
    "internal",
    [
        *created(
            "inner", {"connector.class": "TrialSink", "topics": "governed"}, "RUNNING", "RUNNING"
        ),
        post("/connectors/inner/tasks", _TASKS),
        post("/connectors/inner/tasks"),
        post("/connectors/inner/tasks", []),
        post("/connectors/inner/tasks", {}),
        ask("POST", "/connectors/inner/tasks", text="{"),
        ask("POST", "/connectors/inner/tasks", _TASKS, headers=_SIGNED),
        ask(
            "POST",
            "/connectors/inner/tasks",
            _TASKS,
            headers={**_SIGNED, "X-Connect-Request-Signature-Algorithm": "nope"},
        ),
        ask(
            "POST",
            "/connectors/inner/tasks",
            _TASKS,
            headers={"X-Connect-Authorization": "c2lnbmF0dXJl"},
        ),
        post("/connectors/none/tasks", _TASKS),
        put("/connectors/inner/fence"),
        ask("PUT", "/connectors/inner/fence", headers=_SIGNED),
        put("/connectors/none/fence"),
        ask("PUT", "/connectors/inner/fence", text="{"),
        show("/connectors/inner/tasks"),
        show("/connectors/inner/status"),
        put("/connectors/inner/pause?forward=true"),
        is_in("inner", "PAUSED", "PAUSED"),
        put("/connectors/inner/resume?forward=false"),
        is_in("inner", "RUNNING", "RUNNING"),
        post("/connectors/inner/restart?forward=false"),
        is_in("inner", "RUNNING", "RUNNING"),
        post("/connectors/inner/restart?forward=nope"),
        is_in("inner", "RUNNING", "RUNNING"),
        *gone("inner"),
    ],
    BOTH,
)

CHAPTERS = (LOGGERS, VERSIONS, INTERNAL)
