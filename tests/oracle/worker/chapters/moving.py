"""Offsets and topics of connectors in every state."""

from __future__ import annotations

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

__all__ = ["CHAPTERS"]

_SOURCE = {"connector.class": "TrialSource", "topic": "moving", "records": "5"}
_SINK = {"connector.class": "TrialSink", "topics": "moved"}
_FILE = {
    "connector.class": "FileStreamSource",
    "file": "@DIR@/moving.txt",
    "topic": "moving-lines",
}


def _alter(name: str, *offsets: object) -> Step:
    return patch(f"/connectors/{name}/offsets", {"offsets": list(offsets)})


def _at(partition: object, offset: object) -> dict[str, object]:
    return {"partition": partition, "offset": offset}


def _part(number: object, count: object) -> dict[str, object]:
    return _at({"part": number}, None if count is None else {"count": count})


def _kafka(topic: object, partition: object, offset: object) -> dict[str, object]:
    found = None if offset is None else {"kafka_offset": offset}
    return _at({"kafka_topic": topic, "kafka_partition": partition}, found)


def _stopped(name: str) -> list[Step]:
    return [put(f"/connectors/{name}/stop"), is_in(name, "STOPPED")]


SOURCE = Chapter(
    "source-offsets",
    [
        topic("moving"),
        show("/connectors/from/offsets"),
        *created(
            "from", {**_SOURCE, "parts": "2", "tasks.max": "2"}, "RUNNING", "RUNNING", "RUNNING"
        ),
        until("/connectors/from/offsets", offsets=[{"offset": {"count": 5}}] * 2),
        show("/connectors/from/offsets/"),
        ask("HEAD", "/connectors/from/offsets"),
        _alter("from", _part("0", 2)),
        delete("/connectors/from/offsets"),
        patch("/connectors/from/offsets", {"offsets": []}),
        put("/connectors/from/pause"),
        is_in("from", "PAUSED", "PAUSED", "PAUSED"),
        show("/connectors/from/offsets"),
        _alter("from", _part("0", 2)),
        delete("/connectors/from/offsets"),
        *_stopped("from"),
        show("/connectors/from/offsets"),
        _alter("from", _part("0", 2)),
        show("/connectors/from/offsets"),
        _alter("from", _part("0", 3), _part("1", None)),
        show("/connectors/from/offsets"),
        _alter("from", _part("9", 1)),
        show("/connectors/from/offsets"),
        _alter("from", _part("9", None)),
        show("/connectors/from/offsets"),
        _alter("from", _part("8", None)),
        show("/connectors/from/offsets"),
        _alter("from", _part("0", 1), _part("0", 4)),
        show("/connectors/from/offsets"),
        _alter("from", _at({"a": 1, "b": [1, {"c": None}], "d": 1.5}, {"x": True, "y": {"z": []}})),
        show("/connectors/from/offsets"),
        _alter("from", _at({"a": 1, "b": [1, {"c": None}], "d": 1.5}, None)),
        _alter("from", _at(None, {"count": 1})),
        _alter("from", _at({}, {"count": 1})),
        show("/connectors/from/offsets"),
        _alter("from", _at({"part": "0"}, {})),
        _alter("from", {"partition": {"part": "0"}}),
        _alter("from", {"offset": {"count": 1}}),
        _alter("from", {}),
        _alter("from", None),
        _alter("from", 1),
        _alter("from", []),
        _alter("from", _at("text", {"count": 1})),
        _alter("from", _at([], {"count": 1})),
        _alter("from", _at({"part": "0"}, "text")),
        _alter("from", _at({"part": "0"}, [])),
        _alter("from", _at({"part": "0"}, 1)),
        _alter("from", {"partition": {"part": "0"}, "offset": {"count": 1}, "nope": 1}),
        *(
            patch("/connectors/from/offsets", body)
            for body in (
                {"offsets": {}},
                {"offsets": "text"},
                {"offsets": [], "nope": 1},
                {"offsets": None},
                {},
                [],
            )
        ),
        ask("PATCH", "/connectors/from/offsets", text=""),
        ask("PATCH", "/connectors/from/offsets", text="{"),
        ask("PUT", "/connectors/from/offsets", {"offsets": []}),
        ask("POST", "/connectors/from/offsets", {"offsets": []}),
        delete("/connectors/from/offsets"),
        show("/connectors/from/offsets"),
        delete("/connectors/from/offsets"),
        _alter("from", _part("0", 4), _part("1", 5)),
        put("/connectors/from/resume"),
        is_in("from", "RUNNING", "RUNNING", "RUNNING"),
        until("/connectors/from/offsets", offsets=[{"offset": {"count": 5}}] * 2),
        *gone("from"),
        show("/connectors/from/offsets"),
        _alter("from", _part("0", 2)),
        delete("/connectors/from/offsets"),
        *created("from", _SOURCE, "RUNNING", "RUNNING"),
        show("/connectors/from/offsets"),
        *_stopped("from"),
        delete("/connectors/from/offsets"),
        *gone("from"),
    ],
)


