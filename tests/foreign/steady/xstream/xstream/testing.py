"""A server of streams on a free port, as much of one as the connector and the suite need."""

from __future__ import annotations

import socket
import socketserver
import threading
import time

STREAMS = ("birds", "fish", "moss")
KNOWN = "lapwing-7730"


class _Session(socketserver.StreamRequestHandler):
    """One client."""

    def handle(self):
        self.known = False
        while (words := self._command()) is not None:
            name, arguments = words[0].upper(), words[1:]
            with self.server.lock:
                self.server.open_sessions.add(self.connection)
            try:
                answer = self._answer(name, arguments)
            except KeyError:
                answer = b"-ERR unknown command\r\n"
            self.wfile.write(answer)

    def finish(self):
        with self.server.lock:
            self.server.open_sessions.discard(self.connection)
        super().finish()

    def _command(self):
        head = self.rfile.readline()
        if not head.startswith(b"*"):
            return None
        words = []
        for _ in range(int(head[1:])):
            size = int(self.rfile.readline()[1:])
            words.append(self.rfile.read(size + 2)[:-2].decode("utf-8", "surrogateescape"))
        return words

    def _answer(self, name, arguments):
        if self.server.closed:
            return b"-NOPERM the streams are closed\r\n"
        if self.server.denied or (name == "AUTH" and arguments != [KNOWN]):
            return b"-WRONGPASS invalid password\r\n"
        if name == "AUTH":
            self.known = True
            return b"+OK\r\n"
        if not self.known:
            return b"-NOAUTH authentication required\r\n"
        return {"XADD": self._add, "XREAD": self._read, "XRANGE": self._range}[name](arguments)

    def _add(self, arguments):
        stream, fields = arguments[0], arguments[2:]
        with self.server.lock:
            entries = self.server.streams.setdefault(stream, [])
            total = sum(map(len, self.server.streams.values()))
            at = f"{1_700_000_000_500 + 40 * (total // 3)}-{total % 3}"
            entries.append((at, fields))
            self.server.lock.notify_all()
        return _bulk(at)

    def _range(self, arguments):
        with self.server.lock:
            return _array([_entry(each) for each in self.server.streams.get(arguments[0], [])])

    def _read(self, arguments):
        options = arguments[: arguments.index("STREAMS")]
        rest = arguments[arguments.index("STREAMS") + 1 :]
        count = int(options[options.index("COUNT") + 1])
        until = time.monotonic() + int(options[options.index("BLOCK") + 1]) / 1000
        pairs = zip(rest[: len(rest) // 2], rest[len(rest) // 2 :], strict=True)
        with self.server.lock:
            wanted = [(name, self._last(name) if last == "$" else last) for name, last in pairs]
            while not (found := self._behind(wanted, count)):
                left = until - time.monotonic()
                if left <= 0 or self.server.closed or self.server.denied:
                    return b"*-1\r\n"
                self.server.lock.wait(left)
        return _array([_array([_bulk(name), _array(entries)]) for name, entries in found])

    def _last(self, name):
        """The id of the last entry, for who wants only those to come."""
        entries = self.server.streams.get(name)
        return entries[-1][0] if entries else "0-0"

    def _behind(self, wanted, count):
        found = []
        for name, last in wanted:
            entries = [
                _entry(each)
                for each in self.server.streams.get(name, [])
                if _number(each[0]) > _number(last)
            ]
            if entries:
                found.append((name, entries[:count]))
        return found


def _number(entry_id):
    return tuple(map(int, entry_id.split("-")))


def _bulk(text):
    data = text.encode("utf-8", "surrogateescape")
    return b"$%d\r\n%s\r\n" % (len(data), data)


def _array(items):
    return b"*%d\r\n" % len(items) + b"".join(items)


def _entry(entry):
    return _array([_bulk(entry[0]), _array([_bulk(text) for text in entry[1]])])


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_):
        pass  # a client that has gone


class StreamEndpoint:
    """The streams, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Session)
        self._server.streams, self._server.lock = {}, threading.Condition()
        self._server.open_sessions = set()
        self._server.closed = self._server.denied = False
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._port = self._server.server_address[1]
        return {
            "stream.host": "127.0.0.1",
            "stream.port": str(self._port),
            "stream.password": KNOWN,
            "stream.names": ",".join(STREAMS),
        }

    def attach(self, settings):
        self._port = int(settings["stream.port"])

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            with self._server.lock:
                for session in self._server.open_sessions:
                    session.close()

    def seed(self, values):
        number = len(self._entries())
        commands = []
        for value in values:
            number += 1
            stream = STREAMS[number * number % 7 % 3]
            fields = ["value", value, "origin", f"o{number % 4}"]
            if number % 5:
                fields += ["key", f"k{number}"]
            commands.append(["XADD", stream, "*", *fields])
        self._ask(commands)

    def read_back(self):
        return [fields["value"] for _, fields in self._entries()]

    def read_keys(self):
        return [fields.get("key") for _, fields in self._entries()]

    def read_timestamps(self):
        return [int(entry_id.partition("-")[0]) for entry_id, _ in self._entries()]

    def seed_foreign(self):
        self._ask([["XADD", "fish", "*", "text", "no value here"]])
        return ("no field", "value")

    def seed_corrupt(self):
        self._ask([["XADD", "moss", "*", "value", "broken \udcff\udcfe"]])
        entry_id = self._server.streams["moss"][-1][0]
        return ("moss", entry_id)

    def refuse(self):
        self._server.closed = True
        return ("NOPERM", "streams are closed")

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()

    def _entries(self):
        found = []
        for answer in self._ask([["XRANGE", stream, "-", "+"] for stream in STREAMS]):
            for entry_id, flat in answer:
                fields = dict(zip(flat[::2], flat[1::2], strict=True))
                if "value" in fields:
                    found.append((entry_id, fields))
        return found

    def _ask(self, commands):
        with socket.create_connection(("127.0.0.1", self._port)) as link:
            replies = link.makefile("rb")
            answers = []
            for command in [["AUTH", KNOWN], *commands]:
                link.sendall(_array([_bulk(word) for word in command]))
                answers.append(_reply(replies))
            return answers[1:]


def _reply(replies):
    head = replies.readline().rstrip(b"\r\n")
    if head[:1] == b"$":
        return replies.read(int(head[1:]) + 2)[:-2].decode("utf-8", "surrogateescape")
    if head[:1] == b"*":
        return [_reply(replies) for _ in range(int(head[1:]))]
    if head[:1] == b"-":
        raise RuntimeError(head.decode())
    return head[1:].decode()
