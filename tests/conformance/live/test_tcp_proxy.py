"""A proxy passes bytes on until its link is cut, and again when it is restored."""

from __future__ import annotations

import gc
import socket
import socketserver
import sys
import threading
from contextlib import ExitStack

import pytest

from plugwright_conformance.live.tcp_proxy import TcpProxy

pytestmark = pytest.mark.slow

LIMIT_S = 60


class Echo(socketserver.BaseRequestHandler):
    """Sends back what comes."""

    def handle(self):
        """Until the client ends."""
        while data := self.request.recv(65536):
            self.request.sendall(data)


@pytest.fixture
def proxy():
    """A proxy in front of a server that echoes."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server, TcpProxy() as proxy:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        proxy.start(server.server_address[1])
        yield proxy
        server.shutdown()


def connected(proxy):
    """A client's connection."""
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=LIMIT_S)


def exchanged(client, data):
    """What comes back for some bytes; fewer if the connection ends before."""
    client.sendall(data)
    found = b""
    while len(found) < len(data) and (more := client.recv(65536)):
        found += more
    return found


def is_closed(client):
    """Whether the other side has closed the connection."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def test_bytes_come_through_both_ways(proxy):
    """More than fits into any buffer on the way."""
    data = bytes(range(256)) * 4_000
    with connected(proxy) as client:
        sender = threading.Thread(target=client.sendall, args=[data])
        sender.start()
        found = b""
        while len(found) < len(data):
            found += client.recv(65536)
        sender.join()

    assert found == data


def test_a_cut_link_closes_connections_and_lets_no_new_one_through(proxy):
    """Clients see a server that cannot be reached."""
    with connected(proxy) as before:
        assert exchanged(before, b"before") == b"before"
        proxy.cut()
        assert is_closed(before)
    with connected(proxy) as during:
        assert is_closed(during)

    proxy.mend()

    with connected(proxy) as after:
        assert exchanged(after, b"after") == b"after"


def test_a_closed_proxy_has_no_port(proxy):
    """And no thread."""
    threads = threading.active_count()
    with TcpProxy() as other:
        other.start(proxy.port)
        assert threading.active_count() == threads + 1

    assert threading.active_count() == threads
    with pytest.raises(ConnectionRefusedError):
        connected(other)


def test_connections_that_come_while_the_proxy_is_closed_are_closed_too(proxy, monkeypatch):
    """None is left to the garbage collector, which would warn in the middle of something else."""
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    for count in range(1, 21):
        with TcpProxy() as other, ExitStack() as clients:
            other.start(proxy.port)
            for _ in range(count):
                clients.enter_context(connected(other))
        gc.collect()

    assert [str(each.exc_value) for each in unraisable] == []