def _refusing(place: str) -> list[Step]:
    """A source whose plugin has something to say to changed offsets."""
    return [
        post(
            "/connectors",
            {"name": place, "config": {**_SOURCE, "fail.at": place}, "initial_state": "STOPPED"},
        ),
        is_in(place, "STOPPED"),
        show(f"/connectors/{place}/offsets"),
        _alter(place, _part("0", 2)),
        delete(f"/connectors/{place}/offsets"),
        show(f"/connectors/{place}/offsets"),
        *gone(place),
    ]


REFUSED = Chapter(
    "refused-offsets",
    [
        step
        for place in (
            "offsets",
            "offsets.refused",
            "offsets.unsupported",
            "offsets.ignored",
            "start",
        )
        for step in _refusing(place)
    ],
)

FILES = Chapter(
    "file-offsets",
    [
        write("moving.txt", "one\ntwo\nthree\n"),
        *created("file-from", _FILE, "RUNNING", "RUNNING"),
        until("/connectors/file-from/offsets", offsets=[{"offset": {"position": 14}}]),
        *_stopped("file-from"),
        *(
            _alter("file-from", _at(partition, offset))
            for partition, offset in (
                ({"filename": "@DIR@/moving.txt"}, {"position": 4}),
                ({"filename": "@DIR@/moving.txt"}, {"position": "4"}),
                ({"filename": "@DIR@/moving.txt"}, {"position": -1}),
                ({"filename": "@DIR@/moving.txt"}, {"position": 1.5}),
                ({"filename": "@DIR@/moving.txt"}, {"position": None}),
                ({"filename": "@DIR@/moving.txt"}, {"nope": 1}),
                ({"filename": "@DIR@/other.txt"}, {"position": 4}),
                ({"nope": "@DIR@/moving.txt"}, {"position": 4}),
                ({"filename": 1}, {"position": 4}),
                ({"filename": None}, {"position": 4}),
                ({"filename": "@DIR@/other.txt"}, None),
                ({"nope": "x"}, None),
            )
        ),
        show("/connectors/file-from/offsets"),
        delete("/connectors/file-from/offsets"),
        _alter("file-from", _at({"filename": "@DIR@/moving.txt"}, {"position": 4})),
        show("/connectors/file-from/offsets"),
        put("/connectors/file-from/resume"),
        is_in("file-from", "RUNNING", "RUNNING"),
        until("/connectors/file-from/offsets", offsets=[{"offset": {"position": 14}}]),
        *_stopped("file-from"),
        delete("/connectors/file-from/offsets"),
        show("/connectors/file-from/offsets"),
        *gone("file-from"),
    ],
)

