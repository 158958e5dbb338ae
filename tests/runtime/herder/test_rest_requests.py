"""Odd and simultaneous requests to the real API with the real herder, over a pretended Spark."""

from __future__ import annotations

import json
import random
from collections import Counter
from urllib.parse import quote

import pytest
from tests.oracle.worker.recording import failed_requests
from tests.oracle.worker.steps import STANDALONE
from tests.runtime.herder.served import Group, Service

NAMES = [
    "a",
    "d e",
    "ü日本",
    "..",
    ".",
    "a\u202eb",
    "n" * 3000,
    "'\"<script>",
    "é" * 200,
]
BAD_NAMES = ["", " ", "a\u0000b", "a\nb", "a\x1fb", "\ttab\x7f"]
SOURCE = {"connector.class": "ShopSource", "shop.url": "http://shop"}
SINK = {"connector.class": "ShopSink", "shop.url": "http://shop", "topics": "t"}
UNREACHABLE = ["b/c", "%2F", "b\\c"]
KNOWN = {200, 201, 202, 204, 400, 404, 405, 406, 409, 413, 415}
JAVA_FAILS = failed_requests(STANDALONE, "odd-requests")
"""Asked of a connector `one`, in one state or another."""


@pytest.fixture
def service(world, tmp_path, monkeypatch):
    """A fresh one, closed at the end."""
    monkeypatch.setattr("plugwright.herder.connector_offsets.GroupOffsets", Group)
    service = Service(world, tmp_path)
    yield service
    service.herder.close()


def path_of(name, *rest):
    """The path of a connector."""
    return "/".join(["/connectors", quote(name, safe=""), *rest])


def java_fails(method, target, body):
    """Whether Kafka Connect answers this very request with 500, whichever connector it is about."""
    text = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return (f"{method} {target.replace('/two', '/one')}", text) in JAVA_FAILS


def complaint(answer, *, may_fail=False):
    """What is wrong with an answer, if anything is."""
    text = answer.body.decode()
    if answer.status not in KNOWN and not (answer.status == 500 and may_fail):
        return f"{answer.status} {text[:300]}"
    if answer.status >= 400 and not answer.message:
        return f"{answer.status} without a message"
    # Only what `trace` says is a stack of the plugin's own.
    leaks = [word for word in ("Traceback (", 'File "', "s3cret") if word in text]
    return f"{answer.status} shows {leaks}: {text[:300]}" if leaks else ""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name)[:12])
def test_a_connector_of_an_odd_name_lives_and_dies_as_any_other(service, name):
    """Jersey decodes one segment of the path; a name has whatever letters it has."""
    created = service.create(name, SOURCE)
    shown = service.call("GET", path_of(name))
    running = service.call("GET", path_of(name, "status"))
    paused = service.call("PUT", path_of(name, "pause"))
    gone = service.call("DELETE", path_of(name))

    codes = [each.status for each in (created, shown, running, paused, gone)]
    assert codes == [201, 200, 200, 202, 204]
    assert (shown.json["name"], running.json["connector"]["state"]) == (name, "RUNNING")
    assert service.call("GET", "/connectors").json == []


@pytest.mark.slow
@pytest.mark.parametrize("name", UNREACHABLE, ids=repr)
def test_a_connector_whose_path_is_ambiguous_cannot_be_reached(service, name):
    """It is created and listed; Jetty refuses its path, and so does this server."""
    created = service.create(name, SOURCE)
    shown = service.call("GET", path_of(name))

    assert (created.status, shown.status) == (201, 400)
    assert service.call("GET", "/connectors").json == [name]


