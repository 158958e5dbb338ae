"""A beanstalkd in a thread: the commands that a producer and a consumer of one tube need."""

from __future__ import annotations

import socket
import socketserver
import threading
import time

TTR_S = 60


class Tube:
    """The jobs, which outlive the server."""

    def __init__(self):
        self.lock = threading.Lock()
        self.jobs = {}  # body, and the connection and the time of a reservation
        self.buried = set()
        self.last = 0

    def put(self, body):
        with self.lock:
            self.last += 1
            self.jobs[self.last] = [body, None, 0.0]
            return self.last

    def reserve(self, owner):
        with self.lock:
            now = time.monotonic()
            for number, job in self.jobs.items():
                if number not in self.buried and (job[1] is None or job[2] < now):
                    job[1], job[2] = owner, now + TTR_S
                    return number, job[0]
        return None

    def delete(self, number, owner):
        with self.lock:
            job = self.jobs.get(number)
            held = job and job[1] not in {None, owner} and job[2] >= time.monotonic()
            if job is None or held:
                return False
            del self.jobs[number]
            return True

    def bury(self, number, owner):
        with self.lock:
            if number not in self.jobs or self.jobs[number][1] != owner:
                return False
            self.buried.add(number)
            return True

    def release(self, owner):
        with self.lock:
            for job in self.jobs.values():
                if job[1] == owner:
                    job[1] = None


class Handler(socketserver.StreamRequestHandler):
    """One connection; its reservations end with it."""

    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.open.add(self.connection)

    def handle(self):
        tube = self.server.tube
        try:
            while line := self.rfile.readline():
                word, *rest = line.decode("ascii").split()
                self.wfile.write(self.answer(tube, word, rest))
        except (OSError, ValueError):
            pass

    def finish(self):
        self.server.tube.release(id(self))
        self.server.open.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def answer(self, tube, word, rest):
        if word == "put":
            body = self.rfile.read(int(rest[3]) + 2)[:-2]
            return b"INSERTED %d\r\n" % tube.put(body)
        if word in {"watch", "ignore"}:
            return b"WATCHING 1\r\n"
        if word == "use":
            return f"USING {rest[0]}\r\n".encode("ascii")
        if word == "reserve-with-timeout":
            job = tube.reserve(id(self))
            return b"TIMED_OUT\r\n" if job is None else b"RESERVED %d %d\r\n%b\r\n" % (
                job[0], len(job[1]), job[1],
            )
        if word == "delete":
            return b"DELETED\r\n" if tube.delete(int(rest[0]), id(self)) else b"NOT_FOUND\r\n"
        if word == "bury":
            return b"BURIED\r\n" if tube.bury(int(rest[0]), id(self)) else b"NOT_FOUND\r\n"
        if word == "peek":
            with tube.lock:
                job = tube.jobs.get(int(rest[0]))
            if job is None:
                return b"NOT_FOUND\r\n"
            return b"FOUND %d %d\r\n%b\r\n" % (int(rest[0]), len(job[0]), job[0])
        if word == "stats":
            text = f"---\ntotal-jobs: {tube.last}\n".encode("ascii")
            return b"OK %d\r\n%b\r\n" % (len(text), text)
        return b"UNKNOWN_COMMAND\r\n"


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, address, tube):
        self.tube, self.open = tube, set()
        super().__init__(address, Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


class BeanstalkEndpoint:
    """Puts and peeks over connections of its own."""

    def __init__(self, directory):
        self._port, self._server, self._tube = 0, None, None

    def __getstate__(self):
        return {"_port": self._port, "_server": None, "_tube": None}

    def start(self):
        self._tube = Tube()
        self.recover()
        return {
            "beanstalk.host": "127.0.0.1",
            "beanstalk.port": str(self._port),
            "beanstalk.tube": "orders-in",
        }

    def attach(self, settings):
        self._port = int(settings["beanstalk.port"])

    def stop(self):
        self.refuse()

    def seed(self, values):
        self._put([value.encode("utf-8") for value in values])

    def seed_corrupt(self):
        (number,) = self._put([b"caf\xe9"])
        return (f"job {number}", "orders-in")

    def read_back(self):
        with self._connection() as (file, ask):
            size = int(ask(b"stats\r\n").split()[1])
            last = int(file.read(size + 2).split()[-1])
            found = []
            for number in range(1, last + 1):
                answer = ask(b"peek %d\r\n" % number).split()
                if answer[0] == b"FOUND":
                    found.append(file.read(int(answer[2]) + 2)[:-2].decode("utf-8", "replace"))
            return found

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
            self._server = Server(("127.0.0.1", self._port), self._tube)
            self._port = self._server.server_address[1]
        return ()

    def _put(self, bodies):
        with self._connection() as (_, ask):
            ask(b"use orders-in\r\n")
            return [
                int(ask(b"put 1024 0 60 %d\r\n%b\r\n" % (len(body), body)).split()[1])
                for body in bodies
            ]

    def _connection(self):
        return Connection(self._port)


class Connection:
    """A connection with a way to ask for one line."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._file = self._socket.makefile("rb")

    def __enter__(self):
        def ask(command):
            self._socket.sendall(command)
            return self._file.readline()

        return self._file, ask

    def __exit__(self, *_):
        self._file.close()
        self._socket.close()
