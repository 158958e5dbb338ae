"""A broker with one queue that speaks as much of STOMP 1.2 as a consumer needs."""

from __future__ import annotations

import base64
import json
import re
import socket
import socketserver
import threading

USER, PASSWORD = "bell", "ding-dong"
QUEUE = "/queue/parcels"
BEGIN = 1_770_000_000_000


class Broker:
    """The messages, who has which of them, and whether the broker answers."""

    def __init__(self):
        self.lock = threading.RLock()
        self.messages = []
        self.consumers = []
        self.sessions = set()
        self.state = "open"

    def add(self, kind, body):
        with self.lock:
            number = len(self.messages)
            self.messages.append(
                {"number": number, "kind": kind, "body": body, "owner": None, "done": False,
                 "times": 0}
            )
            self.deliver()

    def deliver(self):
        """Give messages that nobody has to consumers that may have more, in turn."""
        with self.lock:
            for message in self.messages:
                if message["owner"] is not None or message["done"]:
                    continue
                free = [each for each in self.consumers if each.free()]
                if not free:
                    return
                consumer = min(free, key=lambda each: len(each.marks))
                consumer.give(message)

    def leave(self, session):
        with self.lock:
            self.sessions.discard(session)
            if session in self.consumers:
                self.consumers.remove(session)
            for message in self.messages:
                if message["owner"] is session:
                    message["owner"] = None
            self.deliver()

    def change(self, state):
        with self.lock:
            self.state = state
            sessions = list(self.sessions) if state != "open" else []
        for session in sessions:
            session.put_out()


def _handler(broker):
    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.marks, self.most, self.known = {}, 0, False
            try:
                self._serve()
            except OSError:
                pass  # a consumer that ends with messages unread resets the connection
            finally:
                broker.leave(self)

        def _serve(self):
            while (frame := read_frame(self.rfile)) is not None:
                command, headers, body = frame
                if command == "CONTROL":
                    self._control(json.loads(body))
                elif broker.state == "refused":
                    break
                elif broker.state == "denied":
                    self._send("ERROR", {"message": "access refused"})
                    break
                elif not self._consume(command, headers):
                    break

        def free(self):
            return len(self.marks) < self.most

        def give(self, message):
            message["owner"] = self
            message["times"] += 1
            mark = f"m:{message['number']}:{message['times']}"
            self.marks[mark] = message
            headers = {
                "subscription": "0",
                "message-id": f"id-{message['number']}",
                "destination": QUEUE,
                "ack": mark,
                "content-type": message["kind"],
                "content-length": str(len(message["body"])),
                "timestamp": str(time_of(message["number"])),
                "redelivered": "true" if message["times"] > 1 else "false",
            }
            if message["number"] % 4:
                headers["key"] = key_of(message["number"])
                headers["origin"] = "desk: 1\\2\nback"
            try:
                self._send("MESSAGE", headers, message["body"])
            except OSError:
                pass  # the session ends soon, and gives it back

        def put_out(self):
            try:
                if broker.state == "denied":
                    self._send("ERROR", {"message": "access refused"})
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

        def _consume(self, command, headers):
            if command == "CONNECT":
                if (headers.get("login"), headers.get("passcode")) != (USER, PASSWORD):
                    self._send("ERROR", {"message": "access refused"})
                    return False
                self.known = True
                broker.sessions.add(self)
                self._send("CONNECTED", {"version": "1.2", "heart-beat": "0,0"})
            elif not self.known:
                self._send("ERROR", {"message": "access refused"})
                return False
            elif command == "SUBSCRIBE" and headers.get("destination") == QUEUE:
                with broker.lock:
                    self.most = int(headers.get("prefetch-count", "1"))
                    broker.consumers.append(self)
                    broker.deliver()
            elif command == "ACK":
                with broker.lock:
                    message = self.marks.pop(headers["id"], None)
                    if message is not None:
                        message["owner"], message["done"] = None, True
                    broker.deliver()
            elif command == "DISCONNECT":
                self._send("RECEIPT", {"receipt-id": headers.get("receipt", "")})
                return False
            else:
                self._send("ERROR", {"message": f"what is {command}"})
                return False
            return True

        def _control(self, order):
            if "state" in order:
                broker.change(order["state"])
            for kind, text in order.get("messages", ()):
                broker.add(kind, base64.b64decode(text))
            with broker.lock:
                found = [
                    (each["kind"], base64.b64encode(each["body"]).decode(), each["done"])
                    for each in broker.messages
                ]
            self._send("RECEIPT", {}, json.dumps(found).encode())

        def _send(self, command, headers, body=b""):
            headers = {"content-length": str(len(body)), **headers}
            lines = [command, *(f"{_esc(name)}:{_esc(text)}" for name, text in headers.items())]
            with broker.lock:
                self.wfile.write("\n".join(lines).encode() + b"\n\n" + body + b"\0")

    return Session


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that hangs up is none


