"""Requests on raw sockets: what may be read in two ways is refused, what does not come is cut off.

The vectors are those of RFC 9112 (2.2, 5.2, 6.1, 6.3, 7.1), of HTTP Garden and of published attacks
on proxies and servers that read one request differently.
"""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from tests.runtime.rest.fakes import FakeHerder

from plugwright.rest import RestServer, RestSettings

SMUGGLED = b"GET /connectors HTTP/1.1\r\nHost: a\r\n\r\n"
CHUNKS = b'5\r\n{"a":\r\n3\r\n 1}\r\n0\r\n\r\n'


@pytest.fixture(scope="module")
def server():
    """A server with the limits of every day."""
    with RestServer(FakeHerder(), RestSettings.parse({"listeners": "http://127.0.0.1:0"})) as one:
        yield one


@pytest.fixture(scope="module")
def hasty():
    """A server that waits for a header, and for a body, next to no time."""
    properties = {"listeners": "http://127.0.0.1:0", "rest.request.timeout.ms": "15"}
    settings = replace(RestSettings.parse(properties), idle_timeout_s=0.015)
    with RestServer(FakeHerder(), settings) as one:
        yield one


def _open(server):
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname, address.port), timeout=60)


def _until_closed(client):
    answer = b""
    with suppress(ConnectionResetError):
        while part := client.recv(65_536):
            answer += part
    return answer


def _statuses(answer):
    """Those of all answers on a connection."""
    return re.findall(rb"HTTP/1\.1 (\d+) ", answer)


def _head(*lines, line=b"POST /connectors HTTP/1.1"):
    return b"\r\n".join([line, b"Host: a", *lines, b"", b""])


