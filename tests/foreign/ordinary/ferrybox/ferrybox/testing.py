"""A small FTP server over a directory, whose files are read without it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import socketserver
import threading
from urllib.parse import unquote

USER, PASSWORD = "ferry", "all aboard"
CELL = re.compile(r'("(?:[^"]|"")*"|[^",\n]*)([,\n])')


def _handler(root, state):
    class Session(socketserver.StreamRequestHandler):
        def handle(self):
            self.user, self.known, self.passive, self.old = None, False, None, None
            if state.read_text() == "refused":
                return self._say("421 Service not available, closing control connection")
            self._say("220 ready")
            for line in self.rfile:
                word, _, rest = line.decode("utf-8").rstrip("\r\n").partition(" ")
                if state.read_text() == "refused":
                    self._say("421 Service not available, closing control connection")
                    break
                self._say(self._apply(word.upper(), rest))
                if word.upper() == "QUIT":
                    break
            if self.passive is not None:
                self.passive.close()

        def _apply(self, word, rest):
            if word == "USER":
                self.user = rest
                return "331 password"
            if word == "PASS":
                self.known = (self.user, rest) == (USER, PASSWORD)
                return "230 welcome" if self.known else "530 login incorrect"
            if word == "QUIT":
                return "221 bye"
            if not self.known:
                return "530 log in first"
            if word in {"MKD", "STOR", "RNFR", "RNTO"} and state.read_text() == "denied":
                return "550 permission denied"
            path = root / rest.lstrip("/")
            try:
                return self._work(word, path)
            except OSError as error:
                return f"550 {error.strerror}"

        def _work(self, word, path):
            match word:
                case "TYPE" | "NOOP":
                    return "200 fine"
                case "PASV":
                    self.passive = socket.create_server(("127.0.0.1", 0))
                    high, low = divmod(self.passive.getsockname()[1], 256)
                    return f"227 Entering Passive Mode (127,0,0,1,{high},{low})"
                case "MKD":
                    path.mkdir()
                    return f'257 "{path.name}" made'
                case "STOR" if self.passive is not None:
                    return self._store(path)
                case "RNFR":
                    self.old = path
                    return "350 to what" if path.exists() else "550 no such file"
                case "RNTO" if self.old is not None:
                    os.replace(self.old, path)
                    return "250 renamed"
            return "502 not here"

        def _store(self, path):
            listener, self.passive = self.passive, None
            with listener, path.open("wb") as file:
                self._say("150 send it")
                listener.settimeout(10)
                data, _ = listener.accept()
                with data:
                    while part := data.recv(1 << 16):
                        file.write(part)
            return "226 got it"

        def _say(self, text):
            self.wfile.write(f"{text}\r\n".encode())

    return Session


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that hangs up is none


class FerryEndpoint:
    """The server, and the directory in which its files are."""

    def __init__(self, directory):
        self._root = directory / "files"
        self._state = directory / "state"
        self._server = None

    def __getstate__(self):
        return {**self.__dict__, "_server": None}

    def start(self):
        self._root.mkdir()
        self._state.write_text("open")
        self._server = _Server(("127.0.0.1", 0), _handler(self._root, self._state))
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "ferry.host": "127.0.0.1",
            "ferry.port": str(self._server.server_address[1]),
            "ferry.user": USER,
            "ferry.password": PASSWORD,
            "ferry.directory": "kafka/csv",
        }

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        shutil.rmtree(self._root, ignore_errors=True)
        self._state.unlink(missing_ok=True)

    def seed(self, values):
        place = self._root / "kafka" / "csv" / "topic=seeds" / "day=none"
        place.mkdir(parents=True, exist_ok=True)
        number = len(list(place.glob("*.csv")))
        rows = ["time,value\n"]
        for value in values:
            cell = "" if value is None else '"' + value.replace('"', '""') + '"'
            rows.append(f",{cell}\n")
        name = f"seeds-0-{number:020d}-{number:020d}.csv"
        (place / name).write_bytes("".join(rows).encode("utf-8"))

    def read_back(self):
        return [value for _, _, value in self._rows()]

    def read_timestamps(self):
        return [time for _, time, _ in self._rows()]

    def read_topics(self):
        return [topic for topic, _, _ in self._rows()]

    def refuse(self):
        self._state.write_text("refused")
        return ("421",)

    def recover(self):
        self._state.write_text("open")
        return ()

    def deny(self):
        self._state.write_text("denied")
        return ()

    def _rows(self):
        """Topic, time and value of each row of each complete file."""
        found = []
        for file in sorted(self._root.glob("kafka/csv/topic=*/day=*/[!.]*.csv")):
            topic = unquote(file.parent.parent.name.removeprefix("topic="))
            text = file.read_bytes().decode("utf-8")
            for time, value, *_ in list(_parsed(text))[1:]:
                found.append((topic, int(time) if time else None, value))
        return found


def _parsed(text):
    """The rows of a file, of which a cell without quotation marks and text is missing."""
    row, at = [], 0
    while at < len(text):
        found = CELL.match(text, at)
        if found is None:
            raise ValueError(f"no cell begins with {text[at : at + 40]!r}")
        cell, end = found.groups()
        quoted = cell.startswith('"')
        row.append(cell[1:-1].replace('""', '"') if quoted else cell or None)
        at = found.end()
        if end == "\n":
            yield row
            row = []
