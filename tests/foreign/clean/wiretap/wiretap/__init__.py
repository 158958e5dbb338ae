"""Source connector for "wire" servers: JSON requests and answers, a line each, over TCP.

All network I/O happens in an asyncio event loop on a thread of its own. Each channel has a
coroutine that asks for messages and puts records into a bounded inbox; poll() empties it.
"""
import asyncio
import contextlib
import json
import logging
import threading
from collections import deque
from typing import Any, Dict, Mapping, Optional

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    ValidList,
    group_partitions,
)

__version__ = "0.7.3"

log = logging.getLogger(__name__)

LINE_LIMIT = 64 * 1024 * 1024

CONFIG = ConfigDef()
CONFIG.define("wire.host", ConfigType.STRING, importance=Importance.HIGH,
              validator=NonEmptyString(), documentation="Host name or address of the wire server.")
CONFIG.define("wire.port", ConfigType.INT, importance=Importance.HIGH,
              validator=Range.between(1, 65535), documentation="TCP port of the wire server.")
CONFIG.define("wire.password", ConfigType.PASSWORD, importance=Importance.HIGH,
              documentation="Password that the server asks for when a connection is opened.")
CONFIG.define("wire.channels", ConfigType.LIST, importance=Importance.HIGH,
              validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
              documentation="The channels to read. They are divided among the tasks.")
CONFIG.define("topic", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
              documentation="Kafka topic for the messages of all channels.")
CONFIG.define("wire.fetch.size", ConfigType.INT, 200, Importance.MEDIUM,
              "Most messages to ask for at once, and most records of one poll.",
              validator=Range.between(1, 5000))
CONFIG.define("wire.idle.ms", ConfigType.INT, 250, Importance.LOW,
              "Milliseconds between two requests while a channel has nothing new.",
              validator=Range.at_least(1))
CONFIG.define("wire.reconnect.ms", ConfigType.INT, 500, Importance.LOW,
              "Milliseconds to wait before a new connection after a failure.",
              validator=Range.at_least(1))
CONFIG.define("wire.timeout.ms", ConfigType.INT, 10000, Importance.LOW,
              "Milliseconds to wait for a connection or an answer.", validator=Range.at_least(1))


class WiretapSourceConnector(SourceConnector):
    def __init__(self) -> None:
        self.props: Dict[str, str] = {}

    def version(self) -> str:
        return __version__

    def config(self) -> ConfigDef:
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        CONFIG.parse(props)
        self.props = dict(props)

    def stop(self) -> None:
        pass

    def task_class(self):
        return WiretapSourceTask

    def task_configs(self, max_tasks: int):
        channels = CONFIG.parse(self.props)["wire.channels"]
        return [
            {**self.props, "wire.channels": ",".join(share)}
            for share in group_partitions(channels, min(max_tasks, len(channels)))
        ]

    def alter_offsets(self, props, offsets) -> bool:
        for partition, offset in offsets:
            if set(partition) != {"channel"} or not isinstance(partition["channel"], str):
                raise ConnectError(f"not a partition of this connector: {dict(partition)}")
            if offset is not None:
                read_offset(offset)
        return True


def read_offset(offset: Optional[Mapping[str, Any]]) -> int:
    if offset is None:
        return 0
    number = offset.get("number")
    if set(offset) != {"number"} or type(number) is not int or number < 0:
        raise ConnectError(f"stored offset must look like {{'number': 17}}, but is {dict(offset)}",
                           hint="delete or correct the offsets of this connector")
    return number