@pytest.mark.parametrize("name", BAD_NAMES, ids=repr)
def test_a_name_that_no_connector_may_have_is_refused(service, name):
    """Empty, or with control characters, by every way of creating one."""
    codes = [service.create(name, SOURCE).status]
    codes.append(service.call("PUT", path_of(name, "config"), {**SOURCE, "name": name}).status)

    assert set(codes) <= {400, 404, 405}
    assert service.call("GET", "/connectors").json == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, 'Missing required configuration \\"connector.class\\"'),
        ({"connector.class": None}, 'Missing required configuration \\"connector.class\\"'),
        ({**SOURCE, "x": None}, "Null value can not be supplied as the configuration value."),
        ({"connector.class": "Nope"}, "Nope"),
        ({**SOURCE, "tasks.max": "0"}, "Invalid value 0 for configuration tasks.max"),
        ({**SOURCE, "tasks.max": "many"}, "Invalid value many for configuration tasks.max"),
        ({**SOURCE, "transforms": "t"}, "transforms.t.type"),
        ({**SINK, "topics": ""}, "Must configure one of topics or topics.regex"),
        ({**SINK, "topics.regex": "t"}, "mutually exclusive options, but both are set."),
        ({**SINK, "topics": "", "topics.regex": "("}, "topics.regex: Invalid regex: Unclosed"),
        (
            {**SINK, "topics": "", "topics.regex": "(?m)a"},
            "Invalid regex: the flag m has no exact counterpart in Python",
        ),
        ({**SOURCE, "key.converter": "Nope"}, "Nope"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_wrong_configuration_is_a_bad_request(service, config, message):
    """Also where the plugin is unknown or not named at all, as in Kafka."""
    answer = service.create("x", config)

    assert (answer.status, complaint(answer)) == (400, "")
    assert message in answer.body.decode()


PARTS = [
    ("GET", ("",)),
    ("GET", ("status",)),
    ("GET", ("config",)),
    ("GET", ("tasks",)),
    ("GET", ("topics",)),
    ("GET", ("offsets",)),
    ("PUT", ("pause",)),
    ("PUT", ("resume",)),
    ("PUT", ("stop",)),
    ("PUT", ("topics", "reset")),
    ("POST", ("restart",)),
    ("POST", ("restart?includeTasks=true&onlyFailed=maybe&x=y",)),
    ("POST", ("restart?includeTasks=true",)),
    ("POST", ("tasks", "0", "restart")),
    ("POST", ("tasks", "9" * 30, "restart")),
    ("DELETE", ("offsets",)),
    ("DELETE", ("",)),
]
BODIES = [
    {},
    [],
    {"shop.url": None},
    {"tasks.max": "2", "unknown.field": "x"},
    {"tasks.max": -1},
    {"shop.url": "http://other", "connector.class": "ShopSink", "topics": "t"},
    {"offsets": [{"partition": {"a": 1}, "offset": {"b": [1]}}]},
    {"offsets": [{"partition": {"a": "x"}, "offset": {"b": 2}}]},
    {"offsets": [{"partition": {"a": "x"}, "offset": None}, {"partition": {"a": "x"}}]},
    {"a": "x" * 70_000},
    b"{",
    b"\xff",
]


def _request(chance):
    """One request about one of two connectors."""
    name = chance.choice(["one", "two"])
    if chance.random() < 0.3:
        body = {"name": name, "config": chance.choice([SOURCE, SINK, {}])}
        return "POST", "/connectors?expand=x", body
    if chance.random() < 0.4:
        method, tail = chance.choice([("PUT", "config"), ("PATCH", "config"), ("PATCH", "offsets")])
        return method, path_of(name, tail), chance.choice([*BODIES, SOURCE, SINK])
    method, rest = chance.choice(PARTS)
    return method, path_of(name, *rest).removesuffix("/"), None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_requests_at_the_same_time_get_answers_of_kafkas_kinds(service, seed):
    """Creating, changing, restarting and deleting two connectors, sixteen at once."""
    chance = random.Random(seed)  # noqa: S311  # reproducible, not secret
    groups = [[_request(chance) for _ in range(16)] for _ in range(8)]

    answers = [answer for group in groups for answer in service.call.all(group)]

    requests = [request for group in groups for request in group]
    complaints = [
        complaint(answer, may_fail=java_fails(*request))
        for request, answer in zip(requests, answers, strict=True)
    ]
    assert [found for found in complaints if found] == []
    assert {200, 201, 404} <= {answer.status for answer in answers}
    assert service.create("three", SOURCE).status == 201
    assert service.call("GET", "/connectors/three/status").json["connector"]["state"] == "RUNNING"


@pytest.mark.slow
def test_of_many_that_create_one_connector_one_does(service):
    """The others learn that it exists; none learns that it does not."""
    answers = service.call.all(
        [("POST", "/connectors", {"name": "c", "config": SOURCE})] * 8
        + [("POST", "/connectors", {"name": f"c{n}", "config": SOURCE}) for n in range(8)]
    )

    assert Counter(answer.status for answer in answers) == {201: 9, 409: 7}
    refused = {answer.message for answer in answers if answer.status == 409}
    assert refused == {"Connector c already exists"}
    assert len(json.loads(service.call("GET", "/connectors").body)) == 9
