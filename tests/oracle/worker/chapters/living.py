"""How connectors live: created, shown, paused, stopped, restarted, failed, removed."""

from __future__ import annotations

from tests.oracle.worker.steps import (
    BOTH,
    DISTRIBUTED,
    STANDALONE,
    Chapter,
    Step,
    ask,
    created,
    delete,
    gone,
    is_in,
    only,
    patch,
    post,
    put,
    show,
    tasks_have,
    topic,
    until,
    write,
)

__all__ = ["CHAPTERS"]

_SOURCE = {"connector.class": "trial.TrialSourceConnector", "topic": "living"}
_SINK = {"connector.class": "TrialSink", "topics": "living"}
_TWO = {"tasks.max": "2", "parts": "2"}
_FILE = {
    "connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
    "tasks.max": "1",
    "file": "@DIR@/living.txt",
    "topic": "living-lines",
}


def _views(name: str) -> list[Step]:
    """All that there is to see of a connector."""
    return [
        show(f"/connectors/{name}{rest}")
        for rest in ("", "/config", "/status", "/tasks", "/tasks-config")
    ]


CREATING = Chapter(
    "creating",
    [
        show("/connectors"),
        *created("plain", {**_SOURCE, **_TWO}, "RUNNING", "RUNNING", "RUNNING"),
        *_views("plain"),
        show("/connectors"),
        show("/connectors?expand=status"),
        show("/connectors?expand=info"),
        show("/connectors?expand=info&expand=status"),
        show("/connectors?expand=status&expand=nope"),
        show("/connectors?expand=nope"),
        show("/connectors?expand="),
        show("/connectors?expand=STATUS"),
        show("/connectors?expand=status,info"),
        ask("HEAD", "/connectors/plain"),
        show("/connectors/plain/"),
        show("/connectors/plain/tasks/0/status"),
        show("/connectors/plain/tasks/1/status"),
        show("/connectors/plain/tasks/2/status"),
        show("/connectors/plain/tasks/-1/status"),
        show("/connectors/plain/tasks/x/status"),
        show("/connectors/plain/nope"),
        show("/connectors/PLAIN"),
        post("/connectors", {"name": "plain", "config": _SOURCE}),
        post("/connectors", {"name": "plain", "config": {}}),
        post("/connectors", {"name": " plain ", "config": _SOURCE}),
        put("/connectors/plain/config", {**_SOURCE, "name": "other"}),
        put("/connectors/plain/config", {}),
        put("/connectors/plain/config", {**_SOURCE, "tasks.max": "0"}),
        put("/connectors/plain/config", {**_SOURCE, "connector.class": "Nope"}),
        put("/connectors/plain/config", {**_SOURCE, **_TWO}),
        put("/connectors/plain/config", {**_SOURCE, **_TWO, "records": 3, "extra": True}),
        until("/connectors/plain/config", extra="true"),
        tasks_have("plain", *[{"extra": "true"}] * 2),
        is_in("plain", "RUNNING", "RUNNING", "RUNNING"),
        *_views("plain"),
        put("/connectors/plain/config", {**_SOURCE, "tasks.max": "1", "parts": "1"}),
        is_in("plain", "RUNNING", "RUNNING"),
        *_views("plain"),
        put("/connectors/plain/config", {**_SOURCE, "tasks.max": "3", "parts": "3"}),
        is_in("plain", "RUNNING", "RUNNING", "RUNNING", "RUNNING"),
        show("/connectors/plain/tasks"),
        *gone("plain"),
        show("/connectors"),
        delete("/connectors/plain"),
        *_views("plain"),
        show("/connectors?expand=status"),
        put("/connectors/by-put/config", {**_SOURCE}),
        is_in("by-put", "RUNNING", "RUNNING"),
        show("/connectors/by-put"),
        patch("/connectors/by-put/config", {"records": "1", "extra": None}),
        until("/connectors/by-put/config", records="1"),
        is_in("by-put", "RUNNING", "RUNNING"),
        show("/connectors/by-put/config"),
        patch("/connectors/by-put/config", {"records": None}),
        is_in("by-put", "RUNNING", "RUNNING"),
        show("/connectors/by-put/config"),
        patch("/connectors/by-put/config", {"topic": None}),
        patch("/connectors/by-put/config", {"name": "other"}),
        patch("/connectors/by-put/config", {"name": None}),
        patch("/connectors/by-put/config", {"records": 2, "flag": True, "half": 1.5}),
        until("/connectors/by-put/config", records="2"),
        patch("/connectors/by-put/config", {}),
        is_in("by-put", "RUNNING", "RUNNING"),
        show("/connectors/by-put/config"),
        *gone("by-put"),
        patch("/connectors/by-put/config", {"records": "1"}),
        *created("with-name", {**_SOURCE, "name": "with-name"}, "RUNNING", "RUNNING"),
        show("/connectors/with-name"),
        *gone("with-name"),
        write("values.properties", "x=hidden-value\n"),
        *created(
            "values",
            {
                **_SOURCE,
                "number": 5,
                "float": 1.0,
                "small": 1e-7,
                "big": 123456789012345678901234567890,
                "yes": True,
                "empty": "",
                "blank": " ",
                "lines": "a\nb",
                "unicode": "ü日本",
                "quote": '"',
                "reference": "${file:@DIR@/values.properties:x}",
            },
            "RUNNING",
            "RUNNING",
        ),
        *_views("values"),
        *gone("values"),
    ],
)

