"""Requests that are wrong in every way that clients have found, answered as Kafka Connect does."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

VALID = {"name": "new", "config": {"connector.class": "X"}}
NOT_JSON = "The request body is not valid JSON: "
MALFORMED, UNREADABLE = "[rest.malformed-json]", "[rest.unreadable-body]"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b" ", "it is empty"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (b'{"a": NaN}', "NaN is not a JSON value"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON value"),
        (b'{"a": "\xff"}', "it holds text that is not valid Unicode"),
        (b'{"a": "\\ud800"}', "it holds text that is not valid Unicode"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
    ids=["empty", "open", "NaN", "infinity", "UTF-8", "surrogate", "deep"],
)
def test_malformed_json_cannot_be_read(call, body, reason):
    """Kafka Connect's status, with what is wrong and a code of its own."""
    answer = call("PUT", "/connectors/new/config", body)

    assert (answer.status, answer.message) == (500, f"{NOT_JSON}{reason} {MALFORMED}")
    assert answer.headers["plugwright-error-code"] == "rest.malformed-json"


@pytest.mark.parametrize(
    "number", ["1e999", "9" * 5000], ids=["beyond a float", "more digits than Python reads"]
)
def test_numbers_out_of_range_cannot_be_read(call, number):
    """Offsets are the one place where numbers stay numbers."""
    body = f'{{"offsets":[{{"partition":{{"a":{number}}}}}]}}'.encode()

    answer = call("PATCH", "/connectors/logs/offsets", body)

    assert answer.status == 500
    assert answer.message.startswith(NOT_JSON)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "The request body must be an object, but is an array"),
        (b"null", "The request body must be an object, but is null"),
        (b"5", "The request body must be an object, but is a number"),
        ({"name": "new"}, "Connector config must be provided in the field config"),
        ({"name": "new", "config": None}, "Connector config must be provided in the field config"),
        ({"name": "new", "config": "x"}, "Connector config must be an object, but is text"),
        ({"name": ["new"], "config": {}}, "name must be text, but is an array"),
        ({**VALID, "initial_state": {}}, "initial_state must be text, but is an object"),
        ({**VALID, "x": 1}, "Unrecognized field x: expected only config, initial_state, name"),
        (
            {"name": "new", "config": {"a": {"b": "s3cret"}}},
            "The value of a must be text, a number, a boolean or null, but is an object",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_body_of_another_form_cannot_be_read(call, body, message):
    """It says what was expected and what was found, values not shown."""
    answer = call("POST", "/connectors", body)

    assert (answer.status, answer.message) == (500, f"{message} {UNREADABLE}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"offsets": {}}, "offsets must be an array, but is an object"),
        ({"offset": []}, "Unrecognized field offset: expected only offsets"),
        ({"offsets": [1]}, "An element of offsets must be an object, but is a number"),
        ({"offsets": [{"partition": 1}]}, "partition must be an object, but is a number"),
        ({"offsets": [{"offset": True}]}, "offset must be an object, but is a boolean"),
        ({"offsets": [{"p": {}}]}, "Unrecognized field p: expected only offset, partition"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_offsets_of_another_form_cannot_be_read(call, body, message):
    """The herder never sees them."""
    answer = call("PATCH", "/connectors/logs/offsets", body)

    assert (answer.status, answer.message) == (500, f"{message} {UNREADABLE}")


def test_a_body_in_utf_16_is_read(call):
    """As Jackson does."""
    body = '{"name":"ä","config":{}}'.encode("utf-16")

    assert call("POST", "/connectors", body).json["name"] == "ä"


@pytest.mark.parametrize("name", ["", "   ", "a\u0000b", "a\nb"], ids=repr)
def test_names_that_no_connector_may_have_are_a_bad_request(call, name):
    """The herder's validator speaks."""
    answer = call("POST", "/connectors", {"name": name, "config": {}})

    assert answer.status == 400
    assert answer.message.startswith(
        "Connector configuration is invalid and contains the following"
    )


@pytest.mark.parametrize("name", ["a b", "ü", "..", "?", "#", "a;b", "日本", "'\"<>", "+"])
def test_odd_names_survive_the_path(call, herder, name):
    """They are decoded after the path is divided."""
    call("PUT", f"/connectors/{quote(name, safe='')}/config", {})

    assert herder.asked[0][1] == name


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/connectors/%zz", 400),
        ("/connectors/%", 400),
        ("/connectors/%ff", 400),
        ("/connectors//config", 400),
        ("//connectors", 400),
        ("/connectors/a%2Fb", 400),
        ("/connectors/a%5Cb", 400),
        ("/connectors/a%25b", 400),
        ("/connectors/%2e%2E", 400),
        ("/connectors/..;a", 400),
        ("/connectors/a%0ab", 400),
        ("/connectors/../../connectors", 400),
        ("/%63onnectors", 404),
        ("/connectors;a=b", 200),
        ("/connectors/a/b", 404),
        ("/Connectors", 404),
        ("/connectors/logs/config//", 400),
        ("", 200),
    ],
)
def test_broken_paths_are_distinguished_from_missing_ones(call, path, status):
    """What a proxy may read another way is refused, as Jetty does for Kafka Connect."""
    assert call("GET", path).status == status


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("GET", "/connectors/a%2Fb", "text/html;charset=iso-8859-1"),
        ("POST", "/connectors//x", "text/html;charset=iso-8859-1"),
        ("DELETE", "/connectors/a%2Fb", None),
        ("DELETE", "/connectors/%00", "text/html;charset=iso-8859-1"),
        ("CONNECT", "/", "text/html;charset=iso-8859-1"),
    ],
)
def test_a_refused_path_has_a_page(call, herder, method, path, kind):
    """The herder is not even asked; methods that change something get no page."""
    answer = call(method, path)

    assert (answer.status, answer.headers.get("content-type")) == (400, kind)
    assert answer.body.startswith(b"<html>") == (kind is not None)
    assert herder.asked == []


