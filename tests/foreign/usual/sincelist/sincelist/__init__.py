"""Reads a list of a REST service, from the item that was changed longest ago to the newest.

The service sorts by the time of the last change and, among equal times, by number. Both are the
position, so a page may end between two items that were changed at the same moment.
"""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from decimal import Decimal, InvalidOperation
from urllib.parse import quote, urlencode, urlsplit

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
    NonEmptyStringWithoutControlChars,
    Range,
    RetriableError,
    SchemaBuilder,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Struct,
)
from plugwright import Decimal as DecimalType

VERSION = "1.0.0"
BUSY = {408, 425, 429, 500, 502, 503, 504}
SCALE = 2
CONTACT = (
    SchemaBuilder.struct()
    .name("sincelist.Contact")
    .field("name", STRING_SCHEMA)
    .field("balance", DecimalType.schema(SCALE))
    .field("orders", INT64_SCHEMA)
    .field("active", BOOLEAN_SCHEMA)
    .field("note", OPTIONAL_STRING_SCHEMA)
    .build()
)


def _check_url(name, value):
    try:
        parts = urlsplit(value)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        good = good and not (parts.query or parts.fragment or parts.username)
    except (ValueError, AttributeError, TypeError):
        good = False
    if not good:
        raise ConfigError(
            f"{name} must be an address such as https://host/api, without a user or a query",
            code="sincelist.url",
        )


def _check_token(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not all("!" <= each <= "~" for each in text):
        raise ConfigError(
            f"{name} must be of visible ASCII characters, without spaces", code="sincelist.token"
        )


CONFIG = (
    ConfigDef()
    .define(
        "api.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_url, lambda: "an address of HTTP or HTTPS"),
        documentation="Address of the service.",
    )
    .define(
        "api.list",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="Name of the list to read, the last part of its path.",
    )
    .define(
        "api.token",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_token, lambda: "visible ASCII characters"),
        documentation="Token that the service asks for.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic to write to.",
    )
    .define(
        "page.size",
        ConfigType.INT,
        default=200,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 1000),
        documentation="How many items to ask for at a time.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="How long to wait when there was nothing new, or the service was busy.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=10_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the service.",
    )
)


class SinceListSourceConnector(SourceConnector):
    """One task reads, because a list has one order."""

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
        return SinceListSourceTask

    def task_configs(self, max_tasks):
        return [dict(self._props)] if max_tasks > 0 else []

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"list"} or not isinstance(partition["list"], str):
                raise ConnectError(
                    f"a source partition must be {{'list': name}}, found {dict(partition)!r}",
                    code="sincelist.partition",
                )
            if offset is not None:
                _position(offset)
        return False


class SinceListSourceTask(SourceTask):
    """Reads a page at each poll."""

    def __init__(self):
        self._stopping = threading.Event()
        self._at = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._list = config["api.list"]
        self._url = f"{config['api.url'].rstrip('/')}/{quote(self._list, safe='')}"
        self._token = config["api.token"].value
        self._topic = config["topic"]
        self._size = config["page.size"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._timeout_s = config["request.timeout.ms"] / 1000
        self._partition = {"list": self._list}
        stored = self.context.offset_storage_reader.offset(self._partition)
        self._at = _position(stored) if stored else None

    def poll(self):
        if self._stopping.is_set():
            return None
        try:
            items = self._page()
        except RetriableError:
            self._stopping.wait(self._pause_s)
            raise
        if not items:
            self._stopping.wait(self._pause_s)
            return None
        records, at = [], self._at
        for item in items:
            try:
                record, at = self._record(item, at)
            except DataError:
                if not records:
                    raise
                break  # those before it first
            records.append(record)
        self._at = _position(records[-1].source_offset)
        return records

    def stop(self):
        self._stopping.set()

    def _page(self):
        """The items behind the position."""
        query = {"limit": self._size}
        if self._at is not None:
            query["since"], query["after"] = self._at
        answer = self._ask(f"{self._url}?{urlencode(query)}")
        items = answer.get("items") if isinstance(answer, dict) else None
        if not isinstance(items, list):
            raise DataError(
                f"the answer of {self._url} has no list of items", code="sincelist.answer"
            )
        return items

    def _ask(self, url):
        request = urllib.request.Request(
            url, headers={"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                body = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error) from error
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"{self._url} cannot be reached: {error!r}",
                code="sincelist.unreachable",
                facts={"url": self._url},
            ) from error
        try:
            return json.loads(body.decode("utf-8"), parse_float=Decimal)
        except ValueError as error:
            raise DataError(
                f"{self._url} answered something other than JSON: {error}",
                code="sincelist.json",
                facts={"url": self._url},
            ) from error

    def _refused(self, error):
        kind = RetriableError if error.code in BUSY else ConnectError
        return kind(
            f"{self._url} answered {error.code} {error.reason}",
            code="sincelist.status",
            facts={"url": self._url, "status": error.code},
        )

    def _record(self, item, before):
        """The record of an item, and the position behind it."""
        at = _place(item)
        if at is None:
            raise DataError(
                f"an item of {self._list} needs whole numbers id and updated, found"
                f" {str(item)[:200]!r} behind {before}",
                code="sincelist.place",
            )
        if before is not None and at <= before:
            raise DataError(
                f"{self._list} is not in order: item {at} follows {before}", code="sincelist.order"
            )
        updated, number = at
        try:
            value = _contact(item)
        except (KeyError, TypeError, InvalidOperation, DataError) as error:
            raise DataError(
                f"item {number} of {self._list} is not a contact: {error!r}",
                code="sincelist.item",
                facts={"list": self._list, "id": number},
            ) from error
        record = SourceRecord(
            dict(self._partition),
            {"updated": updated, "id": number},
            self._topic,
            value,
            CONTACT,
            key=number,
            key_schema=INT64_SCHEMA,
            timestamp=updated,
        )
        return record, at


def _place(item):
    """When an item was changed, and its number."""
    if not isinstance(item, dict):
        return None
    place = item.get("updated"), item.get("id")
    return place if all(_is_count(each) for each in place) else None


def _contact(item):
    value = Struct(CONTACT)
    value["name"] = item["name"]
    value["balance"] = _amount(item["balance"])
    value["orders"] = item["orders"]
    value["active"] = item["active"]
    value["note"] = item.get("note")
    value.validate()
    return value


def _amount(text):
    """An amount, which the service sends as text, with the scale of the schema."""
    if not isinstance(text, str):
        raise TypeError(f"a balance must be text, found {type(text).__name__} {text!r}")
    amount = Decimal(text)
    if not amount.is_finite() or -amount.as_tuple().exponent > SCALE:
        raise TypeError(f"a balance has {SCALE} digits behind the point, found {text!r}")
    digits = amount.as_tuple()
    missing = digits.exponent + SCALE
    return Decimal((digits.sign, digits.digits + (0,) * missing, -SCALE))


def _position(offset):
    """The position in a stored offset, which an operator may have changed."""
    if set(offset) != {"updated", "id"} or not all(_is_count(each) for each in offset.values()):
        raise ConnectError(
            f"an offset must be {{'updated': milliseconds, 'id': number}}, found {dict(offset)!r}",
            code="sincelist.offset",
        )
    return offset["updated"], offset["id"]


def _is_count(value):
    return type(value) is int and 0 <= value < 2**63
