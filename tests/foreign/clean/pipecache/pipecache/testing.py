"""A cache server in a thread. DUMP and LOAD are commands for the driver only."""
import json
import socket
import socketserver
import threading

PASSWORD = "cache/S3same:open"


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        with self.server.lock:
            self.server.sessions.add(self.connection)
        try:
            self.serve()
        except OSError:
            pass
        finally:
            with self.server.lock:
                self.server.sessions.discard(self.connection)

    def serve(self):
        known = False
        while line := self.rfile.readline():
            verb, *sizes = line.split()
            parts = [self.rfile.read(int(size)) for size in sizes]
            if len(b"".join(parts)) != sum(map(int, sizes)):
                return
            self.wfile.write(self.answer(verb, parts, known))
            known = known or (verb == b"AUTH" and parts[0] == PASSWORD.encode())

    def answer(self, verb, parts, known):
        server = self.server
        with server.lock:
            if verb == b"DUMP":
                data = json.dumps([[k.decode(), v.decode()] for k, v in server.data.items()])
                return b"%d\r\n%s" % (len(data), data.encode())
            if verb == b"LOAD":
                server.data[parts[0]] = parts[1]
                return b"+OK\r\n"
            if server.state == "loading":
                return b"-LOADING the cache is loading its data\r\n"
            if server.state == "locked" or not (known or verb == b"AUTH"):
                return b"-NOAUTH access denied\r\n"
            if verb == b"AUTH":
                return b"+OK\r\n" if parts[0] == PASSWORD.encode() else b"-NOAUTH wrong password\r\n"
            if verb == b"SET":
                server.data[parts[0]] = parts[1]
                return b"+OK\r\n"
            if verb == b"DEL":
                server.data.pop(parts[0], None)
                return b"+OK\r\n"
            return b"-ERR unknown command\r\n"


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class CacheDriver:
    def __init__(self, directory):
        self.directory = directory
        self.server = None
        self.port = None

    def __getstate__(self):
        return dict(self.__dict__, server=None)

    def attach(self, settings):
        self.port = int(settings["cache.port"])

    def start(self):
        self.server = Server(("127.0.0.1", 0), Session)
        self.server.lock = threading.Lock()
        self.server.data, self.server.sessions, self.server.state = {}, set(), "up"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        self.port = self.server.server_address[1]
        return {
            "cache.host": "127.0.0.1",
            "cache.port": str(self.port),
            "cache.password": PASSWORD,
        }

    def stop(self):
        if self.server is not None:
            self.server.shutdown()
            self._hang_up()
            self.server.server_close()
            self.server = None

    def _hang_up(self):
        with self.server.lock:
            for connection in self.server.sessions:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def seed(self, values):
        have = len(self._dump())
        with socket.create_connection(("127.0.0.1", self.port), 10) as sock:
            replies = sock.makefile("rb")
            for number, value in enumerate(values, have):
                key, data = b"seed:%d" % number, json.dumps(value).encode()
                sock.sendall(b"LOAD %d %d\r\n%s%s" % (len(key), len(data), key, data))
                assert replies.readline() == b"+OK\r\n"

    def read_back(self):
        return [json.loads(value) for _, value in self._dump()]

    def read_topics(self):
        return [key.split(":")[0] for key, _ in self._dump()]

    def _dump(self):
        with socket.create_connection(("127.0.0.1", self.port), 10) as sock:
            sock.sendall(b"DUMP\r\n")
            reader = sock.makefile("rb")
            return json.loads(reader.read(int(reader.readline())))

    def refuse(self):
        self.server.state = "loading"
        self._hang_up()
        return ("LOADING",)

    def recover(self):
        self.server.state = "up"
        return ()

    def deny(self):
        self.server.state = "locked"
        return ()
