"""The settings of the source."""

from __future__ import annotations

import json

from plugwright import (
    ConfigError,
    ConfigType,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    ValidString,
)
from plugwright_singer.catalog import StreamRecommender
from plugwright_singer.settings import START_TIMEOUT_MS, TAP, shared_definition

__all__ = [
    "BATCH_SIZE",
    "CATALOG",
    "CATALOG_OPTION",
    "CONFIG",
    "FAILURES_MAX",
    "IDLE_TIMEOUT_MS",
    "INTERVAL_MS",
    "METADATA_PREFIX",
    "NUMBERS",
    "SELECT",
    "STATE",
    "STATE_INITIAL",
    "TOPIC",
    "TOPIC_FOR_PREFIX",
    "TOPIC_PREFIX",
]

CATALOG = "singer.catalog"
CATALOG_OPTION = "singer.catalog.option"
SELECT = "singer.select"
METADATA_PREFIX = "singer.metadata."
STATE = "singer.state"
STATE_INITIAL = "singer.state.initial"
NUMBERS = "singer.numbers"
TOPIC = "topic"
TOPIC_PREFIX = "topic.prefix"
TOPIC_FOR_PREFIX = "topic.for."
FAILURES_MAX = "singer.failures.max"
INTERVAL_MS = "singer.interval.ms"
IDLE_TIMEOUT_MS = "singer.idle.timeout.ms"
BATCH_SIZE = "batch.size"


def _check_json(name: str, value: object) -> None:
    if value is None:
        return
    try:
        json.loads(str(value))
    except ValueError as error:
        raise ConfigError(
            f"Invalid value for configuration {name}: it is not valid JSON",
            code="config.invalid-value",
        ) from error


CONFIG = (
    shared_definition()
    .define(
        TAP,
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="The tap: the name of its program, or the requirement that pip installs it "
        "by, such as tap-github==1.4.",
    )
    .define(
        CATALOG,
        ConfigType.STRING,
        default=None,
        documentation="Path of a catalog as the tap's discovery writes it, with what is selected.",
    )
    .define(
        SELECT,
        ConfigType.LIST,
        default="",
        importance=Importance.HIGH,
        recommender=StreamRecommender(),
        documentation="Names of the streams to read, of the catalog or else of what the tap "
        "discovers; * stands for all. Without it the tap decides, or the catalog. "
        "singer.metadata.KEY is added to the metadata of each.",
    )
    .define(
        CATALOG_OPTION,
        ConfigType.STRING,
        default="--catalog",
        importance=Importance.LOW,
        validator=ValidString.in_("--catalog", "--properties"),
        documentation="How the tap is given its catalog; older taps know --properties only.",
    )
    .define(
        STATE,
        ConfigType.STRING,
        default="keep",
        validator=ValidString.in_("keep", "ignore"),
        documentation="keep: what the tap says of its state is the source offset, and each run "
        "gets it. ignore: every run reads everything again.",
    )
    .define(
        STATE_INITIAL,
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        validator=LambdaValidator.with_(_check_json, lambda: "JSON"),
        documentation="The state, as JSON, of the first run, where no offset is stored.",
    )
    .define(
        NUMBERS,
        ConfigType.STRING,
        default="decimal",
        validator=ValidString.in_("decimal", "float64"),
        documentation="What numbers become whose JSON schema has multipleOf: decimals of as many "
        "digits, or floating point numbers as all others.",
    )
    .define(
        TOPIC,
        ConfigType.STRING,
        default=None,
        documentation="Name of the one topic for all streams; without it each has its own.",
    )
    .define(
        TOPIC_PREFIX,
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="What comes before the name of a stream in the name of its topic; "
        "topic.for.STREAM names the topic of one stream.",
    )
    .define(
        INTERVAL_MS,
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(0),
        documentation="How long after the end of a run the next one begins.",
    )
    .define(
        FAILURES_MAX,
        ConfigType.INT,
        default=1,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How many runs in a row may fail, without a state between, until the task "
        "fails; after each of the others the next one begins when the interval is over.",
    )
    .define(
        START_TIMEOUT_MS,
        ConfigType.LONG,
        default=300_000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long a tap may take until its first message.",
    )
    .define(
        IDLE_TIMEOUT_MS,
        ConfigType.LONG,
        default=3_600_000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How long a tap may write nothing before it counts as hanging.",
    )
    .define(
        BATCH_SIZE,
        ConfigType.INT,
        default=1000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records that one poll returns.",
    )
)
