"""The queue on a free port; what was reserved is free again when its connection ends."""

from __future__ import annotations

import json
import socket
import socketserver
import threading

KNOWN = "osprey-8830-lock"


class _Service(socketserver.StreamRequestHandler):
    def handle(self):
        self.mine = set()
        known = False
        try:
            while line := self.rfile.readline():
                word, _, rest = line.decode().removesuffix("\n").partition(" ")
                known = known or (word == "AUTH" and rest == KNOWN and not self.server.denied)
                if self.server.closed and word != "LIST":
                    self.wfile.write(b"ERR queue_is_closed\n")
                elif not known or (self.server.denied and word == "RESERVE"):
                    self.wfile.write(b"ERR wrong_password\n")
                else:
                    with self.server.lock:
                        self.wfile.write(self._answer(word, rest))
        except OSError:
            pass
        finally:
            with self.server.lock:
                self.server.reserved -= self.mine

    def _answer(self, word, rest):
        jobs, reserved = self.server.jobs, self.server.reserved
        if word == "RESERVE":
            taken = [number for number in jobs if number not in reserved][: int(rest)]
            self.mine.update(taken)
            reserved.update(taken)
            answer = [b"JOBS %d\n" % len(taken)]
            for number in taken:
                at, body = jobs[number]
                answer.append(b"%d %d %d\n%b" % (number, at, len(body), body))
            return b"".join(answer)
        if word == "DELETE":
            number = int(rest)
            if number not in self.mine:
                return b"NOT_YOURS\n"
            self.mine.discard(number)
            reserved.discard(number)
            del jobs[number]
            return b"DELETED\n"
        if word == "PUT":
            body = self.rfile.read(int(rest))
            self.server.count += 1
            at = 1_650_000_000_321 + 1013 * self.server.count
            jobs[self.server.count] = (at, body)
            return b"PUT\n"
        if word == "AUTH":
            return b"OK\n"
        found = [(at, body.decode("utf-8", "replace")) for at, body in jobs.values()]
        return json.dumps(found).encode() + b"\n"


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


class QueueEndpoint:
    """The queue, reached without the connector."""

    def __init__(self, directory):
        self._server = None

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _Service)
        self._server.jobs, self._server.reserved, self._server.count = {}, set(), 0
        self._server.closed = self._server.denied = False
        self._server.lock = threading.Lock()
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._address = self._server.server_address
        host, port = self._address
        return {"queue.host": host, "queue.port": str(port), "queue.password": KNOWN}

    def attach(self, settings):
        self._address = (settings["queue.host"], int(settings["queue.port"]))

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def _say(self, requests):
        with (
            socket.create_connection(self._address, timeout=20) as connection,
            connection.makefile("rwb") as stream,
        ):
            answers = []
            for request in [f"AUTH {KNOWN}\n".encode(), *requests]:
                stream.write(request)
                stream.flush()
                answers.append(stream.readline())
            return answers[1:]

    def seed(self, values):
        self._put([value.encode() for value in values])

    def _put(self, bodies):
        self._say([b"PUT %d\n%b" % (len(body), body) for body in bodies])

    def _jobs(self):
        return json.loads(self._say([b"LIST\n"])[0])

    def read_back(self):
        return [body for _, body in self._jobs()]

    def read_timestamps(self):
        return [at for at, _ in self._jobs()]

    def seed_corrupt(self):
        self._put([b"half a \xe2\x82"])
        return ("not UTF-8", f"job {self._server.count}")

    def refuse(self):
        self._server.closed = True
        return ("queue_is_closed",)

    def recover(self):
        self._server.closed = False
        return ()

    def deny(self):
        self._server.denied = True
        return ()