NO_CHUNKS = b"0\r\n\r\n"
REFUSED = {
    "length and encoding": _head(b"Content-Length: 4", b"Transfer-Encoding: chunked") + NO_CHUNKS,
    "encoding and length": _head(b"Transfer-Encoding: chunked", b"Content-Length: 4") + NO_CHUNKS,
    "encoding in capitals": _head(b"CONTENT-LENGTH: 4", b"TRANSFER-ENCODING: chunked") + NO_CHUNKS,
    "encoding in 1.0": _head(b"Transfer-Encoding: chunked", line=b"POST / HTTP/1.0") + NO_CHUNKS,
    "unknown encoding": _head(b"Transfer-Encoding: xchunked") + NO_CHUNKS,
    "two encodings": _head(b"Transfer-Encoding: chunked, identity") + NO_CHUNKS,
    "chunked twice": _head(b"Transfer-Encoding: chunked, chunked") + NO_CHUNKS,
    "encoding after a vertical tab": _head(b"Transfer-Encoding:\x0bchunked") + NO_CHUNKS,
    "folded encoding": _head(b"Transfer-Encoding:", b" chunked") + NO_CHUNKS,
    "folded header": _head(b"X: a", b"\tb"),
    "folded first header": b"GET / HTTP/1.1\r\n X: a\r\nHost: a\r\n\r\n",
    "two lengths": _head(b"Content-Length: 1", b"Content-Length: 2") + b"ab",
    "list of lengths": _head(b"Content-Length: 1, 2") + b"ab",
    "signed length": _head(b"Content-Length: +2") + b"ab",
    "negative length": _head(b"Content-Length: -2") + b"ab",
    "hexadecimal length": _head(b"Content-Length: 0x2") + b"ab",
    "length with an underscore": _head(b"Content-Length: 1_0") + b"abcdefghij",
    "no length": _head(b"Content-Length: "),
    "endless length": _head(b"Content-Length: " + b"9" * 40),
    "bare line feeds": b"GET / HTTP/1.1\nHost: a\n\n",
    "bare line feed after the line": b"GET / HTTP/1.1\nHost: a\r\n\r\n",
    "bare line feed after a header": b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "bare line feed at the end": b"GET / HTTP/1.1\r\nHost: a\r\n\n",
    "bare carriage return": b"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    "version 9.9": b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
    "version 1.2": b"GET / HTTP/1.2\r\nHost: a\r\n\r\n",
    "version 2.0": b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
    "version 0.9": b"GET / HTTP/0.9\r\nHost: a\r\n\r\n",
    "version of 0.9": b"GET /\r\n\r\n",
    "version in small letters": b"GET / http/1.1\r\nHost: a\r\n\r\n",
    "version with more digits": b"GET / HTTP/1.11\r\nHost: a\r\n\r\n",
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "blank before the colon": b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "no colon": _head(b"X"),
    "no name": _head(b": x"),
    "null in a name": _head(b"X\x00: a"),
    "null in a value": _head(b"X: a\x00b"),
    "target with a blank": b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_what_may_be_read_in_two_ways_is_refused_and_the_connection_closed(server, request_):
    """One answer; what follows is never taken for a request."""
    with _open(server) as client:
        client.sendall(request_ + SMUGGLED)
        answer = _until_closed(client)

    assert _statuses(answer) == [b"400"]


HOSTS = (
    *("a", "a:80", "a:080", "a:000080", "a:+80", "a:65535", "[::1]", "[::1]:80", "[fe80::1]"),
    *("::", "::1", "::1:80", "fe80::1", "1:2", "1.2.3.4:80", "1.2.3.4.5", "256.1.1.1", "a_b"),
    *("a,b", "a%20b", "%41", " a ", "-", "*", "a;b", "a..b", ".a", "a.", "-a", "a~b", "a!b", "a$b"),
    *("a'b", "a(b", "a)b", "a*b", "a+b", "a=b", "a&b"),
)
NO_HOSTS = (
    *("", "a b", "a\tb", "a b:80", "a:", ":80", "a:b", "a:0", "a:-1", "a:65536", "a:99999"),
    *("a:1:2", "1:2:3", "a:b:c", "a:b:80", "::1:x", "1::g", "[]", "[:]", "[1]", "[a]", "[gg]"),
    *("[::g]", "[1.2.3.4]", "[v1.a]", "[::1%25eth0]", "[::FFFF:1.2.3.4]", "[::1]x", "[::1]:"),
    *("[::1]:0", "[a", "a]", "a/b", "a?b", "a@b", "a#b", "a\\b", "a|b", "a{b", "a^b", "a`b"),
    *("<a>", '"a"', "%", "%4", "%zz", "\xe4", "\xe4b"),
)
"""Asked of Jetty 12 as Kafka Connect 4.3.1 brings it: these get 400, the ones above do not."""


@pytest.mark.parametrize(
    ("host", "status"),
    [*((each, b"200") for each in HOSTS), *((each, b"400") for each in NO_HOSTS)],
)
def test_a_request_is_for_a_host(server, host, status):
    """A name or an address, and a port if there is a colon."""
    lines = f"GET /connectors HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    with _open(server) as client:
        client.sendall(lines.encode("latin-1"))
        answer = _until_closed(client)

    assert _statuses(answer) == [status]


REFUSED_CHUNKS = {
    "hexadecimal prefix": b"0x2\r\nab\r\n0\r\n\r\n",
    "underscore": b"1_0\r\nabababababababab\r\n0\r\n\r\n",
    "negative": b"-2\r\nab\r\n0\r\n\r\n",
    "too much data": b"2\r\nabXX0\r\n\r\n",
    "line feed in an extension": b"2;\nxx\r\nab\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("chunks", REFUSED_CHUNKS.values(), ids=REFUSED_CHUNKS)
def test_chunks_that_may_be_read_in_two_ways_end_the_connection(server, chunks):
    """No second answer in any case."""
    with _open(server) as client:
        client.sendall(_head(b"Transfer-Encoding: chunked") + chunks + SMUGGLED)
        answer = _until_closed(client)

    assert _statuses(answer) in ([b"400"], [])


@pytest.mark.parametrize("parts", [1, 3, 1000], ids=["whole", "in three", "by the byte"])
def test_what_is_refused_is_refused_however_it_is_cut_up(server, parts):
    """A header comes as the network cuts it."""
    request = REFUSED["length and encoding"]
    step = max(1, len(request) // parts)
    with _open(server) as client:
        with suppress(ConnectionError):  # it may have been refused before all of it was sent
            for at in range(0, len(request), step):
                client.sendall(request[at : at + step])
        answer = _until_closed(client)

    assert _statuses(answer) == [b"400"]


def test_a_refused_request_behind_a_good_one_is_refused(server):
    """The good one is answered."""
    with _open(server) as client:
        client.sendall(SMUGGLED + REFUSED["folded header"] + SMUGGLED)
        answer = _until_closed(client)

    assert _statuses(answer) == [b"200", b"400"]


TAKEN = {
    "HTTP/1.0": (b"GET /connectors HTTP/1.0\r\n\r\n", b"200"),
    "chunks": (
        b"PUT /connectors/a/config HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKS,
        b"201",
    ),
    "an offer of HTTP/2": (
        _head(
            b"Connection: Upgrade, HTTP2-Settings, close",
            b"Upgrade: h2c",
            b"HTTP2-Settings: AAEAAEAAAAIAAAAB",
            b"Content-Type: application/json",
            b"Content-Length: 8",
            line=b"PUT /connectors/b/config HTTP/1.1",
        )
        + b'{"a": 1}',
        b"201",
    ),
    "line feeds in a body": (
        _head(
            b"Connection: close",
            b"Content-Type: application/json",
            b"Content-Length: 10",
            line=b"PUT /connectors/c/config HTTP/1.1",
        )
        + b'{"a":\n\n 1}',
        b"201",
    ),
}


@pytest.mark.parametrize(("request_", "status"), TAKEN.values(), ids=TAKEN)
def test_what_has_one_meaning_is_taken(server, request_, status):
    """As clients send it; Java's own offers HTTP/2 with its first request."""
    with _open(server) as client:
        client.sendall(request_)
        answer = _until_closed(client)

    assert _statuses(answer) == [status]


@pytest.mark.parametrize(
    "sent",
    [b"", b"G", b"GET /connectors HTTP/1.1\r\nHost: a\r\nX: ", SMUGGLED, SMUGGLED + b"GET /con"],
    ids=["nothing", "a letter", "half a header", "nothing more", "half of a second header"],
)
def test_a_connection_without_a_whole_header_is_closed(hasty, sent):
    """However long its client waits."""
    with _open(hasty) as client:
        client.sendall(sent)
        answer = _until_closed(client)

    assert len(_statuses(answer)) <= sent.count(SMUGGLED)


def test_a_header_that_drips_is_cut_off(hasty):
    """Each byte gives no more time."""
    with _open(hasty) as client:
        client.sendall(b"GET /connectors HTTP/1.1\r\nHost: a\r\n")
        _drip(client)
        assert _until_closed(client) == b""


def test_a_body_that_drips_after_its_answer_is_cut_off(hasty):
    """An answer that is not read any more has an end as well."""
    with _open(hasty) as client:
        client.sendall(_head(b"Content-Length: 999999", line=b"GET /connectors HTTP/1.1"))
        _drip(client)
        answer = _until_closed(client)

    assert _statuses(answer) in ([b"200"], [b"408"], [])


def _drip(client):
    """Send a byte at a time, for as long as the other side takes them."""
    with suppress(OSError):
        while True:
            client.sendall(b"X")


def test_a_body_that_does_not_come_is_answered_and_cut_off(hasty):
    """408, and the connection ends, for its rest is no request."""
    with _open(hasty) as client:
        client.sendall(_head(b"Content-Type: application/json", b"Content-Length: 99") + b'{"a')
        answer = _until_closed(client)

    assert _statuses(answer) in ([b"408"], [])


def test_a_header_has_a_largest_size(server):
    """64 KB, however fast it comes."""
    with _open(server) as client:
        with suppress(OSError):
            client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 500_000)
        answer = _until_closed(client)

    assert _statuses(answer) in ([b"400"], [])
