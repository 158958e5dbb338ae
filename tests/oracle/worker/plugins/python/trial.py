"""The counterpart of the Java package ``trial``: connectors that fail where configured."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from plugwright import (
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConfigValue,
    ConnectError,
    ConnectorTransactionBoundaries,
    DataError,
    ExactlyOnceSupport,
    Importance,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRecord,
    SourceTask,
    Transformation,
    Width,
)
from plugwright.config import (
    NO_DEFAULT_VALUE,
    CaseInsensitiveValidString,
    NonEmptyString,
    Range,
    ValidList,
    ValidString,
)

_VERSION = "1.2.3"
_FAIL_AT, _PARTS, _RECORDS = "fail.at", "parts", "records"
_WAIT_AT, _WAIT_FOR = "wait.at", "wait.for"


def _common():
    return (
        ConfigDef()
        .define(
            _PARTS,
            ConfigType.INT,
            1,
            Importance.MEDIUM,
            "How many tasks there are.",
            validator=Range.at_least(0),
        )
        .define(_FAIL_AT, ConfigType.STRING, "", Importance.LOW, "Where to fail.")
        .define(_WAIT_AT, ConfigType.STRING, "", Importance.LOW, "Where to wait for the file.")
        .define(_WAIT_FOR, ConfigType.STRING, "", Importance.LOW, "The file to wait for.")
    )


def _maybe_wait(props, place):
    if props.get(_WAIT_AT) == place:
        while not Path(props[_WAIT_FOR]).exists():
            time.sleep(0.02)


def _maybe_fail(props, place):
    if props.get(_FAIL_AT) == place:
        raise ConnectError(f"failed at {place}", code="trial.failed")


def _task_configs(props):
    return [{**props, "part": str(part)} for part in range(int(props.get(_PARTS, "1")))]


class TrialSourceConnector(SourceConnector):
    """Writes numbered lines: so many records, in so many tasks."""

    def version(self):
        """Of this location."""
        return _VERSION

    def config(self):
        """Where to write what."""
        return (
            _common()
            .define(
                "topic",
                ConfigType.STRING,
                NO_DEFAULT_VALUE,
                Importance.HIGH,
                "The topic to write to.",
                validator=NonEmptyString(),
            )
            .define(
                _RECORDS, ConfigType.INT, 0, Importance.MEDIUM, "How many records each task writes."
            )
        )

    def validate(self, props):
        """Fail if configured to."""
        _maybe_fail(props, "validate")
        return super().validate(props)

    def start(self, props):
        """Fail if configured to, now or a little later."""
        self.props = dict(props)
        _maybe_wait(props, "start")
        _maybe_fail(props, "start")
        if props.get(_FAIL_AT) == "later":
            threading.Thread(target=self._fail_later, daemon=True).start()

    def _fail_later(self):
        _maybe_wait({**self.props, _WAIT_AT: "later"}, "later")
        self.context.raise_error(RuntimeError("failed later"))

    def task_class(self):
        """The one that writes."""
        return TrialSourceTask

    def task_configs(self, max_tasks):
        """As many as configured, whatever the limit."""
        _maybe_fail(self.props, "task.configs")
        return _task_configs(self.props)

    def stop(self):
        """Nothing is held."""

    def exactly_once_support(self, props):
        """Unless configured otherwise."""
        unsupported = props.get(_FAIL_AT) == "exactly.once"
        return ExactlyOnceSupport.UNSUPPORTED if unsupported else ExactlyOnceSupport.SUPPORTED

    def can_define_transaction_boundaries(self, props):
        """It does not."""
        return ConnectorTransactionBoundaries.UNSUPPORTED

    def alter_offsets(self, props, offsets):
        """Refuse if configured to."""
        _maybe_fail(props, "offsets")
        reported = props.get(_FAIL_AT)
        if reported == "offsets.refused":
            raise ConfigError(f"Invalid value {reported} for configuration {_FAIL_AT}: refused")
        if reported == "offsets.unsupported":
            raise NotImplementedError("not here")
        return reported != "offsets.ignored"


class TrialSourceTask(SourceTask):
    """One part of the lines."""

    def version(self):
        """Of this location."""
        return _VERSION

    def start(self, props):
        """Go on where it stopped."""
        self.props = dict(props)
        _maybe_wait(props, "task.start")
        _maybe_fail(props, "task.start")
        if props["part"] == "0":
            _maybe_fail(props, "first.task.start")
        self.partition = {"part": props["part"]}
        offset = self.context.offset_storage_reader.offset(self.partition)
        self.next = int(offset["count"]) if offset else 0
        self.end = int(props.get(_RECORDS, "0"))

    def poll(self):
        """All that is left at once."""
        _maybe_fail(self.props, "task.poll")
        records = []
        while self.next < self.end:
            line = f"line {self.next}"
            self.next += 1
            offset, topic = {"count": self.next}, self.props["topic"]
            records.append(SourceRecord(self.partition, offset, topic, line, STRING_SCHEMA))
        if not records:
            time.sleep(0.05)
            return None
        return records

    def stop(self):
        """Nothing is held."""


class TrialSinkConnector(SinkConnector):
    """Takes every record and does nothing with it."""

    def version(self):
        """Of this location."""
        return _VERSION

    def config(self):
        """Only what all have."""
        return _common()

    def start(self, props):
        """Fail if configured to."""
        self.props = dict(props)
        _maybe_wait(props, "start")
        _maybe_fail(props, "start")

    def task_class(self):
        """The one that takes."""
        return TrialSinkTask

    def task_configs(self, max_tasks):
        """As many as configured, whatever the limit."""
        _maybe_fail(self.props, "task.configs")
        return _task_configs(self.props)

    def stop(self):
        """Nothing is held."""

    def alter_offsets(self, props, offsets):
        """Refuse if configured to; else it knows nothing of them."""
        _maybe_fail(props, "offsets")
        return props.get(_FAIL_AT) == "offsets.known"


class TrialSinkTask(SinkTask):
    """Takes its records."""

    def version(self):
        """Of this location."""
        return _VERSION

    def start(self, props):
        """Fail if configured to."""
        self.props = dict(props)
        _maybe_wait(props, "task.start")
        _maybe_fail(props, "task.start")
        if props.get("part") == "0":
            _maybe_fail(props, "first.task.start")

    def put(self, records):
        """Fail if configured to."""
        if records:
            _maybe_fail(self.props, "task.put")

    def stop(self):
        """Nothing is held."""


class Unwilling(Transformation):
    """A transformation that fails where its mood says, and not before."""

    def config(self):
        """When to fail."""
        return ConfigDef().define(
            "mood", ConfigType.STRING, "good", Importance.HIGH, "When to fail."
        )

    def configure(self, props):
        """Fail if configured to."""
        self.mood = str(props.get("mood") or "good")
        if self.mood == "config":
            raise ConfigError("Invalid value config for configuration mood: failed")
        if self.mood == "configure":
            raise ConnectError("failed to be configured", code="trial.failed")

    def apply(self, record):
        """Fail if configured to."""
        if self.mood == "apply":
            raise DataError("failed to be applied", code="trial.failed")
        return None if self.mood == "drop" else record


class _ByKind:
    """Proposes what goes with the kind that is chosen, and hides what does not."""

    def valid_values(self, name, parsed):
        """Sizes."""
        return ["s", "xs"] if parsed.get("kind") == "small" else ["l", "xl"]

    def visible(self, name, parsed):
        """Where there is a kind."""
        return parsed.get("kind") != "none"


_ROWS = (
    ("flag", ConfigType.BOOLEAN, False, "Yes or no.", Width.SHORT, "Flag", None),
    ("number.short", ConfigType.SHORT, 3, "A short.", Width.SHORT, "Short", Range.between(1, 5)),
    ("number.int", ConfigType.INT, 10, "An int.", Width.SHORT, "Int", Range.at_least(0)),
    ("number.long", ConfigType.LONG, 1 << 40, "A long.", Width.SHORT, "Long", None),
    ("number.double", ConfigType.DOUBLE, 0.5, "A double.", Width.SHORT, "Double", None),
    (
        "list",
        ConfigType.LIST,
        ["a", "b"],
        "A list.",
        Width.LONG,
        "List",
        ValidList.in_("a", "b", "c"),
    ),
    ("class", ConfigType.CLASS, None, "A class.", Width.LONG, "Class", None),
)


class EveryTypeSinkConnector(SinkConnector):
    """Has a setting of every type, and checks two of them together."""

    def version(self):
        """Of this location."""
        return _VERSION

    def config(self):
        """A setting of every type."""
        definition = _connection()
        for order, (name, kind, default, text, width, label, validator) in enumerate(_ROWS, 1):
            definition.define(
                name,
                kind,
                default,
                Importance.LOW,
                text,
                validator=validator,
                group="Details",
                order_in_group=order,
                width=width,
                display_name=label,
            )
        return _kinds(definition)

    def validate(self, props):
        """What the definition says, and more if configured."""
        found = list(super().validate(props))
        if props.get("plain") == "explode":
            raise RuntimeError("failed at validate")
        if props.get("plain") == "together":
            pair = {"user", "secret"}
            text = "give user and secret together"
            found = [each.with_error(text) if each.name in pair else each for each in found]
            further = ConfigValue("further").with_error("is not known to the definition")
            return [*found, further]
        return found

    def start(self, props):
        """Nothing is started."""

    def task_class(self):
        """The one that takes."""
        return TrialSinkTask

    def task_configs(self, max_tasks):
        """As many as there may be."""
        return [{"part": str(part)} for part in range(max_tasks)]

    def stop(self):
        """Nothing is held."""


def _connection():
    rows = (
        ("url", ConfigType.STRING, NO_DEFAULT_VALUE, Importance.HIGH, "Where.", Width.LONG, "URL"),
        ("user", ConfigType.STRING, None, Importance.MEDIUM, "Who.", Width.MEDIUM, "User"),
        (
            "secret",
            ConfigType.PASSWORD,
            None,
            Importance.HIGH,
            "By which word.",
            Width.SHORT,
            "Secret",
        ),
    )
    definition = ConfigDef()
    for order, (name, kind, default, importance, text, width, label) in enumerate(rows, 1):
        definition.define(
            name,
            kind,
            default,
            importance,
            text,
            validator=NonEmptyString() if name == "url" else None,
            group="Connection",
            order_in_group=order,
            width=width,
            display_name=label,
            dependents=("user",) if name == "url" else (),
        )
    return definition


def _kinds(definition):
    return (
        definition.define(
            "kind",
            ConfigType.STRING,
            "none",
            Importance.MEDIUM,
            "What kind.",
            validator=ValidString.in_("none", "small", "large"),
            group="Kinds",
            order_in_group=1,
            width=Width.SHORT,
            display_name="Kind",
            dependents=("size",),
        )
        .define(
            "size",
            ConfigType.STRING,
            "",
            Importance.MEDIUM,
            "What size.",
            group="Kinds",
            order_in_group=2,
            width=Width.SHORT,
            display_name="Size",
            recommender=_ByKind(),
        )
        .define(
            "case",
            ConfigType.STRING,
            "one",
            Importance.LOW,
            "Any case.",
            validator=CaseInsensitiveValidString.in_("One", "Two"),
        )
        .define("plain", ConfigType.STRING, "", Importance.LOW, "Nothing special.")
    )