_ODD = (
    ("a b", "a%20b"),
    ("a+b", "a+b"),
    ("a%b", "a%25b"),
    ("ü日本", "%C3%BC%E6%97%A5%E6%9C%AC"),
    ("a&b=c", "a&b=c"),
    ("a?b", "a%3Fb"),
    ("a#b", "a%23b"),
    ("a;b", "a%3Bb"),
    ("a:b@c", "a:b@c"),
    ("a'b\"c", "a'b%22c"),
    ("a<b>c", "a%3Cb%3Ec"),
    ("a|b", "a%7Cb"),
    ("a/b", "a%2Fb"),
    ("a\\b", "a%5Cb"),
    ("..", "%2E%2E"),
    ("a.b-c_d~e", "a.b-c_d~e"),
    ("config", "config"),
    ("N" * 300, "N" * 300),
)

NAMES = Chapter(
    "names",
    [
        *(
            step
            for name, path in _ODD
            for step in (
                post("/connectors", {"name": name, "config": _SINK}),
                show(f"/connectors/{path}"),
                show(f"/connectors/{path}/config"),
                delete(f"/connectors/{path}"),
            )
        ),
        *(
            post("/connectors", {"name": name, "config": _SINK})
            for name in ("\u0000", "a\nb", "a\tb", "\u007f", "\ttrim\n", "a\u0085b", "\u00a0")
        ),
        until("/connectors/trim"),
        show("/connectors"),
        *(delete(f"/connectors/{path}") for path in ("trim", "a%2Fb", "a%5Cb", "%2E%2E", "a%3Bb")),
        *(delete(f"/connectors/{path}") for path in ("a%C2%85b", "%C2%A0", "a%0Ab", "%00")),
    ],
)

STATES = Chapter(
    "states",
    [
        *created("states", {**_SOURCE, **_TWO}, "RUNNING", "RUNNING", "RUNNING"),
        put("/connectors/states/pause"),
        is_in("states", "PAUSED", "PAUSED", "PAUSED"),
        *_views("states"),
        put("/connectors/states/pause"),
        is_in("states", "PAUSED", "PAUSED", "PAUSED"),
        show("/connectors?expand=status"),
        put("/connectors/states/config", {**_SOURCE, **_TWO, "records": "5"}),
        until("/connectors/states/config", records="5"),
        show("/connectors/states/tasks"),
        show("/connectors/states/tasks-config"),
        put("/connectors/states/resume"),
        is_in("states", "RUNNING", "RUNNING", "RUNNING"),
        tasks_have("states", *[{"records": "5"}] * 2),
        put("/connectors/states/resume"),
        is_in("states", "RUNNING", "RUNNING", "RUNNING"),
        put("/connectors/states/stop"),
        is_in("states", "STOPPED"),
        *_views("states"),
        show("/connectors/states/tasks/0/status"),
        put("/connectors/states/stop"),
        is_in("states", "STOPPED"),
        show("/connectors?expand=status&expand=info"),
        put("/connectors/states/config", {**_SOURCE, **_TWO, "records": "6"}),
        until("/connectors/states/config", records="6"),
        is_in("states", "STOPPED"),
        *_views("states"),
        put("/connectors/states/pause"),
        is_in("states", "PAUSED"),
        *_views("states"),
        put("/connectors/states/config", {**_SOURCE, **_TWO, "records": "7"}),
        until("/connectors/states/config", records="7"),
        show("/connectors/states/tasks"),
        put("/connectors/states/resume"),
        is_in("states", "RUNNING", "RUNNING", "RUNNING"),
        *_views("states"),
        put("/connectors/states/stop"),
        is_in("states", "STOPPED"),
        put("/connectors/states/resume"),
        is_in("states", "RUNNING", "RUNNING", "RUNNING"),
        put("/connectors/states/pause"),
        is_in("states", "PAUSED", "PAUSED", "PAUSED"),
        put("/connectors/states/stop"),
        is_in("states", "STOPPED"),
        *gone("states"),
        *(put(f"/connectors/states/{verb}") for verb in ("pause", "resume", "stop")),
    ],
)


