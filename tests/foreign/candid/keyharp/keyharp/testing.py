"""A server that speaks enough of RESP, and a client that does not share code with the connector."""

from __future__ import annotations

import socket
import socketserver
import threading

PASSWORD = "strings and pedals"


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.open.add(self.connection)
        self.known = False

    def finish(self):
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def handle(self):
        try:
            while line := self.rfile.readline():
                words = [self.word() for _ in range(int(line[1:]))]
                self.wfile.write(self.answer(words[0].upper(), words[1:]))
        except (OSError, ValueError):
            pass

    def word(self):
        size = int(self.rfile.readline()[1:])
        data = self.rfile.read(size + 2)
        if len(data) < size + 2:
            raise ValueError("half a word")
        return data[:-2]

    def answer(self, command, given):
        state = self.server.state
        if command == b"AUTH":
            self.known = given[-1] == PASSWORD.encode("ascii")
            return b"+OK\r\n" if self.known else b"-WRONGPASS invalid password\r\n"
        if not self.known:
            return b"-NOAUTH Authentication required.\r\n"
        with state["lock"]:
            if command == b"SET":
                if state["denied"]:
                    return b"-NOPERM this user has no permissions to run the 'set' command\r\n"
                state["values"].pop(given[0], None)
                state["values"][given[0]] = given[1]
                return b"+OK\r\n"
            if command == b"DEL":
                return b":%d\r\n" % (state["values"].pop(given[0], None) is not None)
            if command == b"DUMPALL":
                words = [word for pair in state["values"].items() for word in pair]
                sized = [b"$%d\r\n%b\r\n" % (len(word), word) for word in words]
                return b"*%d\r\n%b" % (len(words), b"".join(sized))
        return b"-ERR unknown command\r\n"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, port, state):
        self.state, self.open = state, set()
        super().__init__(("127.0.0.1", port), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


class HarpEndpoint:
    """The server, whose values outlive an outage."""

    def __init__(self, directory):
        self._port, self._server, self._state = 0, None, None

    def __getstate__(self):
        return {"_port": self._port, "_server": None, "_state": None}

    def start(self):
        self._state = {"lock": threading.Lock(), "values": {}, "denied": False}
        self.recover()
        return {"harp.port": str(self._port), "harp.password": PASSWORD}

    def attach(self, settings):
        self._port = int(settings["harp.port"])

    def stop(self):
        self.refuse()

    def seed(self, values):
        count = len(self._pairs())
        with self._client() as (connection, answers):
            for number, value in enumerate(values, count):
                connection.sendall(_command(b"SET", b"seeds/%d" % number, value.encode("utf-8")))
                answers.readline()

    def read_back(self):
        return [value.decode("utf-8") for _, value in self._pairs()]

    def read_topics(self):
        return [name.partition(b"/")[0].decode("utf-8") for name, _ in self._pairs()]

    def refuse(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            for connection in list(self._server.open):
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self._server = None
        return ("Connection refused",)

    def recover(self):
        if self._server is None:
            self._server = Server(self._port, self._state)
            self._port = self._server.server_address[1]
        return ()

    def deny(self):
        self._state["denied"] = True
        return ()

    def _pairs(self):
        with self._client() as (connection, answers):
            connection.sendall(_command(b"DUMPALL"))
            count = int(answers.readline()[1:])
            words = [answers.read(int(answers.readline()[1:]) + 2)[:-2] for _ in range(count)]
        return list(zip(words[::2], words[1::2], strict=True))

    def _client(self):
        return Client(self._port)


class Client:
    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._answers = self._socket.makefile("rb")

    def __enter__(self):
        self._socket.sendall(_command(b"AUTH", PASSWORD.encode("ascii")))
        self._answers.readline()
        return self._socket, self._answers

    def __exit__(self, *_):
        self._answers.close()
        self._socket.close()


def _command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w) for w in words)
