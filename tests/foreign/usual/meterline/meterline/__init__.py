"""Reads the measurements of meters from a data logger that speaks a protocol of lines over TCP.

After ``LOGIN password`` the logger answers ``OK``. ``READ channel after most`` is answered with
``DATA bytes`` and so many bytes: a line of JSON for each measurement whose number is larger,
in the order of the numbers. ``BUSY`` asks to come again, ``DENIED`` and ``ERROR`` are final.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from decimal import Decimal, InvalidOperation

from plugwright import (
    BOOLEAN_SCHEMA,
    INT64_SCHEMA,
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
    group_partitions,
)
from plugwright import Decimal as DecimalType

VERSION = "1.0.0"
SCALE = 3
LONGEST_LINE = 1000
MEASUREMENT = (
    SchemaBuilder.struct()
    .name("meterline.Measurement")
    .field("meter", STRING_SCHEMA)
    .field("reading", DecimalType.schema(SCALE))
    .field("pulses", INT64_SCHEMA)
    .field("valid", BOOLEAN_SCHEMA)
    .field("remark", OPTIONAL_STRING_SCHEMA)
    .build()
)
_CHANNEL = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _check_channels(name, value):
    good = isinstance(value, list) and value and all(
        isinstance(each, str) and _CHANNEL.fullmatch(each) for each in value
    )
    if not good or len(set(value)) < len(value):
        raise ConfigError(
            f"{name} must be names of letters, digits, '.', '_' and '-', none twice",
            code="meterline.channels",
        )


def _check_password(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not text.isprintable():
        raise ConfigError(f"{name} must be printable text", code="meterline.password")


CONFIG = (
    ConfigDef()
    .define(
        "logger.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name or address of the data logger.",
    )
    .define(
        "logger.port",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.between(1, 65535),
        documentation="Port of the data logger.",
    )
    .define(
        "logger.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_password, lambda: "printable text"),
        documentation="Password of the data logger.",
    )
    .define(
        "logger.channels",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_channels, lambda: "distinct names"),
        documentation="Channels to read.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 5000),
        documentation="How many measurements to ask for at a time.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait when there was nothing new, or the logger was away.",
    )
    .define(
        "timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the logger.",
    )
)


class MeterLineSourceConnector(SourceConnector):
    """Divides the channels among the tasks."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return MeterLineSourceTask

    def task_configs(self, max_tasks):
        channels = CONFIG.parse(self._props)["logger.channels"]
        groups = group_partitions(channels, min(max_tasks, len(channels)))
        return [{**self._props, "logger.channels": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"channel"} or not isinstance(partition["channel"], str):
                raise ConnectError(
                    f"a source partition must be {{'channel': name}}, found {dict(partition)!r}",
                    code="meterline.partition",
                )
            if offset is not None:
                _position(offset)
        return False


class MeterLineSourceTask(SourceTask):
    """Keeps one connection, and makes a new one after any error."""

    def __init__(self):
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._link = None
        self._input = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._address = config["logger.host"], config["logger.port"]
        self._password = config["logger.password"].value
        self._topic = config["topic"]
        self._most = config["batch.size"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._timeout_s = config["timeout.ms"] / 1000
        self._at = {}
        for channel in config["logger.channels"]:
            stored = self.context.offset_storage_reader.offset({"channel": channel})
            self._at[channel] = _position(stored) if stored else 0
        self._turns = list(self._at)

    def poll(self):
        try:
            for channel in list(self._turns):
                if self._stopping.is_set():
                    return None
                records = self._records(channel, self._ask(channel))
                if records:
                    self._turns.remove(channel)
                    self._turns.append(channel)  # the others first, next time
                    self._at[channel] = records[-1].source_offset["number"]
                    return records
        except RetriableError:
            if self._stopping.wait(self._pause_s):
                return None
            raise
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()
        self._leave()

    def _ask(self, channel):
        """The lines behind the position of a channel."""
        try:
            self._connect()
            self._send(f"READ {channel} {self._at[channel]} {self._most}")
            word, _, size = self._line().partition(" ")
            if word != "DATA" or not size.isdecimal():
                raise self._refused(word)
            data = self._input.read(int(size))
            if len(data) < int(size):
                raise ConnectionError("the logger hung up in the middle of an answer")
        except (OSError, ValueError, AttributeError) as error:  # also if stop has closed it
            self._leave()
            raise RetriableError(
                f"the logger at {_shown(self._address)} cannot be read: {error!r}",
                code="meterline.connection",
                facts={"host": self._address[0], "port": self._address[1]},
            ) from error
        except ConnectError:
            self._leave()
            raise
        return data.splitlines(keepends=False) if data else []

    def _connect(self):
        if self._link is not None:
            return
        link = socket.create_connection(self._address, timeout=self._timeout_s)
        with self._lock:
            self._link, self._input = link, link.makefile("rb")
        if self._stopping.is_set():
            raise ConnectionError("the task is being stopped")
        self._send(f"LOGIN {self._password}")
        word = self._line().partition(" ")[0]
        if word != "OK":
            raise self._refused(word)

    def _send(self, line):
        self._link.sendall(line.encode("utf-8") + b"\n")

    def _line(self):
        line = self._input.readline(LONGEST_LINE)
        if not line.endswith(b"\n"):
            raise ConnectionError("the logger hung up")
        return line.decode("utf-8").strip()

    def _refused(self, word):
        kind = RetriableError if word == "BUSY" else ConnectError
        return kind(
            f"the logger at {_shown(self._address)} answered {word[:40]}",
            code="meterline.refused",
            facts={"host": self._address[0], "port": self._address[1], "answer": word[:40]},
        )

    def _leave(self):
        with self._lock:
            link, self._link = self._link, None
            file, self._input = self._input, None
        if link is not None:
            try:
                link.shutdown(socket.SHUT_RDWR)  # which wakes a thread that waits for an answer
            except OSError:
                pass
            file.close()
            link.close()

    def _records(self, channel, lines):
        records = []
        for line in lines:
            last = records[-1].source_offset["number"] if records else self._at[channel]
            try:
                records.append(self._record(channel, line, last))
            except DataError:
                if not records:
                    raise
                break  # those before it first
        return records

    def _record(self, channel, line, last):
        try:
            item = json.loads(line.decode("utf-8"))
            number, time = item["number"], item["at"]
            if type(number) is not int or number <= last or type(time) is not int:
                raise TypeError(f"number {number!r} at {time!r} cannot follow number {last}")
            value = Struct(MEASUREMENT)
            value["meter"] = item["meter"]
            value["reading"] = _reading(item["reading"])
            value["pulses"] = item["pulses"]
            value["valid"] = item["valid"]
            value["remark"] = item.get("remark")
        except (ValueError, KeyError, TypeError, InvalidOperation, DataError) as error:
            raise DataError(
                f"the measurement behind number {last} of channel {channel} cannot be read:"
                f" {error!r}",
                code="meterline.measurement",
                facts={"channel": channel, "number": last},
            ) from error
        return SourceRecord(
            {"channel": channel},
            {"number": number},
            self._topic,
            value,
            MEASUREMENT,
            key=channel,
            key_schema=STRING_SCHEMA,
            timestamp=time,
        )


def _reading(text):
    """A reading, which the logger sends as text, with the scale of the schema."""
    if not isinstance(text, str):
        raise TypeError(f"a reading must be text, found {type(text).__name__} {text!r}")
    reading = Decimal(text)
    if not reading.is_finite() or -reading.as_tuple().exponent > SCALE:
        raise TypeError(f"a reading has {SCALE} digits behind the point, found {text!r}")
    sign, digits, exponent = reading.as_tuple()
    return Decimal((sign, digits + (0,) * (exponent + SCALE), -SCALE))


def _position(offset):
    """The position in a stored offset, which an operator may have changed."""
    number = offset.get("number")
    if set(offset) != {"number"} or type(number) is not int or not 0 <= number < 2**63:
        raise ConnectError(
            f"an offset must be {{'number': number}}, found {dict(offset)!r}",
            code="meterline.offset",
        )
    return number


def _shown(address):
    return f"{address[0]}:{address[1]}"