def test_a_target_names_its_own_server(call):
    """In absolute form, for proxies."""
    host = {"host": "connect:8083"}

    assert call("GET", "http://connect:8083/connectors", headers=host).status == 200
    assert call("GET", "http://other:8083/connectors", headers=host).status == 400


def test_an_unknown_path_is_not_found(call):
    """In the words of JAX-RS."""
    answer = call("GET", "/nope")

    assert answer.body == b'{"error_code":404,"message":"HTTP 404 Not Found"}'


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/connectors", "GET, HEAD, OPTIONS, POST"),
        ("GET", "/connectors/logs/pause", "OPTIONS, PUT"),
        ("POST", "/connectors/logs/config", "GET, HEAD, OPTIONS, PATCH, PUT"),
        ("TRACE", "/", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_wrong_method_is_not_allowed(call, method, path, allow):
    """405 with those that are."""
    answer = call(method, path)

    assert (answer.status, answer.message) == (405, "HTTP 405 Method Not Allowed")
    assert answer.headers["allow"] == allow


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "*/*", ""])
def test_a_body_of_another_type_is_not_supported(call, kind):
    """415, as JAX-RS says; what curl sends by default is among them."""
    answer = call("PUT", "/connectors/new/config", {}, {"content-type": kind})

    assert (answer.status, answer.message) == (415, "HTTP 415 Unsupported Media Type")


@pytest.mark.parametrize("kind", ["nonsense", "a/b/c"])
def test_a_type_that_is_none_is_a_bad_request(call, kind):
    """With a page for what was posted, and nothing elsewhere."""
    sent = call("POST", "/connectors", {}, {"content-type": kind})
    changed = call("PUT", "/connectors/new/config", {}, {"content-type": kind})
    taken = call("GET", "/connectors", headers={"accept": "a/b/c"})

    assert (sent.status, sent.body[:6]) == (400, b"<html>")
    assert (changed.status, changed.body) == (400, b"")
    assert (taken.status, taken.body) == (400, b"")


