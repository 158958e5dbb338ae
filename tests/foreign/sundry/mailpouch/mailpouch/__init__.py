"""Reads the messages of mail folders by their UIDs: bodies of text, whatever they are encoded in."""

from __future__ import annotations

import email
import email.policy
import email.utils
import errno
import threading
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    DataError,
    ExactlyOnceSupport,
    Headers,
    Importance,
    ListSize,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
    group_partitions,
)

VERSION = "1.0.0"
TRANSIENT = {errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EIO, errno.ENOENT}
CONFIG = (
    ConfigDef()
    .define(
        "mail.directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the folders, each of which has a file uidvalidity.",
    )
    .define(
        "mail.folders",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=ListSize.at_most_of_size(100),
        documentation="Names of the folders to read.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each message.",
    )
    .define(
        "batch.max.messages",
        ConfigType.INT,
        default=18,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most messages of one poll.",
    )
)


class MailPouchConnector(SourceConnector):
    """Folders are shared out among tasks."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        self._folders = sorted(set(CONFIG.parse(props)["mail.folders"]))
        self._props = dict(props)

    def task_class(self):
        return MailPouchTask

    def task_configs(self, max_tasks):
        if not self._folders:
            return []
        groups = group_partitions(self._folders, min(max_tasks, len(self._folders)))
        return [{**self._props, "mail.folders": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED


class MailPouchTask(SourceTask):
    """Reads its folders in turn; a folder with another UIDVALIDITY is a new one."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._directory = Path(config["mail.directory"])
        self._topic = config["topic"]
        self._limit = config["batch.max.messages"]
        reader = self.context.offset_storage_reader
        stored = reader.offsets([{"folder": name} for name in config["mail.folders"]])
        self._read_to = {
            partition["folder"]: (0, 0) if offset is None else _position(offset)
            for partition, offset in stored
        }
        self._stopping.clear()

    def poll(self):
        records = []
        for name in list(self._read_to):
            try:
                records += self._folder(name, self._limit - len(records))
            except (ConnectError, DataError):
                if records:
                    break
                raise
            if len(records) >= self._limit:
                break
        if not records:
            self._stopping.wait(0.05)
            return None
        return records

    def stop(self):
        self._stopping.set()

    def _folder(self, name, limit):
        folder, records = self._directory / name, []
        try:
            validity = int((folder / "uidvalidity").read_text("ascii"))
            known, last = self._read_to[name]
            if known != validity:
                last = 0
            found = sorted(int(path.stem) for path in folder.iterdir() if path.suffix == ".eml")
            for uid in [uid for uid in found if uid > last][:limit]:
                content = (folder / f"{uid}.eml").read_bytes()
                try:
                    records.append(self._record(name, validity, uid, content))
                except DataError:
                    if records:
                        break
                    raise
                last = uid
        except OSError as error:
            raise self._failure(error) from error
        self._read_to[name] = (validity, last)
        return records

    def _record(self, name, validity, uid, content):
        message = email.message_from_bytes(content, policy=email.policy.default)
        return SourceRecord(
            source_partition={"folder": name},
            source_offset={"uidvalidity": validity, "uid": uid},
            topic=self._topic,
            value=self._text(name, uid, message),
            value_schema=STRING_SCHEMA,
            key=message["Message-ID"],
            key_schema=STRING_SCHEMA,
            timestamp=self._time(message),
            headers=Headers().add_string("subject", str(message["Subject"])),
        )

    def _time(self, message):
        return int(email.utils.parsedate_to_datetime(message["Date"]).timestamp()) * 1000

    def _text(self, name, uid, message):
        part = message.get_body(("plain",))
        if part is None:
            raise DataError(
                f"message {uid} of {name} is {message.get_content_type()}, expected text",
                code="mailpouch.body",
            )
        try:
            return part.get_payload(decode=True).decode(part.get_content_charset("us-ascii"))
        except (LookupError, UnicodeDecodeError) as error:
            raise DataError(
                f"message {uid} of {name} cannot be decoded: {error}", code="mailpouch.charset"
            ) from error

    def _failure(self, error):
        return (RetriableError if error.errno in TRANSIENT else ConnectError)(
            f"cannot read {self._directory}: {error}",
            code="mailpouch.read",
            facts={"directory": str(self._directory)},
        )


def _position(offset):
    """The UIDVALIDITY and the UID in an offset, which an operator may have written."""
    values = offset.get("uidvalidity"), offset.get("uid")
    if set(offset) != {"uidvalidity", "uid"} or any(type(v) is not int or v < 0 for v in values):
        raise ConnectError(
            "an offset must be {'uidvalidity': whole number, 'uid': whole number}, "
            f"found {dict(offset)!r}",
            code="mailpouch.offset",
        )
    return values
