"""The server on real sockets of the loopback interface."""

from __future__ import annotations

import json
import socket
import ssl
from http.client import HTTPConnection, HTTPSConnection
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from tests.runtime.rest.certificates import Authority
from tests.runtime.rest.fakes import FakeHerder

from plugwright.errors import ConfigError, ConnectError, IllegalWorkerStateError
from plugwright.rest import RestExtension, RestServer, RestSettings

ANY = "http://127.0.0.1:0"


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Signs the server's certificate."""
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def server(authority):
    """One server with http, https that asks for certificates, and admin listeners."""
    both, _, _ = authority.issue("worker")
    settings = RestSettings.parse(
        {
            "listeners": f"https://127.0.0.1:0,{ANY}",
            "admin.listeners": ANY,
            "listeners.https.ssl.keystore.location": both,
            "listeners.https.ssl.truststore.location": authority.file,
            "listeners.https.ssl.client.auth": "required",
            "rest.request.max.bytes": "1024",
            "rest.shutdown.graceful.timeout.ms": "1000",
        }
    )
    with RestServer(FakeHerder(), settings, metrics=lambda: "up 1\n") as running:
        yield running


def _get(url, path, *, method="GET", body=None, context=None):
    address = urlsplit(url).netloc
    connection = (
        HTTPSConnection(address, timeout=60, context=context)
        if url.startswith("https")
        else HTTPConnection(address, timeout=60)
    )
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_http_is_served_on_a_real_port(server):
    """Port 0 is any free one, and the URL names it."""
    assert _get(server.urls[1], "/connectors") == (200, b'["logs"]')


def test_https_is_served_to_clients_with_a_certificate(server, authority):
    """Both sides trust one authority."""
    context = ssl.create_default_context(cafile=authority.file)
    context.load_cert_chain(authority.issue("client")[0])

    assert _get(server.url, "/connectors", context=context) == (200, b'["logs"]')


def test_https_is_refused_without_a_certificate(server, authority):
    """As ssl.client.auth=required says."""
    context = ssl.create_default_context(cafile=authority.file)

    with pytest.raises((ssl.SSLError, ConnectionError)):
        _get(server.url, "/connectors", context=context)


@pytest.mark.parametrize(
    ("admin", "path", "status"),
    [
        (True, "/admin/loggers", 200),
        (True, "/metrics", 200),
        (True, "/connectors", 404),
        (False, "/admin/loggers", 404),
        (False, "/metrics", 200),
    ],
)
def test_admin_listeners_are_apart(server, admin, path, status):
    """Connectors here, loggers there, metrics on both."""
    url = server.admin_url if admin else server.urls[1]

    assert _get(url, path)[0] == status


def test_encoded_characters_survive_the_server(server):
    """The path is taken as it was sent."""
    assert _get(server.urls[1], "/connectors/a%3Bb")[1] == (
        b'{"error_code":404,"message":"Connector a;b not found"}'
    )


def test_a_large_body_gets_its_answer(server):
    """The client can send all of it before it reads."""
    status, body = _get(server.urls[1], "/connectors", method="POST", body=b"x" * 4000)

    assert (status, json.loads(body)["error_code"]) == (413, 413)


@pytest.mark.parametrize(
    "line",
    [b"GET /\x00 HTTP/1.1", b"GET /\xff HTTP/1.1", b"\x16\x03\x01", b"GET"],
    ids=["control", "not ASCII", "TLS", "no target"],
)
def test_what_is_no_http_is_refused(server, line):
    """With a 400 from the server itself, or no answer at all."""
    address = urlsplit(server.urls[1])
    with socket.create_connection((address.hostname, address.port), timeout=60) as client:
        client.sendall(line + b"\r\nHost: x\r\nConnection: close\r\n\r\n")
        try:
            answer = client.recv(100)
        except ConnectionResetError:
            answer = b""

    assert answer.partition(b" ")[2][:3] in {b"400", b""}


def test_the_advertised_url_is_the_http_listener(server):
    """Http before https, as in Kafka."""
    assert server.advertised_url == server.urls[1]


@pytest.mark.parametrize(
    ("properties", "url"),
    [
        ({}, "http://127.0.0.1:{port}"),
        ({"rest.advertised.host.name": "w1"}, "http://w1:{port}"),
        ({"rest.advertised.port": "80"}, "http://127.0.0.1:80"),
        ({"rest.advertised.listener": "HTTPS"}, "https://127.0.0.1:{port}"),
        ({"listeners": "http://:0"}, f"http://{socket.gethostname()}:{{port}}"),
    ],
    ids=["listener", "host", "port", "protocol", "all interfaces"],
)
def test_what_is_advertised_can_be_set(properties, url):
    """rest.advertised.*."""
    settings = RestSettings.parse({"listeners": ANY, **properties})

    with RestServer(FakeHerder(), settings) as server:
        assert server.advertised_url == url.format(port=urlsplit(server.url).port)


