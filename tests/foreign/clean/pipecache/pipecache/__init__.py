"""Keeps a cache up to date: SET for every record, DEL for a tombstone.

The protocol of the cache is a line and some bytes::

    AUTH <n>\\r\\n<password>        SET <n> <m>\\r\\n<key><value>        DEL <n>\\r\\n<key>

It replies ``+OK``, ``-LOADING ...`` or ``-BUSY ...`` (try again), or ``-ERR ...`` and ``-NOAUTH ...``.
Commands are sent in windows without waiting for each reply.  All commands of a key use the same
connection of the pool, so they are carried out in the order of the topic.
"""
import json
import socket
import threading
import zlib
from collections import namedtuple

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "0.3.0"
HIGH, MEDIUM, LOW = Importance.HIGH, Importance.MEDIUM, Importance.LOW

CONFIG = ConfigDef()
CONFIG.define("cache.host", ConfigType.STRING, "localhost", HIGH, "Host of the cache.",
              validator=NonEmptyString())
CONFIG.define("cache.port", ConfigType.INT, 7411, HIGH, "Port of the cache.",
              validator=Range.between(1, 65535))
CONFIG.define("cache.password", ConfigType.PASSWORD, "", MEDIUM,
              "Password of the cache; without one no AUTH is sent.")
CONFIG.define("cache.connections", ConfigType.INT, 2, LOW, "Connections of each task.",
              validator=Range.between(1, 64))
CONFIG.define("cache.window", ConfigType.INT, 128, LOW,
              "Commands sent on a connection before their replies are read.",
              validator=Range.between(1, 4096))
CONFIG.define("cache.timeout.ms", ConfigType.INT, 3000, LOW,
              "How long to wait for a connection or a reply.", validator=Range.at_least(1))
CONFIG.define("cache.key.prefix", ConfigType.STRING, "", LOW,
              "Put in front of each key, which is <topic>:<key of the record>.")

Command = namedtuple("Command", "key data record")


class PipeCacheSinkConnector(SinkConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return PipeCacheSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        self._props = {}


class Connection(object):
    """One lazily opened connection. After any failure it is closed, and opened again when needed."""

    def __init__(self, host, port, password, timeout):
        self.address = host, port
        self.password = password
        self.timeout = timeout
        self.sock = self.reader = None

    def send(self, data):
        if self.sock is None:
            self.sock = socket.create_connection(self.address, self.timeout)
            self.reader = self.sock.makefile("rb")
            secret = self.password.value.encode()
            if secret:
                self.sock.sendall(b"AUTH %d\r\n%s" % (len(secret), secret))
                self.check(self.reply())
        self.sock.sendall(data)

    def reply(self):
        line = self.reader.readline(4096)
        if not line.endswith(b"\r\n"):
            raise ConnectionError("the cache closed the connection")
        return line[:-2].decode("utf-8", "replace")

    def check(self, reply):
        if reply.startswith(("-LOADING", "-BUSY")):
            raise RetriableError("cache %s:%d: %s" % (*self.address, reply))
        if reply != "+OK":
            raise ConnectError("cache %s:%d: %s" % (*self.address, reply))

    def close(self):
        reader, sock = self.reader, self.sock
        self.reader = self.sock = None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)  # wakes whoever reads
            except OSError:
                pass
        for thing in (reader, sock):
            if thing is not None:
                try:
                    thing.close()
                except OSError:
                    pass


class PipeCacheSinkTask(SinkTask):
    def __init__(self):
        self.pool = []
        self.halt = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        conf = CONFIG.parse(props)
        self.halt.clear()
        self.prefix = conf["cache.key.prefix"]
        self.window = conf["cache.window"]
        self.pool = [
            Connection(conf["cache.host"], conf["cache.port"], conf["cache.password"],
                       conf["cache.timeout.ms"] / 1000)
            for _ in range(conf["cache.connections"])
        ]

    def put(self, records):
        lanes = [[] for _ in self.pool]
        rejected = []
        for record in records:
            try:
                command = self.command(record)
            except DataError as e:
                rejected.append((record, e))
            else:
                lanes[zlib.crc32(command.key) % len(lanes)].append(command)
        reporter = self.context.errant_record_reporter() if rejected else None
        if rejected and reporter is None:
            raise rejected[0][1]
        # a connection that idled may have been closed by the cache: once more, on new ones
        idle = any(c.sock is not None for c in self.pool)
        try:
            self.run(lanes)
        except (OSError, RetriableError) as e:
            self.drop()
            if not idle or isinstance(e, RetriableError) or self.halt.is_set():
                raise self.retriable(e)
            try:
                self.run(lanes)
            except OSError as again:
                self.drop()
                raise self.retriable(again)
            except Exception:
                self.drop()
                raise
        except Exception:
            self.drop()
            raise
        for record, e in rejected:
            reporter.report(record, e)

    def run(self, lanes):
        """Write a window to every connection, then read the replies of every connection."""
        longest = max(map(len, lanes), default=0)
        for at in range(0, longest, self.window):
            if self.halt.is_set():
                raise RetriableError("the task was stopped")
            windows = [(c, lane[at:at + self.window]) for c, lane in zip(self.pool, lanes)]
            windows = [(c, window) for c, window in windows if window]
            for connection, window in windows:
                connection.send(b"".join(command.data for command in window))
            for connection, window in windows:
                for command in window:
                    # the whole lane comes again after a failure, so no older value stays
                    connection.check(connection.reply())

    def retriable(self, e):
        if isinstance(e, RetriableError):
            return e
        made = RetriableError("cache %s:%d: %s" % (*self.pool[0].address, e), code="pipecache.io")
        made.__cause__ = e
        return made

    def drop(self):
        for connection in self.pool:
            connection.close()

    def flush(self, offsets):
        pass

    def stop(self):
        self.halt.set()
        self.drop()

    def command(self, record):
        where = "%s-%d@%d" % (record.original_topic, record.original_kafka_partition,
                              record.original_kafka_offset)
        if not isinstance(record.key, (str, int)) or isinstance(record.key, bool):
            raise DataError("%s: a cache needs a key, text or a whole number, not %s"
                            % (where, type(record.key).__name__), code="pipecache.key")
        try:
            key = ("%s%s:%s" % (self.prefix, record.topic, record.key)).encode()
        except UnicodeEncodeError as e:
            raise DataError("%s: the key is not valid Unicode" % where) from e
        if record.value is None:
            return Command(key, b"DEL %d\r\n%s" % (len(key), key), record)
        if not isinstance(record.value, (str, bool, int, float)):
            raise DataError("%s: cannot cache a %s" % (where, type(record.value).__name__),
                            code="pipecache.value")
        value = json.dumps(record.value).encode()
        return Command(key, b"SET %d %d\r\n%s%s" % (len(key), len(value), key, value), record)
