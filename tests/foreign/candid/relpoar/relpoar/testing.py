"""A log server that keeps its messages in a file, each behind its length."""

from __future__ import annotations

import datetime as dt
import re
import socket
import socketserver
import struct
import threading

MESSAGE = re.compile(
    rb"<\d+>1 (\S+) - \S+ - - "
    rb'\[kafka@32473 topic="((?:[^"\\\]]|\\.)*)" partition="\d+" offset="\d+"\] (.*)',
    re.DOTALL,
)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.open.add(self.connection)

    def finish(self):
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def handle(self):
        try:
            while self.frame():
                pass
        except (OSError, ValueError):
            pass

    def word(self):
        found = b""
        while (byte := self.rfile.read(1)) not in {b" ", b"\n"}:
            if not byte:
                raise ValueError("the end")
            found += byte
        return found, byte

    def frame(self):
        number, _ = self.word()
        command, _ = self.word()
        size, end = self.word()
        data = b""
        if end == b" ":
            data = self.rfile.read(int(size))
            if len(data) < int(size) or self.rfile.read(1) != b"\n":
                return False
        answer = b"200 OK"
        if command == b"open":
            answer = b"500 this client is not permitted"
            if not self.server.denied:
                answer = b"200 OK\nrelp_version=0\ncommands=syslog\n"
        elif command == b"syslog":
            with self.server.lock, self.server.file.open("ab") as file:
                file.write(struct.pack(">I", len(data)) + data)
        self.wfile.write(b"%b rsp %d %b\n" % (number, len(answer), answer))
        return command != b"close" and answer[:3] == b"200"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, port, file):
        self.file, self.lock, self.open, self.denied = file, threading.Lock(), set(), False
        super().__init__(("127.0.0.1", port), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def disconnect(self):
        for connection in list(self.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class LogServerEndpoint:
    """Sends messages of its own over the protocol, and reads the file."""

    def __init__(self, directory):
        self._file = directory / "messages"
        self._port, self._server = 0, None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._file.touch()
        self.recover()
        return {"relp.host": "127.0.0.1", "relp.port": str(self._port)}

    def attach(self, settings):
        self._port = int(settings["relp.port"])

    def stop(self):
        self.refuse()
        self._file.unlink(missing_ok=True)

    def seed(self, values):
        with socket.create_connection(("127.0.0.1", self._port), timeout=30) as connection:
            file = connection.makefile("rb")
            connection.sendall(b"1 open 14 relp_version=0\n")
            for _ in range(4):  # the answer has three lines and the end
                file.readline()
            for number, value in enumerate(values, 2):
                text = b'<14>1 - - seed - - [kafka@32473 topic="seeds" partition="0" offset="0"] '
                text += value.encode("utf-8")
                connection.sendall(b"%d syslog %d %b\n" % (number, len(text), text))
                file.readline()
            file.close()

    def read_back(self):
        return [text.decode("utf-8") for _, _, text in self._messages()]

    def read_topics(self):
        return [re.sub(rb"\\(.)", rb"\1", topic).decode() for _, topic, _ in self._messages()]

    def read_timestamps(self):
        return [_milliseconds(time.decode("ascii")) for time, _, _ in self._messages()]

    def refuse(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.disconnect()
            self._server = None
        return ("Connection refused",)

    def recover(self):
        if self._server is None:
            self._server = Server(self._port, self._file)
            self._port = self._server.server_address[1]
        return ()

    def deny(self):
        self._server.denied = True
        self._server.disconnect()
        return ()

    def _messages(self):
        data, at, found = self._file.read_bytes(), 0, []
        while at < len(data):
            (size,) = struct.unpack_from(">I", data, at)
            found.append(MESSAGE.fullmatch(data[at + 4 : at + 4 + size]).groups())
            at += 4 + size
        return found


def _milliseconds(time):
    return None if time == "-" else (dt.datetime.fromisoformat(time) - EPOCH) // MILLISECOND
