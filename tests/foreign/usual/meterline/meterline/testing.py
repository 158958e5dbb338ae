"""A data logger with two channels, to which measurements go in turn."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from decimal import Decimal

PASSWORD = "let me in"
CHANNELS = ("north", "south")
BEGIN = 1_750_000_000_000


class Logger:
    """What the logger has measured, and whether it answers."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lines = []
        self.state = "open"

    def add(self, measurements):
        with self.lock:
            for measurement in measurements:
                number = len(self.lines) + 1
                placed = {"number": number, "at": BEGIN + number * 250, **measurement}
                self.lines.append((CHANNELS[number % 2], json.dumps(placed)))

    def behind(self, channel, after, most):
        with self.lock:
            found = [
                line
                for number, (name, line) in enumerate(self.lines, 1)
                if name == channel and number > after
            ]
        return "".join(f"{line}\n" for line in found[:most])


def _handler(logger):
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            known = False
            for line in self.rfile:
                word, _, rest = line.decode("utf-8").rstrip("\n").partition(" ")
                if word == "CONTROL":
                    self._answer(self._control(json.loads(rest)))
                elif logger.state == "refused":
                    return
                elif logger.state == "denied" or (word == "LOGIN" and rest != PASSWORD):
                    self._answer("DENIED\n")
                elif word == "LOGIN":
                    known = True
                    self._answer("OK\n")
                elif word == "READ" and known:
                    channel, after, most = rest.split(" ")
                    data = logger.behind(channel, int(after), int(most))
                    self._answer(f"DATA {len(data.encode())}\n{data}")
                else:
                    self._answer("ERROR\n")

        def _control(self, order):
            if "state" in order:
                logger.state = order["state"]
            logger.add(order.get("measurements", ()))
            return json.dumps([json.loads(line) for _, line in logger.lines]) + "\n"

        def _answer(self, text):
            self.wfile.write(text.encode("utf-8"))

    return Handler


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that hangs up is none


class LoggerEndpoint:
    """The logger, served by the process that starts it; others reach it by its address."""

    def __init__(self, directory):
        self._directory = directory
        self._server = None
        self._port = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._server = _Server(("127.0.0.1", 0), _handler(Logger()))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self._port = self._server.server_address[1]
        return {
            "logger.host": "127.0.0.1",
            "logger.port": str(self._port),
            "logger.password": PASSWORD,
            "logger.channels": ",".join(CHANNELS),
        }

    def attach(self, settings):
        self._port = int(settings["logger.port"])

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def seed(self, values):
        placed = [{**value, "reading": format(value["reading"], "f")} for value in values]
        self._control({"measurements": placed})

    def seed_foreign(self):
        wrong = {"meter": 12, "reading": "1.000", "pulses": 1, "valid": True, "remark": None}
        self._control({"measurements": [wrong]})
        return ("meter",)

    def seed_corrupt(self):
        found = self._control({"measurements": [{"meter": "half", "reading": "1.x"}]})
        channel = CHANNELS[len(found) % 2]
        same = [item["number"] for item in found[:-1] if CHANNELS[item["number"] % 2] == channel]
        return (channel, f"number {max(same, default=0)}")

    def read_back(self):
        names = ("meter", "pulses", "valid", "remark")
        return [
            {**{name: item[name] for name in names}, "reading": Decimal(item["reading"])}
            for item in self._good()
        ]

    def read_keys(self):
        return [CHANNELS[item["number"] % 2] for item in self._good()]

    def read_timestamps(self):
        return [item["at"] for item in self._good()]

    def refuse(self):
        self._control({"state": "refused"})
        return ("hung up",)

    def recover(self):
        self._control({"state": "open"})
        return ()

    def deny(self):
        self._control({"state": "denied"})
        return ()

    def _good(self):
        return [
            item
            for item in self._control({})
            if "remark" in item and isinstance(item["meter"], str)
        ]

    def _control(self, order):
        with (
            socket.create_connection(("127.0.0.1", self._port), timeout=10) as link,
            link.makefile("rb") as answer,
        ):
            link.sendall(f"CONTROL {json.dumps(order)}\n".encode())
            return json.loads(answer.readline())
