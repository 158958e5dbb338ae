"""Whole configurations drawn by lot, with several stages, converters and wrong settings at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.chapters.plugins import CONVERTERS, PREDICATES, TRANSFORMATIONS
from tests.oracle.worker.steps import Chapter, Step, put, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CHAPTERS"]

_BASES: Sequence[Mapping[str, Any]] = (
    {"connector.class": "FileStreamSource", "topic": "t", "file": "f"},
    {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "topics": "t"},
    {"connector.class": "TrialSourceConnector", "topic": "t"},
    {"connector.class": "trial.TrialSinkConnector", "topics.regex": "t.*"},
    {"connector.class": "EveryType", "topics": "a,b", "url": "u"},
    {"connector.class": "VersionedSink", "topics": "t", "connector.plugin.version": "1.0.0"},
)
_ANY: Mapping[str, Sequence[Any]] = {
    "tasks.max": ("4", "-3", "1000000", "\uff11", "0b1"),
    "tasks.max.enforce": ("false", "FALSE", "null"),
    "config.action.reload": ("restart", "Restart "),
    "errors.tolerance": ("all", "none", "NONE"),
    "errors.retry.timeout": ("-1", "-2", "9223372036854775807", "9223372036854775808"),
    "errors.retry.delay.max.ms": ("0", "-1", "60000.0"),
    "errors.log.enable": ("true", "TRUE ", "y"),
    "errors.log.include.messages": ("true", "\tfalse"),
    "transforms": ("a , b", "a,b,,c", "A,a", "a b"),
    "predicates": ("p,,q", "p p", "P,p"),
    "key.converter.plugin.version": ("[@VERSION@,)", "(,@VERSION@)", "@VERSION@ "),
    "value.converter": (*CONVERTERS[:4], "BooleanConverter", "Boolean"),
    "value.converter.plugin.version": ("@VERSION@", "[1,2],[3,4]"),
    "header.converter": ("Simple", "StringConverter", *CONVERTERS[5:8]),
    "producer.override.max.request.size": ("-1", "1", "x"),
    "producer.override.acks": ("all", "2", "-1"),
    "producer.override.interceptor.classes": ("Nope", ""),
    "consumer.override.auto.offset.reset": ("none", "latest", "sometimes", "by_duration:PT1H"),
    "consumer.override.max.poll.records": ("0", "10"),
    "consumer.override.bootstrap.servers": ("x", ""),
    "admin.override.default.api.timeout.ms": ("-5", "x", "10"),
    "offsets.storage.topic": ("o", "a/b"),
    "${x}": ("y",),
    "name": ("${file:@DIR@/third.properties:name}", "_", "a,b", "\u200b", "n\u0001m"),
}
_SOURCES: Mapping[str, Sequence[Any]] = {
    "topic.creation.groups": ("a,b", "a ,default", "b,a,b", "inclusive"),
    "topic.creation.default.partitions": ("-1", "-2", "1"),
    "topic.creation.default.replication.factor": ("-1", "-2", "32768", "1"),
    "topic.creation.a.include": ("x.*,y", "*x", " "),
    "topic.creation.a.exclude": ("z", "[", ""),
    "topic.creation.b.include": (".*",),
    "topic.creation.b.partitions": ("0", "-1", "2"),
    "topic.creation.b.replication.factor": ("0", "-1"),
    "exactly.once.support": ("REQUESTED", "required", "off"),
    "transaction.boundary": ("INTERVAL", "connector", "record"),
    "transaction.boundary.interval.ms": ("1", "-1", "1s"),
}
_SINKS: Mapping[str, Sequence[Any]] = {
    "errors.deadletterqueue.topic.name": ("t", "a", "a,b", "${x}"),
    "errors.deadletterqueue.topic.replication.factor": ("-1", "0", "32768"),
    "errors.deadletterqueue.context.headers.enable": ("TRUE", "0"),
    "topics": ("a,b,c", " a", "a;b", "t"),
    "topics.regex": ("t", "[a-z&&[^b]]", "(?<=a)b", "\\p{Lu}", "a++", "\\Qa.b\\E", "(?x) a"),
    "number.int": ("2147483647", "-2147483649", "5L"),
    "number.double": ("1e309", "-Infinity", "0x1.0p3", "1f"),
    "number.short": ("1", "0", "5"),
    "list": ("", "c,a", "a,,", "a,a,b"),
    "class": ("trial.EveryTypeSinkConnector", "TrialSink", "org.apache.kafka.connect.data.Schema"),
    "kind": ("small", "SMALL", "none"),
    "size": ("s", "xl"),
    "case": ("tWO", "three"),
    "plain": ("together", "x"),
    "secret": ("${file:@DIR@/third.properties:word}", "s"),
    "file": ("", "${file:@DIR@/third.properties:name}", 7),
}
_STAGE: Mapping[str, Sequence[Any]] = {
    "field": ("`a", "a..b", "`a.b`.c", "a"),
    "field.syntax.version": ("V1", "v2", "V2", "2"),
    "fields": ("a", "`a`b", "a,,b", "a.b,c"),
    "spec": ("a:int8,b:date", "string,a:int8", "int64", "a: int8", "timestamp", "a:struct"),
    "delimiter": (" ", ".", "--"),
    "regex": ("(?<a>x)\\k<a>", "x{2,1}", "[[a]", "(?i)a", "\\"),
    "replacement": ("$1", "${a}", "\\", "$"),
    "headers": ("a,b", "a,,b", " a"),
    "operation": ("copy", "move", "delete"),
    "target.type": ("Timestamp", "unix", "UNIX", "Time"),
    "format": ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "L", "n", "''"),
    "unix.precision": ("nanoseconds", "microseconds", "NANOS"),
    "header": ("h", " "),
    "value.literal": ("{}", "2020-01-01", "\u0000"),
    "schema.name": ("a.b", ""),
    "schema.version": ("2147483648", "0", "1.0"),
    "static.field": ("s!", "s", "!"),
    "static.value": ("v", ""),
    "topic.field": ("t?", "t!?"),
    "partition.field": ("p", "?"),
    "include": ("a,b", "a,,"),
    "exclude": ("a", "a,a"),
    "renames": ("a:b", "a:b,a:c", "a:", "a:b:c,d"),
    "topic.format": ("${topic}-${timestamp}", "x", "${nope}"),
    "timestamp.format": ("yyyyMMdd", "YYYY", "t"),
    "replace.null.with.default": ("false", "No"),
    "negate": ("true", "TRUE", "1"),
    "plugin.version": ("@VERSION@", "[0,@VERSION@]", "9"),
}
_CONVERTING: Mapping[str, Sequence[Any]] = {
    "schemas.enable": ("false", "FALSE", "0"),
    "schemas.cache.size": ("1", "-5", "1000000000000"),
    "decimal.format": ("Numeric", "hex"),
    "replace.null.with.default": ("true", "n"),
    "encoding": ("UTF-16", "windows-1252", "x-none"),
    "schema.content": ("", "{", "{}", '{"type":"string"}', '{"type":"nope"}', "[]"),
    "converter.type": ("value", "Header", ""),
    "odd": ("x",),
}


def _some(draw: random.Random, pool: Mapping[str, Sequence[Any]], count: int) -> dict[str, Any]:
    return {key: draw.choice(pool[key]) for key in draw.sample(list(pool), count)}


def _stages(draw: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {"transforms": "a,b", "predicates": "p"}
    for name in ("a", "b"):
        found[f"transforms.{name}.type"] = draw.choice((*TRANSFORMATIONS, "Filter", "Unwilling"))
        own = _some(draw, _STAGE, draw.randrange(2, 6))
        found |= {f"transforms.{name}.{key}": value for key, value in own.items()}
        if draw.random() < 0.5:
            found[f"transforms.{name}.predicate"] = draw.choice(("p", "p", "a", "P"))
    found["predicates.p.type"] = draw.choice((*PREDICATES, "RecordIsTombstone", "HasHeaderKey"))
    found["predicates.p.pattern"] = draw.choice(("x|y", "[a-", "(?x)", "a{2}{3}"))
    found["predicates.p.name"] = draw.choice(("h", " ", "a,b"))
    return found


def _converters(draw: random.Random) -> dict[str, Any]:
    side = draw.choice(("key", "value", "header"))
    own = _some(draw, _CONVERTING, 3)
    found = {f"{side}.converter.{key}": value for key, value in own.items()}
    if draw.random() < 0.7:
        found[f"{side}.converter"] = draw.choice(CONVERTERS)
    return found


def _validated(config: Mapping[str, Any]) -> Step:
    return put(f"/connector-plugins/{config['connector.class']}/config/validate", dict(config))


def _settings() -> list[Step]:
    draw = random.Random(3201)  # noqa: S311  # nothing to guess
    found: list[Step] = [write("third.properties", "name=hidden-name\nword=hidden-word\n")]
    for number in range(90):
        base = draw.choice(_BASES)
        sink = any(key.startswith("topics") for key in base)
        config = {"name": "third", **base, **_some(draw, _ANY, draw.randrange(4))}
        config |= _some(draw, _SINKS if sink else _SOURCES, draw.randrange(1, 5))
        config |= _stages(draw) if number % 3 == 0 else {}
        config |= _converters(draw) if number % 2 == 0 else {}
        found.append(_validated(config))
    return found


CHAPTERS = (Chapter("third-settings", _settings()),)
