"""Validation of every built-in class, with good and with bad settings."""

from __future__ import annotations

from tests.oracle.worker.chapters.plugins import CONVERTERS, PREDICATES, TRANSFORMATIONS
from tests.oracle.worker.steps import Chapter, Step, put, topic, write

__all__ = ["CHAPTERS"]

_API = "org.apache.kafka.connect"
_SOURCE = {
    "name": "valid",
    "connector.class": f"{_API}.file.FileStreamSourceConnector",
    "file": "/tmp/in.txt",  # noqa: S108  # it is not read
    "topic": "lines",
}
_SINK = {
    "name": "valid",
    "connector.class": f"{_API}.file.FileStreamSinkConnector",
    "file": "/tmp/out.txt",  # noqa: S108  # it is not written
    "topics": "lines",
}
_EVERY = {
    "name": "valid",
    "connector.class": "trial.EveryTypeSinkConnector",
    "topics": "lines",
    "url": "http://shop",
}


def _check(config: dict[str, object], plugin: str | None = None) -> Step:
    name = plugin or str(config.get("connector.class", "FileStreamSource"))
    return put(f"/connector-plugins/{name}/config/validate", config)


def _without(config: dict[str, str], *keys: str) -> dict[str, object]:
    return {key: value for key, value in config.items() if key not in keys}


CONNECTORS = Chapter(
    "validate-connectors",
    [
        _check(_SOURCE),
        _check(_SINK),
        _check(_EVERY),
        _check({**_SOURCE, "connector.class": "FileStreamSource"}),
        _check({**_SOURCE, "connector.class": "FileStreamSourceConnector"}),
        _check({**_SOURCE, "connector.class": "FileStreamSource"}, _SOURCE["connector.class"]),
        _check(_SOURCE, "FileStreamSource"),
        _check(_SOURCE, "FileStreamSink"),
        _check(_SOURCE, "Nope"),
        _check({**_SOURCE, "connector.class": "Nope"}),
        _check({**_SOURCE, "connector.class": "org.example.Nope"}),
        _check({**_SOURCE, "connector.class": ""}, "FileStreamSource"),
        _check({**_SOURCE, "connector.class": None}, "FileStreamSource"),
        _check({**_SOURCE, "connector.class": "JsonConverter"}),
        _check({**_SOURCE, "connector.class": "java.lang.String"}),
        _check(_without(_SOURCE, "connector.class"), "FileStreamSource"),
        _check({}, "FileStreamSource"),
        _check({}, "Nope"),
        _check({"connector.class": "FileStreamSource"}),
        _check({"connector.class": "FileStreamSink"}),
        _check({"connector.class": "EveryTypeSink"}),
        _check({"connector.class": "TrialSource"}),
        _check({"connector.class": "TrialSink"}),
        _check(_without(_SOURCE, "name")),
        _check(_without(_SOURCE, "file")),
        _check(_without(_SOURCE, "topic")),
        _check(_without(_SINK, "topics")),
        _check(_without(_SINK, "file")),
        _check({**_SOURCE, "name": ""}),
        _check({**_SOURCE, "name": " "}),
        _check({**_SOURCE, "name": None}),
        _check({**_SOURCE, "name": "a\nb"}),
        _check({**_SOURCE, "topic": ""}),
        _check({**_SOURCE, "file": None}),
        _check({**_SOURCE, "batch.size": "0"}),
        _check({**_SOURCE, "batch.size": "many"}),
        _check({**_SOURCE, "batch.size": "99999999999"}),
        _check({**_SOURCE, "batch.size": 100}),
        _check({**_SOURCE, "unknown": "x", "other": None}),
        _check({**_SINK, "topics": ""}),
        _check({**_SINK, "topics": "a,,b"}),
        _check({**_SINK, "topics": "a, b ,c"}),
        _check({**_SINK, "topics": "a,a"}),
        _check({**_SINK, "topics.regex": "a.*"}),
        _check({**_without(_SINK, "topics"), "topics.regex": "a.*"}),
        _check({**_without(_SINK, "topics"), "topics.regex": "("}),
        _check({**_without(_SINK, "topics"), "topics.regex": ""}),
        _check({**_SOURCE, "fail.at": "x", "connector.class": "TrialSource"}),
        _check({**_SOURCE, "fail.at": "validate", "connector.class": "TrialSource"}),
        _check({**_SOURCE, "parts": "-1", "connector.class": "TrialSource"}),
        _check({**_SOURCE, "fail.at": "exactly.once", "connector.class": "TrialSource"}),
    ],
)

