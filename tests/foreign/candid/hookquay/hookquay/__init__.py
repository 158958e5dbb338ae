"""A source to which others push: it listens for webhooks, and answers when Kafka has the events.

    POST /events
    X-Hook-Signature: sha256=<HMAC of the body with the shared secret>

    {"sender": "till-7f3a", "first": 41, "events": ["...", "..."]}

A sender numbers its events and repeats a request until it is answered with 200. Requests that are
repeated, also after a restart of the task, are recognized by these numbers.
"""

from __future__ import annotations

import asyncio
import collections
import errno
import hashlib
import hmac
import json
import logging
import threading

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    Headers,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

_log = logging.getLogger("hookquay")

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
            411: "Length Required", 413: "Content Too Large", 503: "Service Unavailable"}  # fmt: skip
_MOST_EVENTS = 500
_MOST_WAITING = 64
_LARGEST_BODY = 128 * 1024 * 1024

SETTINGS = (
    ConfigDef()
    .define("listen.host", ConfigType.STRING, default="127.0.0.1", importance=Importance.MEDIUM,
            validator=NonEmptyString(), documentation="Address to listen at.")
    .define("listen.port", ConfigType.INT, importance=Importance.HIGH,
            validator=Range.between(1, 65535), documentation="Port to listen at.")
    .define("hook.secret", ConfigType.PASSWORD, importance=Importance.HIGH,
            documentation="Secret with which senders sign their requests.")
    .define("topic", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
            documentation="Topic of the events.")
    .define("answer.timeout.ms", ConfigType.INT, default=20_000, importance=Importance.LOW,
            validator=Range.between(100, 120_000),
            documentation="How long a sender waits for Kafka before it is asked to try again.")
)  # fmt: skip


class HookQuaySourceConnector(SourceConnector):
    def version(self):
        return HookQuaySourceTask.VERSION

    def config(self):
        return SETTINGS

    def start(self, props):
        SETTINGS.parse(props)
        self.props = dict(props)

    def task_class(self):
        return HookQuaySourceTask

    def task_configs(self, max_tasks):
        return [self.props]  # there is one port

    def stop(self):
        self.props = {}


class Delivery:
    """One request that waits for its events to arrive in Kafka."""

    def __init__(self, sender, first, events, answer):
        self.sender, self.first, self.events, self.answer = sender, first, events, answer
        self.last = first + len(events) - 1


class HookQuaySourceTask(SourceTask):
    """Deliveries go from the loop's thread to ``poll``, and acknowledgements back."""

    VERSION = "3.1.0"

    def __init__(self):
        self._changed = threading.Condition()  # guards everything below
        self._stopped = False
        self._server = None
        self._arrived = collections.deque()
        self._polled = []
        self._newest = {}  # the last number of each sender that is on its way or in Kafka
        self._unacknowledged = collections.defaultdict(set)

    def version(self):
        return self.VERSION

    def start(self, props):
        settings = SETTINGS.parse(props)
        self._address = settings["listen.host"], settings["listen.port"]
        self._secret = settings["hook.secret"].value.encode("utf-8")
        self._topic = settings["topic"]
        self._patience_s = settings["answer.timeout.ms"] / 1000

    def poll(self):
        server = self._server
        if server is None and not self._stopped:
            self._listen()
        elif server is not None and not server.alive and not self._stopped:
            self._server = None
            host, port = self._address
            raise RetriableError(
                f"the server at {host}:{port} has ended and is started again: {server.failure!r}",
                code="hookquay.server",
            )
        with self._changed:
            if not self._arrived and not self._stopped:
                self._changed.wait(0.5)
            if self._stopped or not self._arrived:
                return None
            delivery = self._arrived.popleft()
        newest = self._newest_of(delivery.sender)
        with self._changed:
            records = [
                self._record(delivery.sender, number, text)
                for number, text in enumerate(delivery.events, delivery.first)
                if number > newest
            ]
            self._newest[delivery.sender] = max(newest, delivery.last)
            self._unacknowledged[delivery.sender].update(r.source_offset["number"] for r in records)
            self._polled.append(delivery)
            self._answer()
        return records

    def commit_record(self, record, metadata):
        with self._changed:
            sender = record.source_partition["sender"]
            self._unacknowledged[sender].discard(record.source_offset["number"])
            self._answer()

    def stop(self):
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            server, self._server = self._server, None
        if server is not None:
            server.stop()

    def accept(self, delivery):
        """Take a delivery from the server's thread; false if too many wait already."""
        with self._changed:
            if self._stopped or len(self._arrived) >= _MOST_WAITING:
                return False
            self._arrived.append(delivery)
            self._changed.notify_all()
            return True

    def _listen(self):
        server = Server(*self._address, self._secret, self.accept, self._patience_s)
        try:
            server.start()
        except OSError as error:
            host, port = self._address
            passing = error.errno in {errno.EADDRINUSE, errno.EMFILE, errno.ENFILE, errno.ENOBUFS}
            with self._changed:
                if passing and not self._stopped:
                    self._changed.wait(0.5)  # the task before this one may be about to end
            raise (RetriableError if passing else ConnectError)(
                f"cannot listen at {host}:{port}: {error}",
                code="hookquay.listen",
                facts={"host": host, "port": port},
            ) from error
        with self._changed:
            if not self._stopped:
                self._server = server
                return
        server.stop()  # as the task was while the server started

    def _newest_of(self, sender):
        if sender not in self._newest:
            stored = self.context.offset_storage_reader.offset({"sender": sender})
            number = 0 if stored is None else stored.get("number")
            if type(number) is not int:
                raise ConnectError(
                    f"the offset of sender {sender} must be {{'number': number}}, found "
                    f"{dict(stored)!r}",
                    code="hookquay.offset",
                )
            self._newest[sender] = number
        return self._newest[sender]

    def _record(self, sender, number, text):
        return SourceRecord(
            {"sender": sender},
            {"number": number},
            self._topic,
            text,
            STRING_SCHEMA,
            key=sender,
            key_schema=STRING_SCHEMA,
            headers=Headers().add("hook.number", number, INT64_SCHEMA),
        )

    def _answer(self):
        """Answer the deliveries of which nothing is on its way any more."""
        waiting = []
        for delivery in self._polled:
            if any(n <= delivery.last for n in self._unacknowledged[delivery.sender]):
                waiting.append(delivery)
            else:
                delivery.answer(200)
        self._polled = waiting


