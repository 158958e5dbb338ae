"""Reads the messages of a mailbox over IMAP, and leaves them as they are.

The text of a message is the value, and its Message-ID the key. The place in a mailbox is a UID; it
is valid as long as the server does not change the UIDVALIDITY of the mailbox.
"""

# ruff: noqa: D102  # the methods are those of the contract

from __future__ import annotations

import email
import imaplib
import logging
import re
import threading
from datetime import UTC
from email.utils import parsedate_to_datetime

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
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
    group_partitions,
)

VERSION = "0.9.2"
LOG = logging.getLogger(__name__)
UID = re.compile(rb"\bUID (\d+)")
DATE = re.compile(rb'INTERNALDATE "([^"]+)"')

CONFIG = (
    ConfigDef()
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the messages.",
    )
    .define(
        "imap.host",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the server.",
    )
    .define(
        "imap.port",
        ConfigType.INT,
        default=143,
        validator=Range.between(1, 65535),
        documentation="Port of the server.",
    )
    .define(
        "imap.user",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name to log in with.",
    )
    .define(
        "imap.password",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Password to log in with.",
    )
    .define(
        "imap.mailboxes",
        ConfigType.LIST,
        default="INBOX",
        documentation="Mailboxes to read, divided among the tasks.",
    )
    .define(
        "imap.batch",
        ConfigType.INT,
        default=50,
        validator=Range.between(1, 1000),
        documentation="The most messages that are fetched at once.",
    )
    .define(
        "imap.interval.ms",
        ConfigType.INT,
        default=1000,
        validator=Range.between(1, 60000),
        documentation="How long to wait when there is no message.",
    )
    .define(
        "imap.timeout.ms",
        ConfigType.INT,
        default=10000,
        importance=Importance.LOW,
        validator=Range.between(100, 60000),
        documentation="How long to wait for the server.",
    )
)