def test_an_answer_has_the_parameters_that_are_asked_for(call):
    """As JAX-RS negotiates them."""
    answer = call("GET", "/connectors", headers={"accept": "application/json; charset=utf-8;q=1"})

    assert answer.headers["content-type"] == "application/json;charset=utf-8"


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_has_several_spellings(call, kind):
    """Parameters and case do not matter."""
    assert call("PUT", "/connectors/logs/config", {}, {"content-type": kind}).status == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("text/html", 406),
        ("application/xml, text/*;q=0.5", 406),
        ("application/json", 200),
        ("text/html,application/xhtml+xml,*/*;q=0.8", 200),
        ("application/*", 200),
        ("", 200),
    ],
)
def test_who_takes_no_json_gets_none(call, accept, status):
    """406, as JAX-RS says."""
    assert call("GET", "/connectors", headers={"accept": accept}).status == status


def test_a_body_that_is_too_large_is_refused():
    """413 with the limit."""
    call = client_of(FakeHerder(), {"rest.request.max.bytes": "1024"})

    answer = call("PUT", "/connectors/new/config", {"a": "x" * 1024})

    assert (answer.status, answer.message) == (413, "The request body is larger than 1024 bytes")


def test_a_body_of_the_largest_size_is_taken():
    """The limit itself is allowed."""
    call = client_of(FakeHerder(), {"rest.request.max.bytes": "1024"})

    body = {"a": "x" * (1024 - len('{"a": ""}'))}

    assert call("PUT", "/connectors/new/config", body).status == 201


def test_a_query_of_a_thousand_parameters_is_refused(call):
    """Rather than taken apart."""
    answer = call("GET", "/connectors?" + "a=1&" * 1001)

    assert (answer.status, answer.message) == (
        400,
        "The query cannot be read: Max number of fields exceeded",
    )


def test_a_head_is_a_get_without_its_body(call):
    """Same status, same length."""
    answer = call("HEAD", "/connectors")

    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "8")


def test_options_list_the_methods(call):
    """As text and as a header."""
    answer = call("OPTIONS", "/connectors/logs/offsets")

    assert answer.body == b"DELETE, GET, HEAD, OPTIONS, PATCH"
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH"


PARTS = [
    "connectors",
    "connector-plugins",
    "admin",
    "loggers",
    "logs",
    "config",
    "offsets",
    "tasks",
]
PARTS += [
    "status",
    "restart",
    "topics",
    "reset",
    "validate",
    "0",
    "-1",
    "",
    "%",
    "%ff",
    "%00",
    "..",
]
PARTS += ["%2F", "é", "a" * 2000, "health", "metrics", "openapi.json", "{connector}"]
BODIES = [None, b"", b"{", b"[]", b"null", b"0", b'""', b"\xff", b"\x00" * 9, b'{"level":"INFO"}']
BODIES += [b'{"offsets":[{}]}', b'{"name":0,"config":{}}', b'{"connector.class":"x"}', b"[" * 5000]
BODIES += [b'{"a":{}}', b'{"a":1e999}', b'{"a":"\\udfff"}', b'{"level":[]}', b"NaN", b"{}" * 500]
QUERIES = ["", "?", "?expand", "?expand=info&expand=status", "?forward=x", "?%ff=%", "?a&b=&=c"]
HEADERS = [None, {"content-type": "text/plain"}, {"accept": ";"}, {"content-type": ";;"}]
METHODS = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"]


def _fuzzed(seed):
    chance = random.Random(seed)  # noqa: S311  # reproducible, not secret
    path = "/" + "/".join(chance.choices(PARTS, k=chance.randint(0, 5)))
    target = path.encode().decode("latin-1") + chance.choice(QUERIES)
    return chance.choice(METHODS), target, chance.choice(BODIES), chance.choice(HEADERS)


def test_no_input_makes_the_worker_fail(call):
    """Three hundred requests of odds and ends, none of which is an unintended 500."""
    requests = [_fuzzed(seed) for seed in range(300)]

    answers = call.all(requests)

    assert [
        request
        for request, answer in zip(requests, answers, strict=True)
        if answer.headers.get("plugwright-error-code") == "rest.internal-error"
    ] == []
    assert {200, 400, 404, 405} <= {answer.status for answer in answers}
