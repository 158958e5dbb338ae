"""Reads letters from mailbox files (mbox), to which a mail server appends.

The position is the byte behind a letter. A letter at the end of the file counts as complete when
the empty line is there that ends every letter; and while the mail server holds the lock, nothing
is read at all.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import email
import email.policy
import email.utils
import fcntl
import re
import threading

from plugwright import (
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

VERSION = "1.0.0"
BEGIN = b"From "
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LETTER = (
    SchemaBuilder.struct()
    .name("letterbox.Letter")
    .field("sender", OPTIONAL_STRING_SCHEMA)
    .field("subject", OPTIONAL_STRING_SCHEMA)
    .field("body", STRING_SCHEMA)
    .build()
)


def _check_files(name, value):
    good = isinstance(value, list) and value and all(
        isinstance(each, str) and each and "\0" not in each for each in value
    )
    if not good or len(set(value)) < len(value):
        raise ConfigError(
            f"{name} must be paths, at least one and none twice", code="letterbox.files"
        )


CONFIG = (
    ConfigDef()
    .define(
        "mail.files",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_files, lambda: "distinct paths"),
        documentation="Paths of the mailboxes; one that is missing counts as empty.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "batch.letters",
        ConfigType.INT,
        default=500,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 10_000),
        documentation="How many letters to return at most at a time.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait when there was nothing new.",
    )
)


class LetterBoxSourceConnector(SourceConnector):
    """Divides the mailboxes among the tasks."""

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
        return LetterBoxSourceTask

    def task_configs(self, max_tasks):
        files = CONFIG.parse(self._props)["mail.files"]
        groups = group_partitions(files, min(max_tasks, len(files)))
        return [{**self._props, "mail.files": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"mailbox"} or not isinstance(partition["mailbox"], str):
                raise ConnectError(
                    f"a source partition must be {{'mailbox': path}}, found {dict(partition)!r}",
                    code="letterbox.partition",
                )
            if offset is not None:
                _position(offset)
        return False


class LetterBoxSourceTask(SourceTask):
    """Reads its mailboxes in turn; a mailbox is open only while it is read."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._topic = config["topic"]
        self._most = config["batch.letters"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._at = {}
        for path in config["mail.files"]:
            stored = self.context.offset_storage_reader.offset({"mailbox": path})
            self._at[path] = _position(stored) if stored else 0
        self._turns = list(self._at)

    def poll(self):
        failure = None
        for path in list(self._turns):
            if self._stopping.is_set():
                return None
            try:
                records = self._read(path)
            except RetriableError as error:
                failure = error  # of this mailbox alone
                continue
            if records:
                self._turns.remove(path)
                self._turns.append(path)  # the others first, next time
                self._at[path] = records[-1].source_offset["byte"]
                return records
        self._stopping.wait(self._pause_s)
        if failure is not None:
            raise failure
        return None

    def stop(self):
        self._stopping.set()

    def _read(self, path):
        """The next letters of a mailbox."""
        records = []
        try:
            with contextlib.closing(self._letters(path)) as letters:
                for begin, text in letters:
                    records.append(self._record(path, begin, text))
                    if len(records) == self._most or self._stopping.is_set():
                        break
        except DataError:
            if not records:
                raise  # otherwise those before it first
        return records

    def _letters(self, path):
        """The complete letters behind the position: where each begins, and its bytes."""
        begin = self._at[path]
        try:
            with open(path, "rb") as file:
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                end = file.seek(0, 2)
                if begin > end:
                    raise ConnectError(
                        f"mailbox {path} has {end} bytes but was read up to byte {begin}",
                        code="letterbox.shorter",
                        hint="was it replaced? Then delete its stored offset",
                        facts={"file": path, "byte": begin},
                    )
                file.seek(begin)
                yield from _split(file, begin, path)
        except BlockingIOError:
            return  # a letter is being delivered
        except FileNotFoundError as error:
            if begin:
                raise self._failure(RetriableError, path, error) from error
        except (IsADirectoryError, NotADirectoryError, PermissionError) as error:
            raise self._failure(ConnectError, path, error) from error
        except OSError as error:
            raise self._failure(RetriableError, path, error) from error

    def _failure(self, kind, path, error):
        return kind(
            f"mailbox {path} cannot be read: {error}",
            code="letterbox.file",
            facts={"file": path},
        )

    def _record(self, path, begin, text):
        try:
            letter = email.message_from_bytes(_content(text), policy=email.policy.default)
            value = Struct(LETTER)
            value["sender"] = _header(letter, "From")
            value["subject"] = _header(letter, "Subject")
            value["body"] = _body(letter)
            key, time = _header(letter, "Message-ID"), _time(letter)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise DataError(
                f"the letter at byte {begin} of {path} cannot be read: {error!r}",
                code="letterbox.letter",
                facts={"file": path, "byte": begin},
            ) from error
        return SourceRecord(
            {"mailbox": path},
            {"byte": begin + len(text)},
            self._topic,
            value,
            LETTER,
            key=key,
            key_schema=OPTIONAL_STRING_SCHEMA,
            timestamp=time,
        )


def _split(file, begin, path):
    """The complete letters from here, with the empty lines that end them."""
    lines, empty = [], True
    for line in file:
        if line.startswith(BEGIN) and empty and lines:
            text = b"".join(lines)
            yield begin, text
            begin, lines = begin + len(text), []
        elif not lines and not line.startswith(BEGIN):
            raise DataError(
                f"no letter begins at byte {begin} of {path}, found {line[:40]!r}",
                code="letterbox.begin",
                facts={"file": path, "byte": begin},
            )
        lines.append(line)
        empty = line in {b"\n", b"\r\n"}
    if lines and empty:
        yield begin, b"".join(lines)


def _content(text):
    """A letter without the line that separates it, the empty line at its end, and quotes."""
    _, _, content = text.partition(b"\n")
    if content.endswith(b"\n"):
        content = content[: -2 if content.endswith(b"\r\n") else -1]
    return QUOTED.sub(rb"\1", content)


def _header(letter, name):
    found = letter[name]
    if found is None:
        return None
    return str(found).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _body(letter):
    """The text of a letter, the plain one if there are several."""
    part = letter.get_body(("plain", "html"))
    if part is None:
        return ""
    content = part.get_payload(decode=True) or b""
    charset = part.get_content_charset("utf-8")
    return content.decode("utf-8" if charset == "us-ascii" else charset)


def _time(letter):
    """When a letter was written, in milliseconds; nothing if it has no such date."""
    if letter["Date"] is None:
        return None
    try:
        time = email.utils.parsedate_to_datetime(str(letter["Date"]))
    except (ValueError, OverflowError):
        return None
    if time.tzinfo is None:
        time = time.replace(tzinfo=dt.UTC)
    return (time - EPOCH) // dt.timedelta(milliseconds=1)


def _position(offset):
    """The position in a stored offset, which an operator may have changed."""
    if set(offset) != {"byte"} or type(offset["byte"]) is not int or offset["byte"] < 0:
        raise ConnectError(
            f"an offset must be {{'byte': number}}, found {dict(offset)!r}",
            code="letterbox.offset",
        )
    return offset["byte"]
