"""Reads the events of projects from a web service, page by page.

The service gives out access tokens for a client's id and secret (OAuth 2.0, client credentials),
answers ``GET /projects/{project}/events?after=…&limit=…`` with a list of events in the order of
their numbers, and names the next page in the header ``Link``. A page leaves out events that the
client may not see, so it can be short, or empty, with more to come behind it.
"""

from __future__ import annotations

import base64
import datetime as dt
import http.client
import json
import re
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import quote, urlencode, urljoin, urlsplit

from plugwright import (
    BOOLEAN_SCHEMA,
    FLOAT64_SCHEMA,
    INT32_SCHEMA,
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
    group_partitions,
)

VERSION = "1.0.0"
BUSY = {408, 425, 500, 502, 503, 504}
LONGEST_PAUSE_S = 3600
NEXT = re.compile(r'<([^>]*)>\s*;(?:[^,]*;)?\s*rel="?next"?')
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
EVENT = (
    SchemaBuilder.struct()
    .name("newsloop.Event")
    .field("title", STRING_SCHEMA)
    .field("votes", INT32_SCHEMA)
    .field("rating", FLOAT64_SCHEMA)
    .field("pinned", BOOLEAN_SCHEMA)
    .field("author", OPTIONAL_STRING_SCHEMA)
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
            code="newsloop.url",
        )


def _check_projects(name, value):
    good = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
    if not good or not all(value) or len(set(value)) < len(value):
        raise ConfigError(
            f"{name} must be names, at least one and none twice", code="newsloop.projects"
        )


def _check_secret(name, value):
    text = getattr(value, "value", None)
    if not isinstance(text, str) or not text or not text.isprintable():
        raise ConfigError(f"{name} must be printable text", code="newsloop.secret")


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
        "api.projects",
        ConfigType.LIST,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_projects, lambda: "distinct names"),
        documentation="Projects whose events to read.",
    )
    .define(
        "client.id",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyStringWithoutControlChars(),
        documentation="The client as which to ask for access tokens.",
    )
    .define(
        "client.secret",
        ConfigType.PASSWORD,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(_check_secret, lambda: "printable text"),
        documentation="Secret of the client.",
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
        default=100,
        importance=Importance.MEDIUM,
        validator=Range.between(1, 1000),
        documentation="How many events to ask for at a time.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=2000,
        importance=Importance.LOW,
        validator=Range.between(1, 600_000),
        documentation="How long to wait when there was nothing new, or the service was busy.",
    )
    .define(
        "request.timeout.ms",
        ConfigType.INT,
        default=15_000,
        importance=Importance.LOW,
        validator=Range.between(1, 120_000),
        documentation="How long to wait for the service.",
    )
)


class NewsLoopSourceConnector(SourceConnector):
    """Divides the projects among the tasks."""

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
        return NewsLoopSourceTask

    def task_configs(self, max_tasks):
        projects = CONFIG.parse(self._props)["api.projects"]
        groups = group_partitions(projects, min(max_tasks, len(projects)))
        return [{**self._props, "api.projects": ",".join(group)} for group in groups]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"project"} or not isinstance(partition["project"], str):
                raise ConnectError(
                    f"a source partition must be {{'project': name}}, found {dict(partition)!r}",
                    code="newsloop.partition",
                )
            if offset is not None:
                _position(offset)
        return False


class NewsLoopSourceTask(SourceTask):
    """Asks for one page of a project after the other, and for the projects in turn."""

    def __init__(self):
        self._stopping = threading.Event()

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self._api = Api(config)
        self._topic = config["topic"]
        self._size = config["page.size"]
        self._pause_s = config["poll.interval.ms"] / 1000
        self._at, self._next = {}, {}
        for project in config["api.projects"]:
            stored = self.context.offset_storage_reader.offset({"project": project})
            self._at[project] = _position(stored) if stored else 0
        self._turns = list(self._at)

    def poll(self):
        if self._api.closed_for_s() > 0:
            self._stopping.wait(min(self._pause_s, self._api.closed_for_s()))
            return None
        try:
            for project in list(self._turns):
                records = self._records(project)
                if records:
                    self._turns.remove(project)
                    self._turns.append(project)  # the others first, next time
                    return records
        except Limited:
            return None
        except RetriableError:
            self._stopping.wait(self._pause_s)
            raise
        self._stopping.wait(self._pause_s)
        return None

    def stop(self):
        self._stopping.set()

    def _records(self, project):
        """The records of the next page that has any events."""
        url = self._next.pop(project, None)
        if url is None:
            query = urlencode({"after": self._at[project], "limit": self._size})
            url = f"{self._api.url}/projects/{quote(project, safe='')}/events?{query}"
        while not self._stopping.is_set():
            events, following = self._api.page(url)
            records = []
            for event in events:
                last = records[-1].source_offset["event"] if records else self._at[project]
                try:
                    records.append(self._record(project, event, last))
                except DataError:
                    if not records:
                        raise
                    following = None
                    break  # those before it first
            if records:
                self._at[project] = records[-1].source_offset["event"]
                self._next[project] = following
                return records
            if following is None:
                break
            url = following
        return []

    def _record(self, project, event, last):
        try:
            number = event["id"]
            if type(number) is not int or not last < number < 2**63:
                raise ValueError(f"number {number!r} cannot follow {last}")
            at = dt.datetime.fromisoformat(event["created_at"])
            if at.tzinfo is None:
                raise ValueError(f"the time {event['created_at']} needs a zone")
            value = Struct(EVENT)
            value["title"] = event["title"]
            value["votes"] = event["votes"]
            value["rating"] = _number(event["rating"])
            value["pinned"] = event["pinned"]
            value["author"] = event.get("author")
        except (KeyError, TypeError, ValueError, AttributeError, DataError) as error:
            raise DataError(
                f"the event behind {last} of project {project} cannot be read: {error!r}",
                code="newsloop.event",
                facts={"project": project, "after": last},
            ) from error
        return SourceRecord(
            {"project": project},
            {"event": number},
            self._topic,
            value,
            EVENT,
            key=number,
            key_schema=INT64_SCHEMA,
            timestamp=(at - EPOCH) // dt.timedelta(milliseconds=1),
        )


