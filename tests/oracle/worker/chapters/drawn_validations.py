"""Validations drawn by lot: several odd settings at once, and values that no other chapter has."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.chapters.plugins import CONVERTERS, PREDICATES, TRANSFORMATIONS
from tests.oracle.worker.steps import STANDALONE, Chapter, Step, put, show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CHAPTERS"]

_ONLY = (STANDALONE,)
_VERSIONS = ("", " ", "1", "[,]", "(,1.0]", "latest", "LATEST", "[1,2", "1.0.0-beta", None)
_NUMBERS = ("0x10", " 3 ", "+2", "1e2", "-0", "", None, True, 3.7, "2147483647", "1_000", "٣")
_BOOLEANS = ("True", " true ", "1", "no", "", None, False, 0)
_COMMON: Mapping[str, Sequence[Any]] = {
    "name": (7, True, "a/b", "n" * 300, "\t", "x y"),
    "tasks.max": _NUMBERS,
    "tasks.max.enforce": _BOOLEANS,
    "connector.plugin.version": _VERSIONS,
    "key.converter": (*CONVERTERS, "JsonConverter", "Json", "LongConverter", "TrialSource", " "),
    "key.converter.schemas.enable": _BOOLEANS,
    "key.converter.plugin.version": _VERSIONS,
    "value.converter": ("StringConverter", "ByteArrayConverter", "SimpleHeaderConverter", 5),
    "value.converter.plugin.version": _VERSIONS,
    "header.converter": ("StringConverter", "SimpleHeaderConverter", "LongConverter", "Nope", None),
    "header.converter.plugin.version": _VERSIONS,
    "errors.retry.timeout": _NUMBERS,
    "errors.retry.delay.max.ms": _NUMBERS,
    "errors.tolerance": ("all", "All", "none ", None, True),
    "errors.log.enable": _BOOLEANS,
    "errors.log.include.messages": _BOOLEANS,
    "config.action.reload": ("RESTART", "none", "", None),
    "producer.override.batch.size": ("-5", "x", 100),
    "producer.override.linger.ms": ("x", "5"),
    "producer.override.compression.type": ("nope", "gzip"),
    "producer.override.": ("x",),
    "consumer.override.fetch.min.bytes": ("x", "7"),
    "consumer.override.group.id": ("mine",),
    "admin.override.retries": ("x", "3", "-1"),
    "admin.override.bootstrap.servers": ("nowhere:1", ""),
    "unknown.setting": ("x", None, 1.25),
    "": ("x", ""),
}
_SOURCES: Mapping[str, Sequence[Any]] = {
    "exactly.once.support": ("Requested", " required", None),
    "transaction.boundary": ("POLL", "Interval", None),
    "transaction.boundary.interval.ms": ("-1", "", "5", None),
    "offsets.storage.topic": ("a b", None, 9),
    "topic.creation.groups": ("a, b", "a,,b", None, "x,default"),
    "topic.creation.default.replication.factor": ("-1", "3", "1.5", None),
    "topic.creation.default.partitions": ("-1", "2", None),
    "topic.creation.default.cleanup.policy": ("compact", "nope"),
    "topic.creation.a.include": ("a.*", "(", ""),
    "topic.creation.a.partitions": ("5", "none"),
    "topic.creation.a.replication.factor": ("2", "none"),
}
_SINKS: Mapping[str, Sequence[Any]] = {
    "topics": ("a", " ", "a,b,a", ",", None, "a b", 3),
    "topics.regex": ("[", "a", " ", None, "(?i)x", "*"),
    "errors.deadletterqueue.topic.name": ("a", "dead", None, "a b"),
    "errors.deadletterqueue.topic.replication.factor": ("-1", "", None, "40000"),
    "errors.deadletterqueue.context.headers.enable": _BOOLEANS,
}
_EVERY: Mapping[str, Sequence[Any]] = {
    "url": ("ü", 5, "\n"),
    "flag": _BOOLEANS,
    "number.short": ("-5", "3.0", " 4"),
    "number.int": _NUMBERS,
    "number.long": ("", "-1", "1.0", None),
    "number.double": ("", "Infinity", "1d", "0x1p3", None, "1,5"),
    "list": ("a,,b", "b,a", "A", " ", "a,b,c,d", 1),
    "class": ("StringConverter", "trial.TrialSinkConnector", "java.util.ArrayList", 1),
    "kind": (" none", "NONE", "small ", True),
    "case": ("Two", "ONE ", "", 1),
    "size": ("xl", "", None, "m"),
    "plain": ("", None, 0),
    "secret": (5, " "),
}
_FILES: Mapping[str, Sequence[Any]] = {
    "file": ("", None, 1, "/"),
    "batch.size": _NUMBERS,
    "topic": (None, " ", 5, "a b"),
}
_PLUGINS: Sequence[tuple[dict[str, Any], Mapping[str, Sequence[Any]]]] = (
    ({"connector.class": "FileStreamSource", "file": "f", "topic": "t"}, _SOURCES | _FILES),
    ({"connector.class": "trial.TrialSourceConnector", "topic": "t"}, _SOURCES),
    ({"connector.class": "FileStreamSinkConnector", "topics": "t"}, _SINKS | {"file": ("", None)}),
    ({"connector.class": "TrialSink", "topics": "t"}, _SINKS),
    ({"connector.class": "EveryTypeSink", "topics": "t", "url": "u"}, _SINKS | _EVERY),
    ({"connector.class": "EveryTypeSink", "topics": "t", "url": "u"}, _EVERY),
    ({"connector.class": "VersionedSink", "topics": "t"}, _SINKS),
)


def _validated(config: Mapping[str, Any]) -> Step:
    return put(f"/connector-plugins/{config['connector.class']}/config/validate", dict(config))


def _settings() -> list[Step]:
    draw = random.Random(1801)  # noqa: S311  # nothing to guess
    found = []
    for _ in range(110):
        base, own = draw.choice(_PLUGINS)
        config = {"name": "drawn", **base}
        for pool in draw.choices((_COMMON, own), k=draw.randrange(1, 4)):
            key = draw.choice(list(pool))
            config[key] = draw.choice(pool[key])
        found.append(_validated(config))
    return found


_OF_STAGES: Mapping[str, Sequence[Any]] = {
    "field": ("a", "", "a.b", None),
    "fields": ("a", "a,b", "", "a,a"),
    "spec": ("int8", "a:boolean", "a:b:c", ":", "float64,int8"),
    "delimiter": ("", "-", "ü"),
    "regex": ("", "(a", "a{2}", None),
    "replacement": ("", "$9", None),
    "headers": ("a", "", "a,b"),
    "operation": ("copy", "Move", "", None),
    "target.type": ("Date", "string", "", "timestamp"),
    "format": ("yyyy", "", "q"),
    "unix.precision": ("seconds", "Seconds", ""),
    "header": ("a", ""),
    "value.literal": ("", "1", None),
    "schema.version": ("-1", "", "1"),
    "timestamp.field": ("t", "t?", "!"),
    "static.field": ("s", None),
    "include": ("a", ""),
    "exclude": ("a", ""),
    "renames": ("a:b", "a", ":"),
    "replace.null.with.default": _BOOLEANS,
    "predicate": ("p", "q", "", None),
    "negate": _BOOLEANS,
    "plugin.version": _VERSIONS,
    "odd": ("x",),
}


def _stages() -> list[Step]:
    draw = random.Random(1802)  # noqa: S311
    found = []
    for _ in range(70):
        config: dict[str, Any] = {"name": "drawn", **draw.choice(_PLUGINS)[0]}
        names = draw.sample(("a", "b", "c"), draw.randrange(1, 3))
        config["transforms"] = ", ".join(names)
        for name in names:
            config[f"transforms.{name}.type"] = draw.choice((*TRANSFORMATIONS, "Cast$Key", "Nope"))
            for key in draw.sample(list(_OF_STAGES), draw.randrange(1, 4)):
                config[f"transforms.{name}.{key}"] = draw.choice(_OF_STAGES[key])
        if draw.random() < 0.5:
            config["predicates"] = draw.choice(("p", "p,q", "q"))
            config["predicates.p.type"] = draw.choice((*PREDICATES, "TopicNameMatches", "Cast"))
            config["predicates.p.pattern"] = draw.choice(("a.*", "(", "", None))
            config["predicates.p.name"] = draw.choice(("h", "", None))
        found.append(_validated(config))
    return found


_NAMES = (
    *CONVERTERS,
    "VersionedSink",
    "EveryTypeSink",
    "FileStreamSource",
    "RegexRouter",
    "TopicNameMatches",
    "trial.Unwilling",
    "Nope",
    "%20",
    "JsonConverter%20",
)


def _definitions() -> list[Step]:
    draw = random.Random(1803)  # noqa: S311
    asked = ("", "?version=1.0.0", "?version=latest", "?version=%5B1%2C2%5D", "?Version=9", "?x")
    more = ("?version=2.0.0&version=1.0.0", "?version=(", "?version=%5B2.0.0%2C)", "?version=,")
    names = draw.choices(_NAMES, k=24) + ["VersionedSink"] * 8
    return [
        show(f"/connector-plugins/{name}/config{draw.choice((*asked, *more))}") for name in names
    ]


CHAPTERS = (
    Chapter("drawn-settings", _settings(), _ONLY),
    Chapter("drawn-stages", _stages(), _ONLY),
    Chapter("drawn-definitions", _definitions(), _ONLY),
)