_COMMON_BAD = {
    "tasks.max": ("0", "-1", "x", "", "1.5", "2147483648", None),
    "tasks.max.enforce": ("x", ""),
    "config.action.reload": ("x", "NONE", "restart"),
    "errors.tolerance": ("x", "ALL", ""),
    "errors.retry.timeout": ("x", "-1"),
    "errors.retry.delay.max.ms": ("x", "-1", "0"),
    "errors.log.enable": ("x",),
    "errors.log.include.messages": ("yes",),
    "transforms": ("", "a,a", " ", "a,", ",", None),
    "predicates": ("a,a", ""),
    "key.converter": ("", "Nope", "FileStreamSource", None),
    "value.converter": ("Nope", f"{_API}.transforms.Filter"),
    "header.converter": ("Nope", f"{_API}.json.JsonConverter", ""),
    "connector.plugin.version": ("@VERSION@", "0.0.1", "nope", "[", ""),
    "key.converter.plugin.version": ("@VERSION@", "9.9.9"),
    "producer.override.acks": ("1", "x"),
    "producer.override.nope": ("x",),
    "consumer.override.max.poll.records": ("5", "x"),
    "admin.override.request.timeout.ms": ("x",),
}
_SOURCE_BAD = {
    "topic.creation.groups": ("a", "a,a", "default", ""),
    "topic.creation.default.partitions": ("1", "0", "x"),
    "topic.creation.default.replication.factor": ("1", "0", "-2"),
    "exactly.once.support": ("requested", "required", "x", "REQUIRED", ""),
    "transaction.boundary": ("poll", "connector", "interval", "x", ""),
    "transaction.boundary.interval.ms": ("100", "0", "x"),
    "offsets.storage.topic": ("mine", "", " "),
}
_SINK_BAD = {
    "errors.deadletterqueue.topic.name": ("dlq", "", "lines", " "),
    "errors.deadletterqueue.topic.replication.factor": ("1", "x", "0"),
    "errors.deadletterqueue.context.headers.enable": ("x", "true"),
}

COMMON = Chapter(
    "validate-common",
    [
        *(
            _check({**_SOURCE, key: value})
            for key, values in {**_COMMON_BAD, **_SOURCE_BAD}.items()
            for value in values
        ),
        *(_check({**_SINK, key: value}) for key, values in _SINK_BAD.items() for value in values),
        *(_check({**_SINK, "tasks.max": value}) for value in ("0", "x")),
        _check({**_SINK, "errors.tolerance": "all", "errors.deadletterqueue.topic.name": "dlq"}),
        _check({**_SINK, "errors.deadletterqueue.topic.name": "a", "topics.regex": "a.*"}),
        _check({**_SINK, "consumer.override.auto.offset.reset": "nope"}),
        _check({**_SINK, "consumer.override.isolation.level": "read_committed"}),
        _check({**_SOURCE, "topic.creation.groups": "a", "topic.creation.a.include": "x.*"}),
        _check(
            {
                **_SOURCE,
                "topic.creation.groups": "a,b",
                "topic.creation.default.partitions": "3",
                "topic.creation.default.replication.factor": "1",
                "topic.creation.a.include": "x.*",
                "topic.creation.b.include": "(",
                "topic.creation.b.partitions": "x",
            }
        ),
        _check({**_SOURCE, "tasks.max": "x", "errors.tolerance": "y", "name": ""}),
        _check({**_SOURCE, "topic": "${file:@DIR@/secrets.properties:none}"}),
        write("secrets.properties", "topic=hidden-topic\nword=hidden-word\n"),
        _check({**_SOURCE, "topic": "${file:@DIR@/secrets.properties:topic}"}),
        _check({**_SOURCE, "topic": "${nope:x:y}"}),
        _check({**_SOURCE, "topic": "${file:@DIR@/none.properties:topic}"}),
        _check({**_SOURCE, "topic": "${file:"}),
    ],
)

_EVERY_BAD = {
    "url": ("", None, " "),
    "user": ("", None),
    "secret": ("word", "", None),
    "flag": ("true", "TRUE", "yes", "", None, True),
    "number.short": ("5", "6", "x", "99999", "", None),
    "number.int": ("0", "-1", "1.5", "2147483648", " 7 ", None, 7),
    "number.long": ("9223372036854775807", "9223372036854775808", "x"),
    "number.double": ("1", "1e3", "NaN", "x", "-0.0", "1.0E10", 0.25),
    "list": ("a", "a,b,c", "a,d", "", "a,a", " a , b ", None),
    "class": (
        "java.lang.String",
        "Nope",
        "",
        None,
        f"{_API}.json.JsonConverter",
        "trial.Unwilling",
    ),
    "kind": ("none", "small", "large", "x", "", None),
    "case": ("ONE", "two", "three", None),
    "plain": ("together", "explode", "text", "${file:@DIR@/every.properties:word}"),
}

