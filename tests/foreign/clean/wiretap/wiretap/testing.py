"""A wire server on this machine. Its messages are in a file, a JSON list [channel, text] a line."""
import fcntl
import json
import socketserver
import threading

PASSWORD = "wire-9f2b71c4"
CHANNELS = ["alpha", "beta"]


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        trusted = False
        for line in self.rfile:
            if (self.server.directory / "down").exists() or self.server.closing:
                return
            request = json.loads(line)
            if request["op"] == "hello":
                trusted = request["password"] == PASSWORD
            if not trusted or (self.server.directory / "denied").exists():
                answer = {"error": "access denied", "retry": False}
            elif request["op"] == "hello":
                answer = {"version": 1}
            else:
                answer = {"messages": self.server.messages(request)}
            try:
                self.wfile.write(json.dumps(answer).encode() + b"\n")
            except OSError:
                return


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    closing = False

    def __init__(self, directory):
        self.directory = directory
        self.known = {}
        self.read = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)

    def messages(self, request):
        with self.lock:
            with open(self.directory / "messages") as file:
                file.seek(self.read)
                while (line := file.readline()).endswith("\n"):
                    channel, text = json.loads(line)
                    self.known.setdefault(channel, []).append(text)
                    self.read = file.tell()
            after = request["after"]
            texts = self.known.get(request["channel"], [])[after:after + request["limit"]]
        return [
            {"number": after + at + 1, **({} if text is None else {"text": text})}
            for at, text in enumerate(texts)
        ]

    def handle_error(self, request, client_address):
        pass


class WireEndpoint:
    def __init__(self, directory):
        self.directory = directory
        self.server = None

    def __getstate__(self):
        return {"directory": self.directory, "server": None}

    def start(self):
        (self.directory / "messages").touch()
        self.server = Server(self.directory)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return {
            "wire.host": "127.0.0.1",
            "wire.port": str(self.server.server_address[1]),
            "wire.password": PASSWORD,
            "wire.channels": ",".join(CHANNELS),
        }

    def stop(self):
        if self.server is not None:
            self.server.closing = True
            self.server.shutdown()
            self.server.server_close()
            self.server = None
        for name in ("messages", "down", "denied"):
            (self.directory / name).unlink(missing_ok=True)

    def seed(self, values):
        self._add(values)

    def read_back(self):
        with open(self.directory / "messages") as file:
            return [json.loads(line)[1] for line in file]

    def read_keys(self):
        with open(self.directory / "messages") as file:
            return [json.loads(line)[0] for line in file]

    def refuse(self):
        (self.directory / "down").touch()
        return ["closed the connection"]

    def recover(self):
        (self.directory / "down").unlink()
        return []

    def deny(self):
        (self.directory / "denied").touch()
        return []

    def seed_corrupt(self):
        count = self._add([None])
        return [f"message {count // 2 + 1} of channel {CHANNELS[count % 2]}"]

    def seed_foreign(self):
        self._add([12.5])
        return ["should have text", "float"]

    def _add(self, values):
        with open(self.directory / "messages", "r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            count = sum(1 for _ in file)
            for at, value in enumerate(values, count):
                file.write(json.dumps([CHANNELS[at % 2], value]) + "\n")
        return count