class Inbox:
    """What the event loop hands to poll(): records, or an error in the place where it occurred."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._items: deque = deque()
        self._trouble: Optional[RetriableError] = None
        self._changed = threading.Condition()

    def full(self) -> bool:
        return len(self._items) >= self.capacity

    def put(self, items) -> None:
        with self._changed:
            self._items.extend(items)
            self._changed.notify_all()

    def report(self, trouble: RetriableError) -> None:
        """Note a passing failure, which poll() raises when it has no records to return."""
        with self._changed:
            self._trouble = trouble
            self._changed.notify_all()

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def take(self, most: int, timeout: float) -> list:
        with self._changed:
            if not self._items and self._trouble is None:
                self._changed.wait(timeout)
            records = []
            while self._items and len(records) < most:
                if isinstance(self._items[0], Exception):
                    if records:
                        break
                    raise self._items[0]
                records.append(self._items.popleft())
            if not records and self._trouble is not None:
                trouble, self._trouble = self._trouble, None
                raise trouble
            return records


class WiretapSourceTask(SourceTask):
    def __init__(self) -> None:
        self._thread: Optional[threading.Thread] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._inbox: Optional[Inbox] = None
        self._stopped = False

    def version(self) -> str:
        return __version__

    def start(self, props: Mapping[str, str]) -> None:
        self._config = CONFIG.parse(props)
        self._stopped = False
        self._inbox = Inbox(4 * self._config["wire.fetch.size"])
        partitions = [{"channel": name} for name in self._config["wire.channels"]]
        stored = self.context.offset_storage_reader.offsets(partitions)
        positions = {part["channel"]: read_offset(offset) for part, offset in stored}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(self._loop, positions),
                                        name="wiretap", daemon=True)
        self._thread.start()

    def poll(self):
        if self._stopped:
            return None
        return self._inbox.take(self._config["wire.fetch.size"], timeout=0.2) or None

    def stop(self) -> None:
        self._stopped = True
        if self._inbox is not None:
            self._inbox.wake()
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if thread is not None:
            try:
                loop.call_soon_threadsafe(self._cancel, loop)
            except RuntimeError:
                pass  # the loop has ended by itself
            thread.join(2)

    @staticmethod
    def _cancel(loop: asyncio.AbstractEventLoop) -> None:
        for job in asyncio.all_tasks(loop):
            job.cancel()

    def _run(self, loop: asyncio.AbstractEventLoop, positions: Dict[str, int]) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(self._read_all(positions))
        except asyncio.CancelledError:
            pass
        finally:
            loop.close()

    async def _read_all(self, positions: Dict[str, int]) -> None:
        await asyncio.gather(*(self._follow(*item) for item in positions.items()))

    async def _follow(self, channel: str, position: int) -> None:
        """Read one channel until it is cancelled, or fails for good."""
        while not self._stopped:
            writer = None
            try:
                reader, writer = await self._connect()
                while not self._stopped:
                    while self._inbox.full():
                        await asyncio.sleep(0.01)
                    request = {"op": "fetch", "channel": channel, "after": position,
                               "limit": self._config["wire.fetch.size"]}
                    answer = await self._ask(reader, writer, request)
                    for message in answer["messages"]:
                        self._inbox.put([self._record(channel, message)])
                        position = message["number"]
                    if not answer["messages"]:
                        await asyncio.sleep(self._config["wire.idle.ms"] / 1000)
            except (OSError, EOFError, asyncio.TimeoutError, RetriableError) as error:
                log.warning("channel %s: %r, connecting again", channel, error)
                self._inbox.report(RetriableError(
                    f"wire server, channel {channel}: {str(error) or 'no answer in time'}"))
                await asyncio.sleep(self._config["wire.reconnect.ms"] / 1000)
            except ConnectError as error:
                self._inbox.put([error])
                return
            except Exception as error:
                self._inbox.put([ConnectError(f"channel {channel}: bad answer, {error!r}")])
                return
            finally:
                if writer is not None:
                    await self._hang_up(writer)

    async def _connect(self):
        timeout = self._config["wire.timeout.ms"] / 1000
        opening = asyncio.open_connection(self._config["wire.host"], self._config["wire.port"],
                                          limit=LINE_LIMIT)
        reader, writer = await asyncio.wait_for(opening, timeout)
        try:
            await self._ask(reader, writer,
                            {"op": "hello", "password": self._config["wire.password"].value})
        except BaseException:
            await self._hang_up(writer)
            raise
        return reader, writer

    @staticmethod
    async def _hang_up(writer) -> None:
        writer.transport.abort()
        with contextlib.suppress(Exception):
            await writer.wait_closed()

    async def _ask(self, reader, writer, request: Dict[str, Any]) -> Dict[str, Any]:
        writer.write(json.dumps(request).encode() + b"\n")
        await writer.drain()
        line = await asyncio.wait_for(reader.readline(), self._config["wire.timeout.ms"] / 1000)
        if not line.endswith(b"\n"):
            raise EOFError("the server closed the connection")
        answer = json.loads(line)
        if "error" in answer:
            kind = RetriableError if answer.get("retry") else ConnectError
            raise kind(f"the server refused {request['op']}: {answer['error']}")
        return answer

    def _record(self, channel: str, message: Dict[str, Any]) -> SourceRecord:
        if "text" not in message:
            raise DataError(f"message {message['number']} of channel {channel} has no text")
        text = message["text"]
        if not isinstance(text, str):
            raise DataError(f"message {message['number']} of channel {channel} should have text, "
                            f"but has {type(text).__name__}")
        return SourceRecord({"channel": channel}, {"number": message["number"]},
                            self._config["topic"], text, STRING_SCHEMA,
                            key=channel, key_schema=STRING_SCHEMA)