def _as(state: object, config: dict[str, str] = _SOURCE) -> Step:
    return post("/connectors", {"name": "initial", "config": config, "initial_state": state})


INITIAL = Chapter(
    "initial-state",
    [
        _as("PAUSED", {**_SOURCE, **_TWO}),
        is_in("initial", "PAUSED"),
        *_views("initial"),
        put("/connectors/initial/pause"),
        is_in("initial", "PAUSED"),
        put("/connectors/initial/config", {**_SOURCE, "records": "1"}),
        until("/connectors/initial/config", records="1"),
        show("/connectors/initial/tasks"),
        put("/connectors/initial/resume"),
        is_in("initial", "RUNNING", "RUNNING"),
        *gone("initial"),
        _as("stopped"),
        is_in("initial", "STOPPED"),
        *_views("initial"),
        put("/connectors/initial/config", {**_SOURCE, "records": "1"}),
        until("/connectors/initial/config", records="1"),
        show("/connectors/initial/status"),
        put("/connectors/initial/resume"),
        is_in("initial", "RUNNING", "RUNNING"),
        *gone("initial"),
        _as("Running"),
        is_in("initial", "RUNNING", "RUNNING"),
        *gone("initial"),
        _as(None),
        is_in("initial", "RUNNING", "RUNNING"),
        _as("STOPPED"),
        *gone("initial"),
        *(_as(state) for state in ("", "NOPE", "STARTED", " PAUSED", 1, True, [], {})),
        _as("STOPPED", {}),
        _as("STOPPED", {**_SOURCE, "fail.at": "start"}),
        is_in("initial", "STOPPED"),
        show("/connectors/initial/status"),
        put("/connectors/initial/pause"),
        is_in("initial", "PAUSED"),
        put("/connectors/initial/resume"),
        is_in("initial", "FAILED"),
        *_views("initial"),
        *gone("initial"),
    ],
)

_RESTARTS = (
    "",
    "?includeTasks=false",
    "?includeTasks=true",
    "?onlyFailed=true",
    "?includeTasks=true&onlyFailed=true",
    "?includeTasks=true&onlyFailed=false",
    "?includeTasks=TRUE&onlyFailed=False",
    "?includeTasks=yes",
    "?includeTasks=1",
    "?includeTasks",
    "?onlyFailed=",
    "?nope=true",
    "?includeTasks=true&includeTasks=false",
)


def _restarts(name: str, *states: str) -> list[Step]:
    """Every way to restart, from a state to the same one."""
    return [
        step
        for query in _RESTARTS
        for step in (post(f"/connectors/{name}/restart{query}"), is_in(name, *states))
    ]


RESTARTS = Chapter(
    "restarts",
    [
        *created("again", {**_SOURCE, **_TWO}, "RUNNING", "RUNNING", "RUNNING"),
        *_restarts("again", "RUNNING", "RUNNING", "RUNNING"),
        post("/connectors/again/tasks/0/restart"),
        is_in("again", "RUNNING", "RUNNING", "RUNNING"),
        *(
            post(f"/connectors/again/tasks/{task}/restart")
            for task in ("x", "99999999999", "0?includeTasks=true")
        ),
        is_in("again", "RUNNING", "RUNNING", "RUNNING"),
        put("/connectors/again/pause"),
        is_in("again", "PAUSED", "PAUSED", "PAUSED"),
        *_restarts("again", "PAUSED", "PAUSED", "PAUSED"),
        post("/connectors/again/tasks/0/restart"),
        is_in("again", "PAUSED", "PAUSED", "PAUSED"),
        put("/connectors/again/stop"),
        is_in("again", "STOPPED"),
        *_restarts("again", "STOPPED"),
        post("/connectors/again/tasks/0/restart"),
        *_views("again"),
        *gone("again"),
        *(post(f"/connectors/again/restart{query}") for query in _RESTARTS),
        post("/connectors/again/tasks/0/restart"),
        post("/connectors/again/tasks/-1/restart"),
        *created("again", _SOURCE, "RUNNING", "RUNNING"),
        post("/connectors/again/tasks/2/restart"),
        *gone("again"),
    ],
)


