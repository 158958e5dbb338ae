"""The settings of the sink."""

from __future__ import annotations

from plugwright import ConfigType, Importance, NonEmptyString, Range, ValidString
from plugwright_singer.settings import TARGET, shared_definition

__all__ = [
    "COMMIT",
    "CONFIG",
    "CONFIRM",
    "FLUSH_TIMEOUT_MS",
    "KEYS",
    "KEY_FIELDS",
    "NON_FINITE",
    "STREAM",
    "STREAM_FOR_PREFIX",
    "WRITE_TIMEOUT_MS",
]

STREAM = "singer.stream"
STREAM_FOR_PREFIX = "singer.stream.for."
KEYS = "singer.keys"
KEY_FIELDS = "singer.key.fields"
COMMIT = "singer.commit"
CONFIRM = "singer.confirm"
NON_FINITE = "singer.non.finite"
WRITE_TIMEOUT_MS = "singer.write.timeout.ms"
FLUSH_TIMEOUT_MS = "singer.flush.timeout.ms"

CONFIG = (
    shared_definition()
    .define(
        TARGET,
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="The target: the name of its program, or the requirement that pip installs "
        "it by, such as target-jsonl==0.1.4.",
    )
    .define(
        STREAM,
        ConfigType.STRING,
        default=None,
        importance=Importance.HIGH,
        documentation="Name of the one stream for all topics; without it each topic is a stream "
        "of its name. singer.stream.for.TOPIC names the stream of one topic.",
    )
    .define(
        KEYS,
        ConfigType.STRING,
        default="none",
        importance=Importance.HIGH,
        validator=ValidString.in_("none", "record", "fields", "coordinates"),
        documentation="What the key properties of a stream are. record: the fields of the "
        "record's key, or key. fields: those of singer.key.fields. coordinates: __topic, "
        "__partition and __offset, which are added to each record.",
    )
    .define(
        KEY_FIELDS,
        ConfigType.LIST,
        default="",
        documentation="Names of the fields that are the key, with singer.keys=fields.",
    )
    .define(
        COMMIT,
        ConfigType.STRING,
        default="end",
        validator=ValidString.in_("end", "echo"),
        documentation="end: at every commit of offsets the target's input is ended, which makes "
        "it write everything, and another one is started for what follows. echo: the target goes "
        "on, and as much is committed as it has confirmed.",
    )
    .define(
        CONFIRM,
        ConfigType.STRING,
        default="state",
        importance=Importance.LOW,
        validator=ValidString.in_("state", "exit"),
        documentation="What confirms that a target has written everything, with "
        "singer.commit=end. state: it has repeated the last state. exit: it has ended with 0.",
    )
    .define(
        NON_FINITE,
        ConfigType.STRING,
        default="refuse",
        importance=Importance.LOW,
        validator=ValidString.in_("refuse", "write"),
        documentation="What becomes of NaN and infinity, which JSON does not have. refuse: the "
        "record cannot be delivered. write: NaN and Infinity, as programs in Python understand.",
    )
    .define(
        WRITE_TIMEOUT_MS,
        ConfigType.LONG,
        default=240_000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long a target may take nothing before it counts as hanging.",
    )
    .define(
        FLUSH_TIMEOUT_MS,
        ConfigType.LONG,
        default=240_000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long a target may take to end, after the end of its input.",
    )
)