SINK = Chapter(
    "sink-offsets",
    [
        topic("moved", 2),
        topic("empty"),
        produce("moved", '"a"', '"b"', '"c"'),
        show("/connectors/into/offsets"),
        *created("into", _SINK, "RUNNING", "RUNNING"),
        until(
            "/connectors/into/offsets",
            offsets=[{"offset": {"kafka_offset": 3}}, {"offset": {"kafka_offset": 0}}],
        ),
        _alter("into", _kafka("moved", 0, 1)),
        delete("/connectors/into/offsets"),
        put("/connectors/into/pause"),
        is_in("into", "PAUSED", "PAUSED"),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("moved", 0, 1)),
        delete("/connectors/into/offsets"),
        *_stopped("into"),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("moved", 0, 1)),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("moved", "0", "2")),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("moved", 1, 0)),
        until("/connectors/into/offsets", offsets=[{}, {}]),
        _alter("into", _kafka("moved", 1, None)),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("moved", 0, 100)),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("empty", 0, 0)),
        show("/connectors/into/offsets"),
        _alter("into", _kafka("empty", 0, None)),
        *(
            _alter("into", each)
            for each in (
                _kafka("moved", 9, 1),
                _kafka("no-such-topic", 0, 1),
                _kafka("moved", -1, 1),
                _kafka("moved", "x", 1),
                _kafka("moved", 1.5, 1),
                _kafka("moved", None, 1),
                _kafka(None, 0, 1),
                _kafka(7, 0, 1),
                _kafka("", 0, 1),
                _kafka("moved", 0, -1),
                _kafka("moved", 0, "x"),
                _kafka("moved", 0, 1.5),
                _kafka("moved", 0, True),
                _kafka("moved", 99999999999, 1),
                _at({"kafka_topic": "moved"}, {"kafka_offset": 1}),
                _at({"kafka_partition": 0}, {"kafka_offset": 1}),
                _at({"topic": "moved", "partition": 0}, {"kafka_offset": 1}),
                _at({"kafka_topic": "moved", "kafka_partition": 0, "x": 1}, {"kafka_offset": 1}),
                _at({"kafka_topic": "moved", "kafka_partition": 0}, {"offset": 1}),
                _at({"kafka_topic": "moved", "kafka_partition": 0}, {"kafka_offset": 1, "x": 1}),
                _at({"kafka_topic": "moved", "kafka_partition": 0}, {}),
                _at({"kafka_topic": "moved", "kafka_partition": 0}, {"kafka_offset": None}),
                _at({}, {"kafka_offset": 1}),
                _at(None, {"kafka_offset": 1}),
            )
        ),
        show("/connectors/into/offsets"),
        delete("/connectors/into/offsets"),
        show("/connectors/into/offsets"),
        delete("/connectors/into/offsets"),
        _alter("into", _kafka("moved", 0, 2)),
        put("/connectors/into/resume"),
        is_in("into", "RUNNING", "RUNNING"),
        until(
            "/connectors/into/offsets",
            offsets=[{"offset": {"kafka_offset": 3}}, {"offset": {"kafka_offset": 0}}],
        ),
        *_stopped("into"),
        *gone("into"),
        post(
            "/connectors",
            {"name": "known", "config": {**_SINK, "fail.at": "offsets.known"}}
            | {"initial_state": "STOPPED"},
        ),
        is_in("known", "STOPPED"),
        show("/connectors/known/offsets"),
        delete("/connectors/known/offsets"),
        _alter("known", _kafka("moved", 0, 2)),
        show("/connectors/known/offsets"),
        delete("/connectors/known/offsets"),
        *gone("known"),
        post(
            "/connectors",
            {"name": "unknown", "config": {**_SINK, "fail.at": "offsets"}}
            | {"initial_state": "STOPPED"},
        ),
        is_in("unknown", "STOPPED"),
        _alter("unknown", _kafka("moved", 0, 2)),
        delete("/connectors/unknown/offsets"),
        *gone("unknown"),
    ],
)

TOPICS = Chapter(
    "topics",
    [
        topic("used"),
        topic("used-later"),
        show("/connectors/user/topics"),
        put("/connectors/user/topics/reset"),
        *created("user", {**_SOURCE, "topic": "used", "records": "1"}, "RUNNING", "RUNNING"),
        until("/connectors/user/topics", user={"topics": ["used"]}),
        show("/connectors/user/topics/"),
        put("/connectors/user/topics/reset"),
        until("/connectors/user/topics", user={"topics": []}),
        put("/connectors/user/topics/reset"),
        ask("GET", "/connectors/user/topics/reset"),
        ask("PUT", "/connectors/user/topics/reset", text="{"),
        put(
            "/connectors/user/config",
            {**_SOURCE, "topic": "used-later", "records": "2"},
        ),
        until("/connectors/user/topics", user={"topics": ["used-later"]}),
        put("/connectors/user/pause"),
        is_in("user", "PAUSED", "PAUSED"),
        show("/connectors/user/topics"),
        *_stopped("user"),
        show("/connectors/user/topics"),
        put("/connectors/user/topics/reset"),
        until("/connectors/user/topics", user={"topics": []}),
        *gone("user"),
        show("/connectors/user/topics"),
        put("/connectors/user/topics/reset"),
        produce("used", '"more"'),
        *created("reader", {**_SINK, "topics": "used,used-later"}, "RUNNING", "RUNNING"),
        until("/connectors/reader/topics", reader={"topics": ["used", "used-later"]}),
        *gone("reader"),
    ],
)

CHAPTERS = (SOURCE, REFUSED, FILES, SINK, TOPICS)