def _failing(name: str, config: dict[str, str], *states: str) -> list[Step]:
    return [
        *created(name, config, *states),
        show(f"/connectors/{name}"),
        show(f"/connectors/{name}/tasks"),
        show(f"/connectors/{name}/offsets"),
    ]


_UNWILLING = {"transforms": "u", "transforms.u.type": "trial.Unwilling"}
_NO_PLACE = {"connector.class": "FileStreamSink", "topics": "living", "file": "@DIR@/no/such/x"}

# A distributed worker of Java may leave a task RESTARTING that fails at once again.
_TASK_RESTARTS = (
    *_restarts("at-task-start", "RUNNING", "FAILED"),
    post("/connectors/at-task-start/tasks/0/restart"),
    is_in("at-task-start", "RUNNING", "FAILED"),
)
_HALF_RESTARTS = (
    post("/connectors/half/restart?includeTasks=true&onlyFailed=true"),
    is_in("half", "RUNNING", "FAILED", "RUNNING"),
    post("/connectors/half/restart?includeTasks=true"),
    is_in("half", "RUNNING", "FAILED", "RUNNING"),
)

FAILURES = Chapter(
    "failures",
    [
        topic("living"),
        *_failing("at-start", {**_SOURCE, "fail.at": "start"}, "FAILED"),
        *(post(f"/connectors/at-start/restart{query}") for query in _RESTARTS[1:2]),
        is_in("at-start", "FAILED"),
        post("/connectors/at-start/restart?includeTasks=true&onlyFailed=true"),
        is_in("at-start", "FAILED"),
        put("/connectors/at-start/pause"),
        put("/connectors/at-start/resume"),
        put("/connectors/at-start/stop"),
        is_in("at-start", "STOPPED"),
        put("/connectors/at-start/config", {**_SOURCE}),
        is_in("at-start", "STOPPED"),
        put("/connectors/at-start/resume"),
        is_in("at-start", "RUNNING", "RUNNING"),
        *gone("at-start"),
        *created(
            "at-later",
            {**_SOURCE, "fail.at": "later", "wait.for": "@DIR@/later"},
            "RUNNING",
            "RUNNING",
        ),
        write("later", ""),
        is_in("at-later", "FAILED", "RUNNING"),
        show("/connectors/at-later"),
        post("/connectors/at-later/restart"),
        until("/connectors/at-later/status"),
        *gone("at-later"),
        *created("at-tasks", {**_SOURCE, "fail.at": "task.configs"}, "RUNNING")[:1],
        until("/connectors/at-tasks/status"),
        *gone("at-tasks"),
        *_failing("at-task-start", {**_SOURCE, "fail.at": "task.start"}, "RUNNING", "FAILED"),
        *only(STANDALONE, *_TASK_RESTARTS),
        show("/connectors/at-task-start/tasks/0/status"),
        put("/connectors/at-task-start/pause"),
        until("/connectors/at-task-start/status", connector={"state": "PAUSED"}),
        show("/connectors/at-task-start/status"),
        put("/connectors/at-task-start/resume"),
        until("/connectors/at-task-start/status", connector={"state": "RUNNING"}),
        put("/connectors/at-task-start/stop"),
        is_in("at-task-start", "STOPPED"),
        *gone("at-task-start"),
        *_failing(
            "half",
            {**_SOURCE, **_TWO, "fail.at": "first.task.start"},
            "RUNNING",
            "FAILED",
            "RUNNING",
        ),
        *only(STANDALONE, *_HALF_RESTARTS),
        *gone("half"),
        *_failing("at-poll", {**_SOURCE, "fail.at": "task.poll"}, "RUNNING", "FAILED"),
        *gone("at-poll"),
        *created("at-nowhere", {**_NO_PLACE}, "RUNNING", "FAILED"),
        show("/connectors/at-nowhere/offsets"),
        *gone("at-nowhere"),
        *created(
            "at-apply",
            {**_SOURCE, **_UNWILLING, "transforms.u.mood": "apply", "records": "1"},
            "RUNNING",
            "FAILED",
        ),
        *gone("at-apply"),
        *created(
            "at-configure",
            {**_SOURCE, **_UNWILLING, "transforms.u.mood": "configure"},
            "RUNNING",
            "FAILED",
        ),
        *_views("at-configure"),
        *gone("at-configure"),
        *created(
            "at-config",
            {**_SOURCE, **_UNWILLING, "transforms.u.mood": "config"},
            "RUNNING",
            "FAILED",
        ),
        *gone("at-config"),
        *created(
            "at-cast",
            {**_SOURCE, "transforms": "c"}
            | {"transforms.c.type": "org.apache.kafka.connect.transforms.InsertField$Value"},
            "RUNNING",
            "FAILED",
        ),
        *gone("at-cast"),
        *created("no-tasks", {**_SOURCE, "parts": "0"}, "RUNNING"),
        *_views("no-tasks"),
        put("/connectors/no-tasks/pause"),
        is_in("no-tasks", "PAUSED"),
        put("/connectors/no-tasks/stop"),
        is_in("no-tasks", "STOPPED"),
        *gone("no-tasks"),
        post("/connectors", {"name": "many", "config": {**_SOURCE, "parts": "2"}}),
        until("/connectors/many/status"),
        show("/connectors/many/tasks"),
        *gone("many"),
        *created(
            "many-more",
            {**_SOURCE, "parts": "2", "tasks.max.enforce": "false"},
            "RUNNING",
            "RUNNING",
            "RUNNING",
        ),
        show("/connectors/many-more/tasks"),
        *gone("many-more"),
        *created("at-validate", {**_SOURCE, "fail.at": "validate"}, "RUNNING")[:1],
        show("/connectors/at-validate"),
        post(
            "/connectors",
            {
                "name": "unresolved",
                "config": {**_SOURCE, "topic": "${file:@DIR@/none.properties:x}"},
            },
        ),
        show("/connectors/unresolved"),
        show("/connectors"),
    ],
)

