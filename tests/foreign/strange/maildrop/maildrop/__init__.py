"""Delivers records to maildirs, which one a header of the record says.

A maildir has the directories ``tmp``, ``new`` and ``cur``. A message is written in ``tmp`` and
renamed to ``new``; a reader moves it to ``cur``. Its name is made of the place of the record in
Kafka, so a record that comes again does not make a second message.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from urllib.parse import quote

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    RetriableError,
    SinkConnector,
    SinkTask,
)

VERSION = "1.0.0"
ROUTE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

CONFIG = (
    ConfigDef()
    .define(
        "mail.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the maildirs.",
    )
    .define(
        "mail.header",
        ConfigType.STRING,
        default="tenant",
        validator=NonEmptyString(),
        documentation="Header that names the maildir; of several, the last one counts.",
    )
    .define(
        "mail.default",
        ConfigType.STRING,
        default=None,
        documentation="Maildir of records without this header; by default they are refused.",
    )
)


class MailDropSinkConnector(SinkConnector):
    """Kafka divides the partitions among the tasks."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def validate(self, props):
        """Also complain about a default that cannot be the name of a maildir."""
        values = super().validate(props)
        for each in values:
            given = each.value if each.name == "mail.default" else None
            if given is not None and not ROUTE.fullmatch(str(given)):
                each.error_messages.append(
                    "mail.default must be letters, digits, underscores, dots and hyphens, and"
                    " begin with one of the first three."
                )
        return values

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return MailDropSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass


class MailDropSinkTask(SinkTask):
    """What was put is delivered when put returns, so there is nothing to flush."""

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["mail.directory"])
        self._header = config["mail.header"]
        self._default = config["mail.default"]
        if self._default is not None and not ROUTE.fullmatch(self._default):
            raise ConnectError(
                f"mail.default {self._default!r} cannot be the name of a maildir",
                code="maildrop.default",
            )

    def put(self, records):
        if not records:
            return
        reporter = self.context.errant_record_reporter()
        touched = set()
        try:
            for record in records:
                try:
                    route, message = self._route(record), _message(record)
                except DataError as error:
                    if reporter is None:
                        raise
                    reporter.report(record, error)
                    continue
                touched.add(self._deliver(route, _name(record), message))
            for each in touched:
                _sync(each)
        except OSError as error:
            raise RetriableError(
                f"cannot deliver to the maildirs in {self._directory}: {error}",
                code="maildrop.deliver",
                facts={"directory": str(self._directory)},
            ) from error

    def stop(self):
        pass

    def _route(self, record):
        """The maildir of a record."""
        header = record.headers.last_with_name(self._header) if record.has_headers else None
        if header is None and self._default is not None:
            return self._default
        route = None if header is None else header.value
        if not isinstance(route, str) or not ROUTE.fullmatch(route):
            found = "no such header" if header is None else f"{type(route).__name__} in it"
            raise DataError(
                f"header {self._header} of {_where(record)} does not name a maildir: {found}",
                code="maildrop.route",
                facts={"header": self._header},
            )
        return route

    def _deliver(self, route, name, message):
        """Add a message, unless it is there or was read already; returns where it is."""
        if not self._directory.is_dir():
            raise NotADirectoryError(f"Not a directory: {self._directory}")
        home = self._directory / route
        for each in ("tmp", "new", "cur"):
            (home / each).mkdir(parents=True, exist_ok=True)
        read = [each for each in (home / "cur").iterdir() if each.name.partition(":")[0] == name]
        if read or (home / "new" / name).exists():
            return home / "new"
        hidden = home / "tmp" / f"{name}.{os.getpid()}-{id(self)}"
        try:
            with hidden.open("wb") as file:
                file.write(message)
                file.flush()
                os.fsync(file.fileno())
            hidden.replace(home / "new" / name)
        except OSError:
            _remove(hidden)
            raise
        return home / "new"


def _remove(path):
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # the error that led here says more


def _sync(directory):
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _name(record):
    topic, partition = quote(record.original_topic, safe=""), record.original_kafka_partition
    return f"{record.original_kafka_offset:020d}.{partition}.{topic}"


def _message(record):
    """A message with the topic, the time and the headers in its head, and the value as body."""
    if not isinstance(record.value, str):
        raise DataError(
            f"a message is text, found {type(record.value).__name__} at {_where(record)}",
            code="maildrop.value",
            hint="set value.converter to StringConverter",
        )
    lines = [f"X-Topic: {json.dumps(record.topic)}"]
    if record.timestamp is not None:
        lines.append(f"X-Timestamp: {record.timestamp}")
    headers = record.headers if record.has_headers else ()
    lines += [f"X-Header: {json.dumps([each.key, _plain(each, record)])}" for each in headers]
    try:
        body = base64.encodebytes(record.value.encode()).decode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text at {_where(record)} cannot be written: {error.reason}", code="maildrop.value"
        ) from error
    lines += [
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: base64",
    ]
    return ("\n".join(lines) + "\n\n" + body).encode()


def _plain(header, record):
    """The value of a header for JSON; bytes are wrapped."""
    match header.value:
        case None | bool() | int() | float() | str():
            return header.value
        case bytes():
            return {"bytes": base64.b64encode(header.value).decode()}
    raise DataError(
        f"header {header.key} of {_where(record)} cannot be written: {type(header.value).__name__}",
        code="maildrop.header",
        facts={"header": header.key},
    )


def _where(record):
    return (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