class Server:
    """An HTTP server on an event loop in a thread of its own."""

    def __init__(self, host, port, secret, accept, patience_s):
        self._host, self._port = host, port
        self._secret, self._accept, self._patience_s = secret, accept, patience_s
        self._loop = asyncio.new_event_loop()
        self._end = None
        self._connections = set()
        self.failure = None
        self._thread = threading.Thread(target=self._run, name=f"hookquay-{port}", daemon=True)

    @property
    def alive(self):
        return self._thread.is_alive()

    def start(self):
        """Listen and return, or raise what is in the way."""
        self._started = threading.Event()
        self._thread.start()
        self._started.wait()
        if self.failure is not None:
            self._thread.join()
            raise self.failure

    def stop(self):
        try:
            self._loop.call_soon_threadsafe(self._end.set)
        except RuntimeError:
            pass  # the loop has ended by itself
        self._thread.join(10)

    def _run(self):
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            self.failure = error  # is raised by the task's own thread
        finally:
            self._loop.close()
            self._started.set()

    async def _serve(self):
        self._end = asyncio.Event()
        server = await asyncio.start_server(
            self._connected, self._host, self._port, limit=1 << 16, reuse_address=True
        )
        self._started.set()
        await self._end.wait()
        server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    async def _connected(self, reader, writer):
        task = asyncio.current_task()
        self._connections.add(task)
        try:
            while await self._request(reader, writer):
                pass
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, TimeoutError) as error:
            _log.debug("a connection ended: %r", error)
        except asyncio.CancelledError:
            pass  # the task is stopping; the sender tries again
        finally:
            self._connections.discard(task)
            writer.close()

    async def _request(self, reader, writer):
        """Read and answer one request; false if the connection is to be closed."""
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 120)
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise
            return False
        line, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = line.split(" ", 2)
        fields = dict(each.split(":", 1) for each in lines if each)
        headers = {name.strip().lower(): text.strip() for name, text in fields.items()}
        if "transfer-encoding" in headers:
            await self._write(writer, 411, "the body needs a Content-Length")
            return False
        size = int(headers.get("content-length", "0"))
        if not 0 <= size <= _LARGEST_BODY:
            await self._write(writer, 413, "the body is too large")
            return False
        body = await asyncio.wait_for(reader.readexactly(size), 60)
        if (method, target) != ("POST", "/events"):
            status, text = 404, "events go to POST /events"
        elif not self._signed(body, headers.get("x-hook-signature", "")):
            status, text = 401, "the signature is wrong"
        else:
            status, text = await self._deliver(body)
        await self._write(writer, status, text)
        return headers.get("connection", "").lower() != "close"

    def _signed(self, body, signature):
        right = hmac.new(self._secret, body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(f"sha256={right}".encode("ascii"), signature.encode("latin-1"))

    async def _deliver(self, body):
        try:
            given = json.loads(body)
            sender, first, events = given["sender"], given["first"], given["events"]
            for event in events:
                event.encode("utf-8")
            good = isinstance(sender, str) and type(first) is int and first > 0
            if not good or not isinstance(events, list) or len(events) > _MOST_EVENTS:
                raise ValueError("sender, first or events are not as they should be")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return 400, f"this is no delivery: {error}"
        if not events:
            return 200, "nothing to do"
        answer = self._loop.create_future()

        def answered(status):
            if not answer.done():
                answer.set_result(status)

        def call(status):
            try:
                self._loop.call_soon_threadsafe(answered, status)
            except RuntimeError:
                pass  # closed: the sender tries again

        if not self._accept(Delivery(sender, first, events, call)):
            return 503, "too much is waiting"
        try:
            return await asyncio.wait_for(answer, self._patience_s), "received"
        except TimeoutError:
            return 503, "Kafka has not got all of it yet"

    @staticmethod
    async def _write(writer, status, text):
        body = text.encode("utf-8")
        extra = "Retry-After: 1\r\n" if status == 503 else ""
        writer.write(
            f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"{extra}Content-Length: {len(body)}\r\n\r\n".encode("ascii") + body
        )
        await asyncio.wait_for(writer.drain(), 60)