EVERY_TYPE = Chapter(
    "validate-types",
    [
        write("every.properties", "word=hidden-word\n"),
        *(_check({**_EVERY, key: value}) for key, values in _EVERY_BAD.items() for value in values),
        _check({**_EVERY, "kind": "small", "size": "xs"}),
        _check({**_EVERY, "kind": "large", "size": "xs"}),
        _check({**_EVERY, "url": "", "number.int": "x", "list": "z", "flag": "maybe"}),
        _check({**_EVERY, "further": "x"}),
    ],
)


def _converter(name: str) -> list[Step]:
    short = name.rpartition(".")[2]
    return [
        _check({**_SOURCE, "key.converter": name, "value.converter": name}),
        _check({**_SINK, "header.converter": name}),
        _check({**_SINK, "value.converter": short}),
        _check({**_SOURCE, "value.converter": name, "value.converter.nope": "x"}),
    ]


CONVERTING = Chapter(
    "validate-converters",
    [
        *(step for name in CONVERTERS for step in _converter(name)),
        *(
            _check({**_SOURCE, "value.converter": "JsonConverter", f"value.converter.{key}": value})
            for key, value in (
                ("schemas.enable", "false"),
                ("schemas.enable", "x"),
                ("schemas.cache.size", "x"),
                ("schemas.cache.size", "-1"),
                ("decimal.format", "NUMERIC"),
                ("decimal.format", "x"),
                ("replace.null.with.default", "x"),
                ("converter.type", "key"),
                ("converter.type", "x"),
                ("plugin.version", "@VERSION@"),
                ("plugin.version", "1.0.0"),
            )
        ),
        _check({**_SOURCE, "key.converter": "StringConverter", "key.converter.encoding": "latin1"}),
        _check({**_SOURCE, "key.converter": "StringConverter", "key.converter.encoding": "nope"}),
        _check({**_SOURCE, "value.converter.schemas.enable": "x"}),
    ],
)

_GOOD = {
    "Cast": {"spec": "int32"},
    "DropHeaders": {"headers": "a,b"},
    "ExtractField": {"field": "a"},
    "Filter": {},
    "Flatten": {"delimiter": "_"},
    "HeaderFrom": {"fields": "a", "headers": "b", "operation": "copy"},
    "HoistField": {"field": "a"},
    "InsertField": {"static.field": "a", "static.value": "b"},
    "InsertHeader": {"header": "a", "value.literal": "b"},
    "MaskField": {"fields": "a"},
    "RegexRouter": {"regex": "a(.*)", "replacement": "$1"},
    "ReplaceField": {"exclude": "a"},
    "SetSchemaMetadata": {"schema.name": "a"},
    "TimestampConverter": {"target.type": "unix"},
    "TimestampRouter": {"topic.format": "${topic}"},
    "ValueToKey": {"fields": "a"},
}
_BAD = {
    "Cast": ({"spec": ""}, {"spec": "nope"}, {"spec": "a:int32,b"}, {"spec": "a:int32,a:string"}),
    "DropHeaders": ({"headers": ""}, {"headers": "a,a"}),
    "ExtractField": ({"field": ""}, {"field": "a", "field.syntax.version": "V3"}),
    "Filter": ({"negate": "x"},),
    "Flatten": ({"delimiter": ""}, {"delimiter": None}),
    "HeaderFrom": (
        {"fields": "a,b", "headers": "c", "operation": "copy"},
        {"fields": "a", "headers": "b", "operation": "nope"},
        {"fields": "", "headers": "", "operation": "move"},
        {"fields": "a", "headers": "b", "operation": "MOVE"},
    ),
    "HoistField": ({"field": ""},),
    "InsertField": (
        {"static.field": "a"},
        {"topic.field": "a!", "offset.field": "b?"},
        {"replace.null.with.default": "x", "topic.field": "t"},
    ),
    "InsertHeader": ({"header": "a"}, {"header": "", "value.literal": "x"}),
    "MaskField": ({"fields": ""}, {"fields": "a", "replacement": ""}),
    "RegexRouter": (
        {"regex": "("},
        {"regex": "(", "replacement": "x"},
        {"regex": "a", "replacement": ""},
    ),
    "ReplaceField": ({"exclude": "a", "include": "b"}, {"renames": "a"}, {"renames": "a:b,c"}),
    "SetSchemaMetadata": ({"schema.version": "x"}, {"schema.version": "1.5"}),
    "TimestampConverter": (
        {"target.type": "nope"},
        {"target.type": "string"},
        {"target.type": "string", "format": "nope!"},
        {"target.type": "unix", "unix.precision": "x"},
    ),
    "TimestampRouter": ({"timestamp.format": "nope!"}, {"topic.format": ""}),
    "ValueToKey": ({"fields": ""}, {"fields": "a,a"}),
}


