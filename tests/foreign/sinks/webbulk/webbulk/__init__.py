"""Sends records in bulk to an HTTP service that stores each under the id it is given."""

from __future__ import annotations

import base64
import http.client
import json
import time
from urllib.parse import quote, urlsplit

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

VERSION = "2.0.3"
CONFIG = (
    ConfigDef()
    .define(
        "url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Address of the service, such as http://localhost:8080.",
    )
    .define(
        "api.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        documentation="Token that the service asks for.",
    )
    .define(
        "bulk.size",
        ConfigType.INT,
        default=200,
        validator=Range.at_least(1),
        documentation="The most records in one request.",
    )
    .define(
        "max.retries",
        ConfigType.INT,
        default=2,
        validator=Range.at_least(0),
        documentation="How often a request is repeated before the batch is handed back.",
    )
    .define(
        "retry.backoff.ms",
        ConfigType.INT,
        default=10,
        validator=Range.at_least(0),
        documentation="Milliseconds before the first repetition; twice as long before each other.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=10000,
        validator=Range.at_least(1),
        documentation="Milliseconds to wait for an answer.",
    )
)


class BulkSinkConnector(SinkConnector):
    """Each task has a connection of its own."""

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
        return BulkSinkTask

    def task_configs(self, max_tasks):
        return [dict(self._props) for _ in range(max_tasks)]

    def stop(self):
        pass

    def alter_offsets(self, props, offsets):
        return True


class Client:
    """One connection, made again after an error."""

    def __init__(self, url, token, timeout):
        parts = urlsplit(url)
        self.address = f"{parts.hostname}:{parts.port or 80}"
        self._host, self._port, self._timeout = parts.hostname, parts.port, timeout
        self._token = token
        self._connection = None

    def post(self, items):
        """The service's answer for each item."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                self._host, self._port, timeout=self._timeout
            )
        try:
            self._connection.request(
                "POST",
                "/bulk",
                body=json.dumps(items).encode(),
                headers={
                    "Content-Type": "application/json",
                    "Authorization": f"Bearer {self._token.value}",
                },
            )
            answer = self._connection.getresponse()
            body = answer.read()
        except BaseException:
            self.close()
            raise
        if answer.status in {429, 502, 503, 504}:
            raise ConnectionError(f"{answer.status} {body.decode(errors='replace')[:200]}")
        if answer.status != 200:
            raise ConnectError(
                f"{self.address} answered {answer.status} {body.decode(errors='replace')[:200]}",
                code="webbulk.answer",
            )
        return json.loads(body)

    def close(self):
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class BulkSinkTask(SinkTask):
    """Returns from put when the service has confirmed every record."""

    def __init__(self):
        self._client = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._size = config["bulk.size"]
        self._retries = config["max.retries"]
        self._backoff = config["retry.backoff.ms"] / 1000
        self._client = Client(
            config["url"], config["api.token"], config["request.timeout.ms"] / 1000
        )

    def put(self, records):
        reporter = self.context.errant_record_reporter()
        pairs = []
        for record in records:
            try:
                pairs.append((record, _item(record)))
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
        for start in range(0, len(pairs), self._size):
            self._send(pairs[start : start + self._size], reporter)

    def stop(self):
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _send(self, pairs, reporter):
        pending = dict((item["id"], (record, item)) for record, item in pairs)
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(self._backoff * 2 ** (attempt - 1))
            try:
                results = self._client.post([item for _, item in pending.values()])
            except (OSError, http.client.HTTPException) as error:
                trouble = error
                continue
            trouble = None
            for result in results:
                if result["status"] in {200, 201}:
                    del pending[result["id"]]
                elif result["status"] == 400:
                    record, _ = pending.pop(result["id"])
                    refused = DataError(
                        f"the service refuses {result['id']}: {result['reason']}",
                        code="webbulk.refused",
                    )
                    if reporter is None:
                        raise refused
                    reporter.report(record, refused)
            if not pending:
                return
        raise RetriableError(
            f"{self._client.address} has not taken {len(pending)} records: {trouble or 'busy'}",
            code="webbulk.unavailable",
        ) from trouble


def _item(record):
    where = (
        f"{record.original_topic}-{record.original_kafka_partition}@{record.original_kafka_offset}"
    )
    if record.value is not None and not isinstance(record.value, str):
        raise DataError(
            f"the service takes text, found {type(record.value).__name__} at {where}",
            code="webbulk.value",
        )
    return {
        "id": f"{quote(record.original_topic, safe='')}/{record.original_kafka_partition}/"
        f"{record.original_kafka_offset}",
        "value": record.value,
        "time": record.timestamp,
        "headers": [[header.key, _plain(header.value)] for header in record.headers],
    }


def _plain(value):
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes | bytearray):
        return {"base64": base64.b64encode(value).decode()}
    return str(value)