class Limited(Exception):
    """The service asks for a pause."""


class Api:
    """The service, with an access token that is renewed when it has expired."""

    def __init__(self, config):
        self.url = config["api.url"].rstrip("/")
        self._client = config["client.id"]
        self._secret = config["client.secret"].value
        self._timeout_s = config["request.timeout.ms"] / 1000
        self._pause_s = config["poll.interval.ms"] / 1000
        self._token = None
        self._renew_at = 0.0
        self._open_at = 0.0

    def closed_for_s(self):
        """How long the service does not want to be asked."""
        return max(0.0, self._open_at - time.monotonic())

    def page(self, url):
        """The events of a page, and the address of the next one, if there is one."""
        for renewed in (False, True):
            if self._token is None or time.monotonic() >= self._renew_at:
                self._renew()
            try:
                headers, events = self._ask(url, {"Authorization": f"Bearer {self._token}"})
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 401 and not renewed:
                        self._token = None  # it has expired earlier than was said
                        continue
                    raise self._refused(url, error) from error
            if not isinstance(events, list):
                raise DataError(f"{url} answered something other than a list", code="newsloop.page")
            return events, self._following(url, headers)
        return [], None

    def _following(self, url, headers):
        found = NEXT.search(", ".join(headers.get_all("Link", [])))
        if found is None:
            return None
        following = urljoin(url, found[1])
        if urlsplit(following)[:2] != urlsplit(self.url)[:2]:
            raise ConnectError(
                f"{url} names a next page of another service, {following}", code="newsloop.link"
            )
        return following

    def _renew(self):
        """Ask for a new access token."""
        url = f"{self.url}/oauth/token"
        form = urlencode({"grant_type": "client_credentials"})
        pair = f"{quote(self._client, safe='')}:{quote(self._secret, safe='')}"
        login = base64.b64encode(pair.encode("ascii")).decode("ascii")
        try:
            _, answer = self._ask(url, {"Authorization": f"Basic {login}"}, form.encode("ascii"))
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(url, error) from error
        token = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(token, str) or not token:
            raise ConnectError(f"{url} answered without an access token", code="newsloop.token")
        life_s = answer.get("expires_in")
        life_s = life_s if isinstance(life_s, int | float) and life_s > 0 else 300
        self._token, self._renew_at = token, time.monotonic() + 0.9 * life_s

    def _ask(self, url, headers, data=None):
        request = urllib.request.Request(
            url, data=data, headers={"Accept": "application/json", **headers}
        )
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                found, body = answer.headers, answer.read()
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise RetriableError(
                f"{url} cannot be reached: {error!r}",
                code="newsloop.unreachable",
                facts={"url": url},
            ) from error
        try:
            return found, json.loads(body.decode("utf-8"))
        except ValueError as error:
            raise DataError(
                f"{url} answered something other than JSON: {error}",
                code="newsloop.json",
                facts={"url": url},
            ) from error

    def _refused(self, url, error):
        if error.code == 429 or _is_exhausted(error):
            wait = error.headers.get("Retry-After") or ""
            wait_s = int(wait) if wait.isdecimal() else self._pause_s
            self._open_at = time.monotonic() + min(wait_s, LONGEST_PAUSE_S)
            return Limited(f"{url} asks for a pause of {wait_s} s")
        kind = RetriableError if error.code in BUSY else ConnectError
        return kind(
            f"{url} answered {error.code} {error.reason} to client {self._client}",
            code="newsloop.status",
            facts={"url": url, "status": error.code},
        )


def _is_exhausted(error):
    """Whether an answer means that no requests are left, as some services say with 403."""
    return error.code == 403 and error.headers.get("X-RateLimit-Remaining") == "0"


def _number(content):
    if isinstance(content, bool) or not isinstance(content, int | float):
        raise TypeError(f"a rating must be a number, found {type(content).__name__}")
    return float(content)


def _position(offset):
    """The position in a stored offset, which an operator may have changed."""
    number = offset.get("event")
    if set(offset) != {"event"} or type(number) is not int or not 0 <= number < 2**63:
        raise ConnectError(
            f"an offset must be {{'event': number}}, found {dict(offset)!r}",
            code="newsloop.offset",
        )
    return number