class BellEndpoint:
    """The broker, in the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._port = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _handler(Broker()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._port = self._server.server_address[1]
        return {
            "bell.host": "127.0.0.1",
            "bell.port": str(self._port),
            "bell.user": USER,
            "bell.password": PASSWORD,
            "bell.queue": QUEUE,
        }

    def attach(self, settings):
        self._port = int(settings["bell.port"])

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        messages = []
        for value in values:
            if isinstance(value, str):
                messages.append(("text/plain;charset=utf-8", _packed(value.encode("utf-8"))))
            else:
                messages.append(("application/octet-stream", _packed(value)))
        self._control({"messages": messages})

    def seed_corrupt(self):
        broken = ("text/plain;charset=utf-8", _packed(b"half a \xff text"))
        found = self._control({"messages": [broken]})
        return (f"id-{len(found) - 1}",)

    def read_back(self):
        return [value for _, value in self._found()]

    def read_keys(self):
        return [key_of(number) if number % 4 else None for number, _ in self._found()]

    def read_timestamps(self):
        return [time_of(number) for number, _ in self._found()]

    def refuse(self):
        self._control({"state": "refused"})
        return ("hung up",)

    def recover(self):
        self._control({"state": "open"})
        return ()

    def deny(self):
        self._control({"state": "denied"})
        return ()

    def _found(self):
        """Number and value of each message that can be read, also if it was consumed."""
        found = []
        for number, (kind, text, _) in enumerate(self._control({})):
            body = base64.b64decode(text)
            try:
                value = body.decode("utf-8") if kind.startswith("text/") else body
            except UnicodeDecodeError:
                continue
            found.append((number, value))
        return found

    def _control(self, order):
        with (
            socket.create_connection(("127.0.0.1", self._port), timeout=10) as link,
            link.makefile("rb") as answer,
        ):
            body = json.dumps(order).encode()
            link.sendall(b"CONTROL\ncontent-length:%d\n\n%b\0" % (len(body), body))
            return json.loads(read_frame(answer)[2])


def read_frame(file):
    """The next frame of a stream, or nothing at its end."""
    line = file.readline()
    while line in {b"\n", b"\r\n"}:
        line = file.readline()
    if not line.endswith(b"\n"):
        return None
    command, headers = line.decode("utf-8").rstrip("\r\n"), {}
    while (line := file.readline()) not in {b"\n", b"\r\n"}:
        if not line.endswith(b"\n"):
            return None
        name, _, text = line.decode("utf-8").rstrip("\r\n").partition(":")
        headers.setdefault(_plain(name), _plain(text))
    body = file.read(int(headers.get("content-length", "0")))
    return (command, headers, body) if file.read(1) == b"\0" else None


def key_of(number):
    return f"parcel {number % 7}"


def time_of(number):
    return BEGIN + number * 1500


def _packed(data):
    return base64.b64encode(data).decode("ascii")


def _esc(text):
    return (
        text.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n").replace(":", "\\c")
    )


def _plain(text):
    meant = {"\\r": "\r", "\\n": "\n", "\\c": ":", "\\\\": "\\"}
    return re.sub(r"\\[rnc\\]", lambda found: meant[found[0]], text)