GATES = Chapter(
    "gates",
    [
        post(
            "/connectors",
            {
                "name": "slow",
                "config": {**_SOURCE, "wait.at": "task.start", "wait.for": "@DIR@/open"},
            },
        ),
        until("/connectors/slow/tasks"),
        until("/connectors/slow/status", connector={"state": "RUNNING"}),
        show("/connectors/slow"),
        put("/connectors/slow/pause"),
        write("open", ""),
        is_in("slow", "PAUSED", "PAUSED"),
        put("/connectors/slow/resume"),
        is_in("slow", "RUNNING", "RUNNING"),
        *gone("slow"),
    ],
    BOTH,
)

STARTING = Chapter(
    "starting",
    [
        post(
            "/connectors",
            {
                "name": "starting",
                "config": {**_SOURCE, "wait.at": "start", "wait.for": "@DIR@/started"},
            },
        ),
        until("/connectors/starting"),
        show("/connectors/starting/config"),
        show("/connectors/starting/tasks"),
        show("/connectors/starting/status"),
        show("/connectors?expand=status"),
        write("started", ""),
        is_in("starting", "RUNNING", "RUNNING"),
        *gone("starting"),
    ],
    (DISTRIBUTED,),
)

FILES = Chapter(
    "files",
    [
        write("living.txt", "one\ntwo\n"),
        *created("lines", _FILE, "RUNNING", "RUNNING"),
        *_views("lines"),
        until("/connectors/lines/offsets", offsets=[{"offset": {"position": 8}}]),
        until("/connectors/lines/topics", lines={"topics": ["living-lines"]}),
        put("/connectors/lines/pause"),
        is_in("lines", "PAUSED", "PAUSED"),
        show("/connectors/lines/offsets"),
        put("/connectors/lines/resume"),
        is_in("lines", "RUNNING", "RUNNING"),
        post("/connectors", {"name": "lines-2", "config": {**_FILE, "tasks.max": "5"}}),
        is_in("lines-2", "RUNNING", "RUNNING"),
        show("/connectors/lines-2/tasks"),
        *gone("lines-2"),
        *created(
            "out",
            {"connector.class": "FileStreamSink", "topics": "living-lines", "tasks.max": "2"}
            | {"file": "@DIR@/out.txt"},
            "RUNNING",
            "RUNNING",
            "RUNNING",
        ),
        *_views("out"),
        *gone("out"),
        *created(
            "by-regex",
            {"connector.class": "FileStreamSink", "topics.regex": "living-.*"}
            | {"file": "@DIR@/out-2.txt"},
            "RUNNING",
            "RUNNING",
        ),
        show("/connectors/by-regex"),
        *gone("by-regex"),
        *gone("lines"),
    ],
)

CHAPTERS = (
    CREATING,
    NAMES,
    STATES,
    INITIAL,
    RESTARTS,
    FAILURES,
    GATES,
    STARTING,
    FILES,
)
