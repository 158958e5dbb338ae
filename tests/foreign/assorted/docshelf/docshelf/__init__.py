"""Keeps a document for each key in a service that takes documents in bulk."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

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
    Struct,
)

VERSION = "1.0.0"
TRANSIENT = {408, 429, 500, 502, 503, 504}
PLAIN = (str, bool, int, float, type(None))
CONFIG = (
    ConfigDef()
    .define(
        "service.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the service.",
    )
    .define(
        "service.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token of the service.",
    )
    .define(
        "bulk.actions",
        ConfigType.INT,
        default=40,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most actions of one request.",
    )
    .define(
        "attempts",
        ConfigType.INT,
        default=3,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How often the service may take nothing before the batch comes again.",
    )
)


class DocShelfSinkConnector(SinkConnector):
    """Any number of tasks write to the service."""

    def __init__(self):
        self._props = {}

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        _address(CONFIG.parse(props)["service.url"])
        self._props = dict(props)

    def task_class(self):
        return DocShelfSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class DocShelfSinkTask(SinkTask):
    """Sends the last action of each document, and again what was put off."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._url = _address(config["service.url"])
        self._token = config["service.token"]
        self._size = config["bulk.actions"]
        self._attempts = config["attempts"]
        self._stopping.clear()

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        actions = {}
        for record in records:
            try:
                action = self._action(record)
            except DataError as error:
                self._report(reporter, record, error)
            else:
                actions[action["index"], action["id"]] = (action, record)
        left = list(actions.values())
        idle = 0
        while left:
            before, left = len(left), self._send(left, reporter)
            idle = idle + 1 if len(left) == before else 0
            if idle == self._attempts:
                raise RetriableError(
                    f"{self._url} put {len(left)} actions off {idle} times",
                    code="docshelf.busy",
                    facts={"url": self._url},
                )
            self._stopping.wait(0.01 if left else 0)

    def stop(self):
        self._stopping.set()

    def _send(self, pending, reporter):
        left = []
        for first in range(0, len(pending), self._size):
            chunk = pending[first : first + self._size]
            answers = self._post([action for action, _ in chunk])
            for (action, record), answer in zip(chunk, answers, strict=True):
                status = answer["status"]
                if status in TRANSIENT:
                    left.append((action, record))
                elif status >= 400:
                    error = DataError(
                        f"{self._url} refused {action['id']}: {status} {answer['reason']}",
                        code="docshelf.refused",
                    )
                    self._report(reporter, record, error)
        return left

    def _report(self, reporter, record, error):
        if reporter is None:
            raise error
        reporter.report(record, error)

    def _post(self, actions):
        request = urllib.request.Request(
            f"{self._url}/bulk",
            data=json.dumps(actions).encode(),
            headers={
                "Authorization": f"Bearer {self._token.value}",
                "Content-Type": "application/json",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                said = error.read().decode("utf-8", "replace")
            kind = RetriableError if error.code in TRANSIENT else ConnectError
            raise self._failure(kind, f"{error.code}: {said}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._failure(RetriableError, error) from error

    def _failure(self, kind, reason):
        return kind(
            f"cannot write to {self._url}: {reason}",
            code="docshelf.write",
            facts={"url": self._url},
        )

    def _action(self, record):
        where = (
            f"{record.original_topic}-{record.original_kafka_partition}"
            f"@{record.original_kafka_offset}"
        )
        action = {"index": record.topic, "id": self._id(record.key, where)}
        if record.value is None:
            return {**action, "op": "delete"}
        doc = self._doc(record.value, where)
        return {**action, "op": "index", "doc": doc, "time": record.timestamp}

    def _id(self, key, where):
        if isinstance(key, bytes | bytearray):
            return "x" + bytes(key).hex()
        if key is None or not isinstance(key, str | int | float):
            raise DataError(
                f"a document needs a key of text, bytes or a number, found "
                f"{type(key).__name__} at {where}",
                code="docshelf.key",
            )
        return json.dumps(key)

    def _doc(self, value, where):
        if isinstance(value, str):
            return {"text": value}
        if isinstance(value, Struct):
            row = {field.name: value[field.name] for field in value.schema.fields}
            odd = [name for name, item in row.items() if not isinstance(item, PLAIN)]
            if not odd:
                return {"row": row}
            raise DataError(f"fields {odd} at {where} cannot be stored", code="docshelf.field")
        raise DataError(
            f"a document is text or a struct, found {type(value).__name__} at {where}",
            code="docshelf.value",
        )


def _address(url):
    """An address, which must not have a password that every error would show."""
    if "@" in urllib.parse.urlsplit(url).netloc:
        raise ConnectError(
            "service.url must not have a user or a password, set service.token",
            code="docshelf.url",
        )
    return url
