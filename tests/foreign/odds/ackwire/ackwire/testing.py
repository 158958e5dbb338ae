"""The server on a free port: it answers in groups, the last one first, and puts some lines off."""

from __future__ import annotations

import json
import select
import socket
import socketserver
import threading

KNOWN = "sandpiper-5519-tide"
GROUP = 7


class _Service(socketserver.StreamRequestHandler):
    rbufsize = 0

    def handle(self):
        hello = self._line()
        try:
            secret = json.loads(hello or b"{}").get("secret")
        except ValueError:
            return
        if self._refused(secret):
            return
        held = []
        try:
            while True:
                if held and (len(held) >= GROUP or not self._ready()):
                    if self._refused(secret):
                        return
                    self._answer(held)
                    held = []
                line = self._line()
                if not line.endswith(b"\n"):
                    return
                message = json.loads(line)
                if message.get("all"):
                    with self.server.lock:
                        self.wfile.write(json.dumps(self.server.stored).encode() + b"\n")
                    return
                held.append(message)
        except OSError:
            pass

    def _refused(self, secret):
        reason = "the_wire_is_closed" if self.server.closed else None
        if self.server.denied or secret != KNOWN:
            reason = "wrong_secret"
        if reason is not None:
            self.wfile.write(f"! {reason}\n".encode())
        return reason is not None

    def _ready(self):
        return b"\n" in self.server.buffers.get(self, b"") or bool(
            select.select([self.connection], [], [], 0.01)[0]
        )

    def _line(self):
        buffers = self.server.buffers
        content = buffers.pop(self, b"")
        while b"\n" not in content:
            more = self.connection.recv(65536)
            if not more:
                return content
            content += more
        line, _, rest = content.partition(b"\n")
        if rest:
            buffers[self] = rest
        return line + b"\n"

    def _answer(self, messages):
        answers = []
        with self.server.lock:
            for message in messages:
                self.server.count += 1
                if self.server.count % 11 == 0:
                    answers.append(f"~ {message['number']}\n")
                else:
                    self.server.stored.append(message)
                    answers.append(f"+ {message['number']}\n")
        self.wfile.write("".join(reversed(answers)).encode())

    def finish(self):
        self.server.buffers.pop(self, None)
        super().finish()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


class WireEndpoint:
    """The server, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Service)
        self._server.stored, self._server.buffers, self._server.count = [], {}, 0
        self._server.closed = self._server.denied = False
        self._server.lock = threading.Lock()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._address = self._server.server_address
        host, port = self._address
        return {"wire.host": host, "wire.port": str(port), "wire.secret": KNOWN}

    def attach(self, settings):
        self._address = (settings["wire.host"], int(settings["wire.port"]))

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _opened(self):
        connection = socket.create_connection(self._address, timeout=20)
        connection.sendall(json.dumps({"secret": KNOWN}).encode() + b"\n")
        return connection

    def seed(self, values):
        with self._opened() as connection, connection.makefile("rb") as answers:
            for value in values:
                message = {"number": 1, "topic": None, "text": value, "at": None}
                answer = b"~"
                while answer.startswith(b"~"):
                    connection.sendall(json.dumps(message).encode() + b"\n")
                    answer = answers.readline()

    def _stored(self):
        with self._opened() as connection, connection.makefile("rb") as answers:
            connection.sendall(b'{"all": true}\n')
            return json.loads(answers.readline())

    def read_back(self):
        return [message["text"] for message in self._stored()]

    def read_timestamps(self):
        return [message["at"] for message in self._stored()]

    def read_topics(self):
        return [message["topic"] for message in self._stored()]

    def refuse(self):
        self._server.closed = True
        return ("the_wire_is_closed",)

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()
