"""Checks that secrets do not leak into logs, objects, messages or offsets."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import logging
import re
import threading
import traceback
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, urlsplit

from plugwright.config import AbstractConfig, ConfigType
from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.capabilities import password_keys
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import (
    PATIENCE_S,
    config_with_work,
    fresh_task,
    running_source,
)
from plugwright_conformance.checks.log_lines import attached
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    NotApplicableError,
    NotRunError,
)
from plugwright_conformance.simulator import SteppedSource
from plugwright_conformance.subject.contexts import SourceContext, sink_records
from plugwright_conformance.subject.names import HOME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.config import ConfigKey
    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.simulator import SteppedSink

SHORTEST = 6
"""Characters of a secret that can be recognized in a text."""
_GLANCE_S = 0.5
_FEW = 3
"""Turns of a sink during an outage, in each of which it may wait: its words are wanted, no more."""
_URL = re.compile(
    r"(^|[._-])(url|uri|dsn|connection([._-]?(string|url))?|endpoint)$", re.IGNORECASE
)


def _forms(secret: str) -> set[str]:
    """The secret as it may look in a text."""
    raw = secret.encode()
    encoded = base64.b64encode(raw).decode().rstrip("=")
    return {
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        raw.hex(),
        encoded,
    }


def found_in(text: str, secret: str) -> str:
    """The form in which a secret is in a text, or an empty string."""
    return next((form for form in sorted(_forms(secret)) if form in text), "")


def armed(
    bench: Bench, config: Mapping[str, str], shortest: int = SHORTEST
) -> tuple[dict[str, str], dict[str, str]]:
    """The configuration with a canary in every secret setting, and the canaries.

    A given value is its own canary, unless it has fewer characters than ``shortest``.
    """
    keys, canaries = bench.connector().config().keys, {}
    for key in password_keys(bench):
        given, number = config.get(key, ""), bench.random.getrandbits(64)
        fresh = (f"canary-{number:x}", f"canary{number:x}", f"CANARY{number:X}", f"{number:020}")
        may_be = (given, *fresh) if len(given) >= shortest else fresh
        found = next((text for text in may_be if _accepted(keys[key], text)), None)
        if found is None:
            raise NotRunError(
                f"{key} accepts no recognizable value; "
                f"set one of {SHORTEST} or more characters in conformance.toml"
            )
        canaries[key] = found
    return {**config, **canaries}, canaries


def _accepted(key: ConfigKey, text: str) -> bool:
    try:
        parsed = key.parse({key.name: text}, None)
        if key.validator is not None:
            key.validator(key.name, parsed)
    except Exception:  # noqa: BLE001  # a validator is any callable, and may refuse as it likes
        return False
    return True


@contextlib.contextmanager
def _overheard() -> Iterator[io.StringIO]:
    """Everything that is logged at any level, or printed, meanwhile."""
    text = io.StringIO()
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    levels = [(logger, logger.level) for logger in loggers]
    try:
        with (
            attached(logging.StreamHandler(text), logging.DEBUG),
            contextlib.redirect_stdout(text),
            contextlib.redirect_stderr(text),
        ):
            yield text
    finally:
        for logger, was in levels:
            logger.setLevel(was)


def _live(bench: Bench, config: Mapping[str, str], said: io.StringIO, *, refuse: Any) -> None:
    """A life with data and with every error that can be provoked; errors are written down."""

    def attempt(act: Any, *arguments: Any) -> None:
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001  # whatever it is, its text counts
            said.write("".join(traceback.format_exception(error)))

    def validate(props: Mapping[str, str]) -> None:
        values = bench.connector().validate(props)
        said.writelines(f"{list(value.error_messages)!r}\n" for value in values)

    for left_out in ("", *(key for key in config if key not in {"name", "connector.class"})):
        attempt(validate, {key: value for key, value in config.items() if key != left_out})
    made: list[SteppedSource | SteppedSink] = []
    for _ in range(1 if refuse is None else 2):
        attempt(lambda: made.append(fresh_task(bench, config, aloud=True)))
    for number, worker in enumerate(made):
        if number:
            refuse()
            attempt(fresh_task, bench, config)
        attempt(worker.step)
        _work(worker, attempt, _FEW if number else None)
        said.writelines(f"thread {thread.name}\n" for thread in threading.enumerate())
        attempt(worker.end)


def _work(worker: SteppedSource | SteppedSink, attempt: Any, turns: int | None) -> None:
    if isinstance(worker, SteppedSource):
        attempt(worker.take, 1, _GLANCE_S)
    else:
        attempt(partial(worker.put, turns=turns), sink_records(["one", "two"], HOME))
        attempt(partial(worker.commit, turns=turns))
        attempt(partial(worker.put, turns=turns), sink_records([object()], HOME))


@registered
class NoSecretLeaves(Check):
    """Secrets are sent to the endpoint and appear nowhere else."""

    id = "CON-SEC-02"
    revision = 2
    level = Level.C2
    title = "No secret leaves the process except to its endpoint"
    why = "More people read logs than may know the passwords."
    mend = "Do not log configurations, and put no PASSWORD setting into a message."
    gate = "SECRET"
    origin = "K-err; kafka#5868; CAT (empty body there)"
    skips_waits = True

    def run(self, bench: Bench) -> Evidence:
        """Live with canaries and errors; search logs, output and tracebacks in several forms."""
        with bench.endpoint() as endpoint, _overheard() as said:
            if bench.subject.kind == "source":
                endpoint.driver.seed(bench.ledger().enter(3))
            config, canaries = armed(bench, bench.config(endpoint))
            _live(bench, config, said, refuse=lambda: endpoint.driver.hook("refuse"))
        text = said.getvalue()
        for key, secret in canaries.items():
            if form := found_in(text, secret):
                line = next(line for line in text.splitlines() if form in line)
                raise CheckFailedError(
                    expected=f"the value of {key} nowhere",
                    observed=f"in: {line.replace(form, '<secret>').strip()[:120]}",
                    scenario="all logs, output, tracebacks and threads, including provoked errors",
                )
        return Evidence(len(canaries), figures={"searched": len(text)})


def _shown(thing: object) -> Iterator[str]:
    """The printed form of an object and of its attributes."""
    yield f"{thing!r} {thing}"
    own = type(thing).__module__.partition(".")[0]
    for value in vars(thing).values() if hasattr(thing, "__dict__") else ():
        if isinstance(value, AbstractConfig) or type(value).__module__.partition(".")[0] == own:
            yield f"{value!r} {value}"


@registered
class SecretsAreMasked(Check):
    """Printed objects do not show secrets."""

    id = "CON-SEC-03"
    level = Level.C2
    title = "Masked when shown: str, repr, configuration and task configuration"
    why = "Debuggers and error trackers print objects."
    mend = "Keep the Password object, read .value where you use it, and exclude it from __repr__."
    gate = "SECRET"
    origin = "K-dev; kafka#5868"
    skips_waits = True

    def run(self, bench: Bench) -> Evidence:
        """Print connector, task and parsed configuration; look for canaries."""
        with bench.endpoint() as endpoint:
            config, canaries = armed(bench, config_with_work(bench, endpoint))
            parsed = bench.connector().config().parse(config)
            with bench.started_connector(config) as connector:
                worker = fresh_task(bench, config)
                with suppress(Exception):  # its password may be checked; it shows what it shows
                    worker.step()
                texts = {
                    "the connector": " ".join(_shown(connector)),
                    "the task": " ".join(_shown(worker.task)),
                    "the parsed configuration": repr(parsed),
                }
                with suppress(Exception):
                    worker.end()
        for what, text in texts.items():
            for key, secret in canaries.items():
                if found_in(text, secret):
                    raise CheckFailedError(
                        expected=f"{key} masked", observed=f"its value, when {what} is printed"
                    )
        return Evidence(len(texts) * len(canaries))


@registered
class UrlCredentialsAreMasked(Check):
    """Credentials in URLs are masked like passwords."""

    id = "CON-SEC-04"
    revision = 2
    level = Level.C2
    title = "Credentials inside URLs are masked too"
    why = "Connection strings with user and password appear in every message about the connection."
    mend = "Put host and port into messages, never the whole URL."
    gate = "SECRET"
    origin = "jdbc#791; solace#30"
    skips_waits = True

    def run(self, bench: Bench) -> Evidence:
        """Put a canary into each URL, live with errors, and search."""
        urls = _url_keys(bench)
        if not urls:
            raise NotApplicableError("no setting contains a URL")
        secret = f"canary{bench.random.getrandbits(64):x}"
        with bench.endpoint() as endpoint, _overheard() as said:
            if bench.subject.kind == "source":
                endpoint.driver.seed(bench.ledger().enter(3))
            config = bench.config(endpoint)
            good = {**config, **{key: _with_password(config.get(key, ""), secret) for key in urls}}
            bad = {**config, **{key: _of_no_kind(good[key]) for key in urls}}
            _live(bench, good, said, refuse=lambda: endpoint.driver.hook("refuse"))
            _live(bench, bad, said, refuse=None)
        text = said.getvalue()
        if form := found_in(text, secret):
            line = next(line for line in text.splitlines() if form in line)
            raise CheckFailedError(
                expected=f"the credentials of {', '.join(urls)} nowhere",
                observed=f"in: {line.replace(form, '<secret>').strip()[:120]}",
                scenario="a URL with user and password, correct and wrong",
            )
        return Evidence(len(urls), figures={"searched": len(text)})


def _url_keys(bench: Bench) -> list[str]:
    """The settings that take a URL, by their names."""
    keys = bench.connector().config().keys.values()
    return [key.name for key in keys if key.type is ConfigType.STRING and _URL.search(key.name)]


def _is_refused(bench: Bench, config: Mapping[str, str], key: str) -> bool:
    """Whether validation or a start refuses a setting, such as a URL with a password."""
    values = bench.connector().validate(config)
    if any(value.error_messages for value in values if value.name == key):
        return True
    try:
        with running_source(bench, config, SourceContext()):
            return False
    except ConnectError:
        return True


def _with_password(url: str, secret: str) -> str:
    parts = urlsplit(url or "tcp://localhost:1")
    host = parts.hostname or "localhost"
    place = f"{host}:{parts.port}" if parts.port else host
    return parts._replace(netloc=f"user:{secret}@{place}").geturl()


def _of_no_kind(url: str) -> str:
    return urlsplit(url)._replace(scheme="nonesuch").geturl()


@registered
class NoSecretInOffsets(Check):
    """Offsets, source partitions and headers contain no secrets."""

    id = "CON-SEC-09"
    revision = 4
    level = Level.C3
    title = "No secret in offsets, partition maps or record headers"
    why = "Every operator can read the offsets topic, and it is kept for ever."
    mend = "Identify the data in the source partition, not the connection to it."
    gate = "SECRET"
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Search what a source asks to be stored."""
        if bench.subject.kind == "sink":
            raise NotApplicableError("a sink's offsets are Kafka's own")
        secret = f"canary{bench.random.getrandbits(64):x}"
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(bench.ledger().enter(5))
            config, canaries = armed(bench, bench.config(endpoint))
            urls: dict[str, str] = {}
            for key in _url_keys(bench):
                url = _with_password(config.get(key, ""), secret)
                if not _is_refused(bench, {**config, **urls, key: url}, key):
                    urls[key] = url
            records, lookups = self._read(bench, config | urls)
            if records:
                canaries |= dict.fromkeys(urls, secret)
            elif urls:  # with a password, an address may lead to something else
                records, lookups = self._read(bench, config)
        if not records:
            raise NotRunError("the source returned no records with this configuration")
        for record in records:
            text = repr((record.source_partition, record.source_offset, record.headers))
            for key, canary in canaries.items():
                if found_in(f"{text} {lookups}", canary):
                    raise CheckFailedError(
                        expected=f"offsets without {key}",
                        observed=f"its value in {text[:100].replace(canary, '<secret>')}",
                    )
        return Evidence(len(records) * max(len(canaries), 1))

    @staticmethod
    def _read(bench: Bench, config: Mapping[str, str]) -> tuple[Sequence[SourceRecord], str]:
        """The records, and the partitions whose offsets the task has looked up."""
        context = SourceContext()
        with running_source(bench, config, context) as task:
            return task.take(5, PATIENCE_S), str(context.lookups)