@pytest.mark.parametrize("host", ["", "0.0.0.0", "127.0.0.1"])  # noqa: S104  # for a moment
def test_the_url_is_one_that_this_machine_reaches(host):
    """No client can connect to all interfaces."""
    settings = RestSettings.parse({"listeners": f"http://{host}:0"})

    with RestServer(FakeHerder(), settings) as server:
        assert urlsplit(server.url).hostname == "127.0.0.1"


def test_answers_do_not_wait_for_acknowledgements(server):
    """Nagle's algorithm is off, or every answer would take 40 ms."""
    nodelay = [
        bound.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        for _, bound in (*server._bound, *server._admin_bound)
    ]

    assert nodelay == [1, 1, 1]


def test_a_taken_port_is_reported_before_anything_is_served():
    """With the address, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listener = f"http://127.0.0.1:{taken.getsockname()[1]}"
        settings = RestSettings.parse({"listeners": f"{ANY},{listener}"})

        with pytest.raises(ConnectError) as caught:
            RestServer(FakeHerder(), settings).start()

    assert caught.value.code == "rest.cannot-bind"
    assert str(caught.value) == (
        f"the REST API cannot listen on {listener}: Address already in use"
    )


def test_an_unknown_host_is_reported():
    """The same code."""
    settings = RestSettings.parse({"listeners": "http://no..such..host:0"})

    with pytest.raises(ConnectError) as caught:
        RestServer(FakeHerder(), settings).start()

    assert caught.value.code == "rest.cannot-bind"


def test_https_without_a_certificate_is_reported():
    """Before the thread starts."""
    settings = RestSettings.parse({"listeners": "https://127.0.0.1:0"})

    with pytest.raises(ConfigError) as caught:
        RestServer(FakeHerder(), settings).start()

    assert str(caught.value) == "ssl.keystore.location must be set for https listeners"


class Failing(RestExtension):
    """Cannot register, nor close."""

    def register(self, context):
        """Fail."""
        raise ConnectError("no registration")

    def close(self):
        """Fail."""
        raise RuntimeError("no end")


def test_an_extension_that_fails_stops_the_start(caplog):
    """The error is reported, the extension is closed, whatever that raises."""
    server = RestServer(
        FakeHerder(), RestSettings.parse({"listeners": ANY}), extensions=[Failing()]
    )

    with pytest.raises(ConnectError, match="no registration"):
        server.start()

    assert "Failing failed to close" in caplog.text


@pytest.mark.slow
def test_requests_under_way_end_before_the_server_does():
    """A graceful stop; the second one does nothing."""
    herder, begun, released, answers = FakeHerder(), Event(), Event(), []
    herder.wait = lambda: (begun.set(), released.wait(60))
    server = RestServer(herder, RestSettings.parse({"listeners": ANY})).start()
    client = Thread(target=lambda: answers.append(_get(server.url, "/connectors")))
    client.start()
    begun.wait(60)
    closing = Thread(target=server.close)
    closing.start()

    released.set()
    client.join(60)
    closing.join(60)
    server.close()

    assert answers == [(200, b'["logs"]')]
    with pytest.raises(ConnectionRefusedError):
        _get(server.url, "/connectors")


@pytest.mark.slow
def test_a_request_that_hangs_does_not_keep_the_server():
    """After rest.shutdown.graceful.timeout.ms it is cut off."""
    herder, begun, released = FakeHerder(), Event(), Event()
    herder.wait = lambda: (begun.set(), released.wait(20))
    properties = {"listeners": ANY, "rest.shutdown.graceful.timeout.ms": "100"}
    server = RestServer(herder, RestSettings.parse(properties)).start()
    client = Thread(target=lambda: _ignoring_errors(server.url))
    client.start()
    begun.wait(60)

    server.close()

    assert server._thread is None
    released.set()
    client.join(60)


def _ignoring_errors(url):
    try:
        _get(url, "/connectors")
    except OSError:
        return


def test_a_server_starts_once(server):
    """A second start would bind again."""
    with pytest.raises(IllegalWorkerStateError):
        server.start()