class ImapSourceConnector(SourceConnector):
    """Divides the mailboxes among the tasks."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def validate(self, props):
        """Also complain about mailboxes that are empty or named twice."""
        values = super().validate(props)
        for each in values:
            names = each.value
            if each.name != "imap.mailboxes" or not isinstance(names, list):
                continue
            if not names or not all(names) or len(set(names)) < len(names):
                each.error_messages.append("imap.mailboxes must name mailboxes, each once.")
        return values

    def start(self, props):
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self):
        return ImapSourceTask

    def task_configs(self, max_tasks):
        names = CONFIG.parse(self._props)["imap.mailboxes"]
        groups = group_partitions(names, min(max_tasks, len(names)))
        return [{**self._props, "imap.mailboxes": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"host", "user", "mailbox"}:
                raise ConnectError(
                    f"a mailbox has host, user and mailbox, found {dict(partition)!r}",
                    code="imapbox.partition",
                )
            if offset is not None:
                _place(offset)
        return False


class ImapSourceTask(SourceTask):
    """Has one connection, and visits the mailboxes in turn."""

    def __init__(self):
        self._stopping = threading.Event()
        self._client = None

    def version(self):
        return VERSION

    def start(self, props):
        self._config = CONFIG.parse(props)
        self._stopping.clear()
        self._places = {}
        for name in self._config["imap.mailboxes"]:
            stored = self.context.offset_storage_reader.offset(self._partition(name))
            self._places[name] = _place(stored) if stored else (None, 0)

    def poll(self):
        try:
            records = self._visit_all()
        except (OSError, imaplib.IMAP4.error) as error:
            self._disconnect()
            if self._stopping.is_set():
                return None
            self._stopping.wait(self._config["imap.interval.ms"] / 1000)
            raise self._problem(RetriableError, error) from error
        except ValueError:
            if self._stopping.is_set():  # which closed what was being read
                return None
            raise
        if not records:
            self._stopping.wait(self._config["imap.interval.ms"] / 1000)
            return None
        return records

    def stop(self):
        self._stopping.set()
        self._disconnect()

    def _visit_all(self):
        records = []
        for name in self._places:
            if self._stopping.is_set():
                break
            room = self._config["imap.batch"] - len(records)
            if not room:
                break
            try:
                records += self._visit(self._connected(), name, room)
            except (OSError, imaplib.IMAP4.error, ConnectError):
                self._disconnect()
                if records:  # of other mailboxes, whose places have moved on
                    break
                raise
        return records

    def _visit(self, client, name, room):
        """The next messages of a mailbox."""
        _check(client.select(_quoted(name), readonly=True), name)
        validity = int(client.response("UIDVALIDITY")[1][0])
        known, last = self._places[name]
        if known != validity:
            if known is not None:
                LOG.warning("mailbox %s was made anew, it is read from its beginning", name)
            last = 0
        answer = _check(client.uid("SEARCH", f"UID {last + 1}:*"), name)
        # The star is the last message, even if that was read before.
        numbers = sorted(n for n in map(int, (answer[0] or b"").split()) if n > last)[:room]
        messages = self._fetch(client, name, numbers)
        records = [self._record(name, validity, *message) for message in messages]
        self._places[name] = validity, (numbers[-1] if numbers else last)
        return records

    def _fetch(self, client, name, numbers):
        """Number, date and bytes of messages; those that were deleted meanwhile are missing."""
        if not numbers:
            return []
        listed = ",".join(map(str, numbers))
        answer = _check(client.uid("FETCH", listed, "(UID INTERNALDATE BODY.PEEK[])"), name)
        found = []
        for part in answer:
            if isinstance(part, tuple):
                head, body = part
                found.append((int(UID.search(head)[1]), DATE.search(head)[1].decode(), body))
        return sorted(found)

    def _record(self, name, validity, number, date, body):
        message = email.message_from_bytes(body)
        moment = parsedate_to_datetime(date.replace("-", " ").strip()).astimezone(UTC)
        return SourceRecord(
            self._partition(name),
            {"validity": validity, "uid": number},
            self._config["topic"],
            _text(message, name, number),
            STRING_SCHEMA,
            key=message["Message-ID"],
            key_schema=OPTIONAL_STRING_SCHEMA,
            timestamp=int(moment.timestamp() * 1000),
        )

    def _partition(self, name):
        return {
            "host": self._config["imap.host"],
            "user": self._config["imap.user"],
            "mailbox": name,
        }

    def _connected(self):
        if self._client is None:
            config = self._config
            client = imaplib.IMAP4(
                config["imap.host"], config["imap.port"], timeout=config["imap.timeout.ms"] / 1000
            )
            try:
                self._log_in(client)
            except BaseException:
                client.shutdown()
                raise
            self._client = client
            if self._stopping.is_set():
                self._disconnect()
                raise ConnectionAbortedError("the task was stopped")
        return self._client

    def _log_in(self, client):
        try:
            client.login(self._config["imap.user"], self._config["imap.password"].value)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            if "UNAVAILABLE" in str(error):
                raise
            raise self._problem(ConnectError, error) from error

    def _problem(self, kind, error):
        host, port = self._config["imap.host"], self._config["imap.port"]
        return kind(
            f"cannot read mail from {host}:{port}: {error}",
            code="imapbox.server",
            facts={"host": host, "port": port},
        )

    def _disconnect(self):
        client, self._client = self._client, None
        if client is not None:
            try:
                client.shutdown()
            except OSError as error:
                LOG.debug("the connection was closed before: %s", error)


def _check(answer, name):
    """The data of an answer that is good."""
    status, data = answer
    if status != "OK":
        reason = b" ".join(part for part in data if isinstance(part, bytes)).decode(
            errors="replace"
        )
        raise ConnectError(f"mailbox {name} cannot be read: {reason}", code="imapbox.mailbox")
    return data


def _quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _text(message, name, number):
    """The first part of a message that is text."""
    for part in message.walk():
        if part.get_content_maintype() == "text":
            charset = part.get_content_charset("us-ascii")
            try:
                return part.get_payload(decode=True).decode(charset)
            except (LookupError, UnicodeDecodeError) as error:
                raise DataError(
                    f"message {number} of mailbox {name} is not text in {charset}: {error}",
                    code="imapbox.text",
                    facts={"mailbox": name, "uid": number},
                ) from error
    raise DataError(
        f"message {number} of mailbox {name} has no text",
        code="imapbox.text",
        facts={"mailbox": name, "uid": number},
    )


def _place(offset):
    """UIDVALIDITY and UID of an offset, which an operator may have changed."""
    numbers = offset.get("validity"), offset.get("uid")
    if set(offset) != {"validity", "uid"} or any(type(n) is not int or n < 0 for n in numbers):
        raise ConnectError(
            f"an offset has validity and uid, numbers from 0 on, found {dict(offset)!r}",
            code="imapbox.offset",
        )
    return numbers