def _transformed(kind: str, settings: dict[str, object], **more: str) -> Step:
    prefixed = {f"transforms.t.{key}": value for key, value in settings.items()}
    return _check({**_SOURCE, "transforms": "t", "transforms.t.type": kind, **prefixed, **more})


def _transformation(kind: str) -> list[Step]:
    name = kind.rpartition(".")[2].partition("$")[0]
    steps = [_transformed(kind, _GOOD[name]), _transformed(kind, {})]
    if not kind.endswith("$Key"):
        steps += [_transformed(kind, bad) for bad in _BAD[name]]
    return steps


TRANSFORMING = Chapter(
    "validate-transformations",
    [
        *(step for kind in TRANSFORMATIONS for step in _transformation(kind)),
        _check({**_SOURCE, "transforms": "t"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": ""}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": None}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": "Nope"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": "FileStreamSource"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": "Cast"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": f"{_API}.transforms.Cast"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": "Value"}),
        _check({**_SOURCE, "transforms": "t", "transforms.t.type": "trial.Unwilling"}),
        _transformed("Unwilling", {"mood": "configure"}),
        _transformed("RegexRouter", _GOOD["RegexRouter"]),
        _transformed("RegexRouter", {**_GOOD["RegexRouter"], "plugin.version": "@VERSION@"}),
        _transformed("RegexRouter", {**_GOOD["RegexRouter"], "plugin.version": "1.0.0"}),
        _transformed("RegexRouter", {**_GOOD["RegexRouter"], "nope": "x"}),
        _check(
            {
                **_SOURCE,
                "transforms": "a,b",
                "transforms.a.type": f"{_API}.transforms.HoistField$Value",
                "transforms.a.field": "line",
                "transforms.b.type": f"{_API}.transforms.InsertField$Value",
                "transforms.b.static.field": "x",
                "transforms.b.static.value": "y",
            }
        ),
    ],
)

_MATCH = {"transforms.t.predicate": "p", "predicates": "p"}
_TOMBSTONE = {"predicates.p.type": f"{_API}.transforms.predicates.RecordIsTombstone"}


def _filtered(settings: dict[str, object]) -> Step:
    kind = {"transforms": "t", "transforms.t.type": f"{_API}.transforms.Filter"}
    return _check({**_SOURCE, **kind, **settings})


PREDICATING = Chapter(
    "validate-predicates",
    [
        *(
            _filtered({**_MATCH, "predicates.p.type": kind, **settings})
            for kind in PREDICATES
            for settings in (
                {},
                {"predicates.p.name": "x", "predicates.p.pattern": "x.*"},
                {"predicates.p.name": "", "predicates.p.pattern": "("},
                {"predicates.p.nope": "x"},
            )
        ),
        _filtered({"transforms.t.predicate": "p"}),
        _filtered({"transforms.t.predicate": "q", "predicates": "p", **_TOMBSTONE}),
        _filtered({"transforms.t.predicate": "", "predicates": "p", **_TOMBSTONE}),
        _filtered({**_MATCH}),
        _filtered({**_MATCH, "predicates.p.type": "Nope"}),
        _filtered({**_MATCH, "predicates.p.type": ""}),
        _filtered({**_MATCH, "predicates.p.type": "RecordIsTombstone"}),
        _filtered({**_MATCH, "predicates.p.type": f"{_API}.transforms.Filter"}),
        _filtered({**_MATCH, **_TOMBSTONE, "transforms.t.negate": "x"}),
        _filtered({**_MATCH, **_TOMBSTONE, "transforms.t.negate": "true"}),
        _filtered({"predicates": "p", **_TOMBSTONE}),
        _filtered({"predicates": "p,q", **_TOMBSTONE}),
        _filtered({**_MATCH, **_TOMBSTONE, "predicates.p.plugin.version": "1.0.0"}),
    ],
)

_VERSIONED = {"name": "valid", "connector.class": "versioned.VersionedSinkConnector"}

VERSIONS = Chapter(
    "validate-versions",
    [
        topic("lines"),
        *(
            _check({**_VERSIONED, "topics": "lines", "connector.plugin.version": version})
            for version in (
                "1.0.0",
                "2.0.0",
                "3.0.0",
                "latest",
                "[1.0.0,2.0.0)",
                "[1.0.0]",
                "[3.0.0,)",
                "1.0",
                "nope",
                "[",
                "",
                None,
            )
        ),
        _check({**_VERSIONED, "topics": "lines"}),
        _check({**_VERSIONED, "topics": "lines", "since.1.0.0": "x"}),
    ],
)

CHAPTERS = (
    CONNECTORS,
    COMMON,
    EVERY_TYPE,
    CONVERTING,
    TRANSFORMING,
    PREDICATING,
    VERSIONS,
)
