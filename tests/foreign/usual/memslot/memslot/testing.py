"""A server with the commands of memcached that are needed here."""

from __future__ import annotations

import base64
import json
import socket
import socketserver
import threading

LARGEST = 1 << 20


class Cache:
    """The values by their keys, in the order in which they were first stored."""

    def __init__(self):
        self.lock = threading.Lock()
        self.values = {}
        self.state = "open"
        self.picky = 0


def _handler(cache):
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            for line in self.rfile:
                word, *rest = line.decode("utf-8").split()
                data = b""
                if word == "set":
                    data = self.rfile.read(int(rest[3]) + 2)[:-2]
                if word == "control":
                    self._control(line.partition(b" ")[2])
                elif cache.state == "refused":
                    return
                elif cache.state == "denied":
                    self._answer("CLIENT_ERROR denied")
                else:
                    self._answer(self._apply(word, rest, data))

        def _apply(self, word, rest, data):
            with cache.lock:
                if word == "delete":
                    return "NOT_FOUND" if cache.values.pop(rest[0], None) is None else "DELETED"
                if word != "set":
                    return "ERROR"
                if cache.picky:
                    cache.picky -= 1
                    if cache.picky % 2 == 0:
                        return "SERVER_ERROR out of memory storing object"
                if len(data) > LARGEST:
                    return "SERVER_ERROR object too large for cache"
                cache.values[rest[0]] = int(rest[1]), data
                return "STORED"

        def _control(self, order):
            order = json.loads(order)
            cache.state = order.get("state", cache.state)
            cache.picky = order.get("picky", cache.picky)
            with cache.lock:
                for flags, data in order.get("values", ()):
                    key = f"seeds:i:{len(cache.values)}"
                    cache.values[key] = flags, base64.b64decode(data)
                found = [
                    (key, flags, base64.b64encode(data).decode())
                    for key, (flags, data) in cache.values.items()
                ]
            self._answer(json.dumps(found))

        def _answer(self, text):
            self.wfile.write(text.encode("utf-8") + b"\r\n")

    return Handler


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that hangs up is none


class CacheEndpoint:
    """The server, in the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._port = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _handler(Cache()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._port = self._server.server_address[1]
        return {"cache.host": "127.0.0.1", "cache.port": str(self._port)}

    def attach(self, settings):
        self._port = int(settings["cache.port"])

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        placed = []
        for value in values:
            if isinstance(value, bytes):
                flags, data = 1, value
            elif isinstance(value, int):
                flags, data = 2, b"%d" % value
            else:
                flags, data = 0, value.encode("utf-8")
            placed.append((flags, base64.b64encode(data).decode()))
        self._control({"values": placed})

    def read_back(self):
        found = []
        for _, flags, text in self._control({}):
            data = base64.b64decode(text)
            found.append({0: data.decode, 1: lambda d=data: d, 2: lambda d=data: int(d)}[flags]())
        return found

    def read_topics(self):
        return [key.partition(":")[0] for key, _, _ in self._control({})]

    def refuse(self):
        self._control({"state": "refused"})
        return ("hung up",)

    def recover(self):
        self._control({"state": "open"})
        return ()

    def reject_some(self):
        self._control({"picky": 6})
        return ()

    def deny(self):
        self._control({"state": "denied"})
        return ()

    def _control(self, order):
        with (
            socket.create_connection(("127.0.0.1", self._port), timeout=10) as link,
            link.makefile("rb") as answer,
        ):
            link.sendall(f"control {json.dumps(order)}\r\n".encode())
            return json.loads(answer.readline())
