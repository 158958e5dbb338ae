"""The options of the data source, in addition to the settings of the plugin."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigDef,
    ConfigType,
    ConfigValue,
    Importance,
    NonEmptyString,
    Range,
)
from plugwright.errors import ConfigError
from plugwright.spark.datasource.offsets import GivenOffsets
from plugwright.spark.rows import RowsMode
from plugwright.worker import ERROR_CONFIG, ErrorSettings, error_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_OWN = "rows."
_WORKERS = ("plugin.path", "plugin.discovery", "plugin.isolation")
_SPARKS = frozenset({"checkpointlocation", "queryname"})

OPTIONS = (
    ConfigDef()
    .define(
        "connector.class",
        ConfigType.STRING,
        validator=NonEmptyString(),
        importance=Importance.HIGH,
        documentation="Class name or alias of the plugin.",
    )
    .define(
        "plugin.path",
        ConfigType.LIST,
        default="",
        importance=Importance.HIGH,
        documentation="Plugin directories, under the same path on every machine of the cluster.",
    )
    .define(
        "connector.plugin.version",
        ConfigType.STRING,
        default=None,
        importance=Importance.LOW,
        documentation="Version requirement for the plugin (KIP-891).",
    )
    .define(
        "tasks.max",
        ConfigType.INT,
        default=1,
        validator=Range.at_least(1),
        importance=Importance.HIGH,
        documentation="Maximum number of tasks of the connector; each task of a source is one "
        "Spark partition.",
    )
    .define(
        "topics",
        ConfigType.LIST,
        default="",
        importance=Importance.HIGH,
        documentation="For a sink: the one topic that its records carry.",
    )
    .define(
        "rows",
        ConfigType.STRING,
        default="values",
        validator=CaseInsensitiveValidString.in_("values", "records"),
        importance=Importance.HIGH,
        documentation="Row mapping: the fields of a record's value are the columns (values), or "
        "a row is the whole record with key, headers and position (records).",
    )
    .define(
        "rows.offsets",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="Start offsets of a source: JSON in the form of the REST API, "
        '{"offsets": [{"partition": {…}, "offset": {…}}]}. The default is the source\'s beginning.',
    )
    .define(
        "rows.limit",
        ConfigType.LONG,
        default=0,
        validator=Range.at_least(0),
        importance=Importance.MEDIUM,
        documentation="Maximum number of records per task of a batch read; in a stream, the number "
        "after which a micro-batch polls no more. 0 for no limit.",
    )
    .define(
        "rows.idle.timeout.ms",
        ConfigType.LONG,
        default=1000,
        validator=Range.at_least(1),
        importance=Importance.MEDIUM,
        documentation="Time without records after which a task of a batch read is done.",
    )
    .define(
        "rows.schema.timeout.ms",
        ConfigType.LONG,
        default=10_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Time to wait for the first record, whose schema determines the columns, "
        "unless .schema(…) is given.",
    )
    .define(
        "rows.replay.timeout.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Time that a micro-batch replayed after a crash may take to reach its end.",
    )
    .define(
        "rows.put.timeout.ms",
        ConfigType.LONG,
        default=300_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        documentation="Time that a sink may keep asking for retries, or take to make records "
        "durable, before the write fails.",
    )
    .define(
        "rows.checkpoint.version",
        ConfigType.STRING,
        default="same",
        validator=CaseInsensitiveValidString.in_("same", "any"),
        importance=Importance.LOW,
        documentation="Whether a stream continues from the checkpoint of another version of the "
        "plugin (any).",
    )
    .define(
        "rows.config",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="Further settings as a JSON object. Spark loses the case of its option "
        "names; this option preserves it.",
    )
    .define(
        "plugin.discovery",
        ConfigType.STRING,
        default="service_load",
        importance=Importance.LOW,
        documentation="Plugin discovery mode, as for a worker (KIP-898). The default uses "
        "only manifests, because a query searches several times.",
    )
    .define(
        "plugin.isolation",
        ConfigType.STRING,
        default="process",
        validator=CaseInsensitiveValidString.in_("process", "none"),
        importance=Importance.LOW,
        documentation="Whether the connector is planned in a process of its own.",
    )
    .add(ERROR_CONFIG.keys["errors.tolerance"])
    .add(ERROR_CONFIG.keys["errors.retry.timeout"])
    .add(ERROR_CONFIG.keys["errors.retry.delay.max.ms"])
    .add(ERROR_CONFIG.keys["errors.log.enable"])
    .add(ERROR_CONFIG.keys["errors.log.include.messages"])
)
"""Definition of the data source's own options; all others belong to the plugin."""

_NO_BYTES = "rows contain the values themselves, so nothing is converted"
_NO_KAFKA = "a data source does not use Kafka"
_REFUSED = {
    "key.converter": _NO_BYTES,
    "value.converter": _NO_BYTES,
    "header.converter": _NO_BYTES,
    "errors.deadletterqueue": _NO_KAFKA,
    "errors.tolerance.limit": "only a worker limits failures over time",
    "topic.creation": _NO_KAFKA,
    "topics.regex": "the rows for a sink have exactly one topic",
    "offsets.storage.topic": _NO_KAFKA,
    "exactly.once.support": _NO_KAFKA,
    "transaction.boundary": _NO_KAFKA,
    "producer.override": _NO_KAFKA,
    "consumer.override": _NO_KAFKA,
    "admin.override": _NO_KAFKA,
}


@dataclass(frozen=True, slots=True)
class RowsOptions:
    """The parsed options of the data source; times in seconds."""

    mode: RowsMode
    offsets: GivenOffsets
    limit: int
    idle_s: float
    schema_s: float
    replay_s: float
    put_s: float
    any_version: bool
    topics: tuple[str, ...]
    errors: ErrorSettings = field(default_factory=ErrorSettings)

    @classmethod
    def parse(cls, properties: Mapping[str, str]) -> RowsOptions:
        """Parse valid options.

        Raises:
            ConfigError: naming an invalid option.
        """
        values = OPTIONS.parse(properties)
        return cls(
            mode=RowsMode(values["rows"].lower()),
            offsets=GivenOffsets.parse(values["rows.offsets"]),
            limit=values["rows.limit"],
            idle_s=values["rows.idle.timeout.ms"] / 1000,
            schema_s=values["rows.schema.timeout.ms"] / 1000,
            replay_s=values["rows.replay.timeout.ms"] / 1000,
            put_s=values["rows.put.timeout.ms"] / 1000,
            any_version=values["rows.checkpoint.version"].lower() == "any",
            topics=tuple(values["topics"]),
            errors=error_settings(properties, sink=False),
        )


def cased(options: Mapping[str, str], names: Iterable[str] = ()) -> dict[str, str]:
    """Restore the case of option names, if it can be determined.

    Spark makes all names lower case. Aliases of transformations and predicates are spelt as in
    their lists, other names as in their definitions; ``rows.config`` preserves every name.

    Args:
        options: as Spark passes them.
        names: of settings that are defined anywhere.

    Raises:
        ConfigError: if ``rows.config`` is not a JSON object.
    """
    spelt = {name.lower(): name for name in names}
    found = {spelt.get(name.lower(), name): value for name, value in options.items()}
    for kind in ("transforms", "predicates"):
        for alias in filter(None, (each.strip() for each in found.get(kind, "").split(","))):
            prefix = f"{kind}.{alias}."
            found = {
                prefix + name[len(prefix) :] if name.lower().startswith(prefix.lower()) else name: v
                for name, v in found.items()
            }
    return found | _json_settings(options.get("rows.config", ""))


def connector_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings for the plugin, without those of the data source and of Spark."""
    own = {"rows", *_WORKERS}
    plain = {
        name: value
        for name, value in properties.items()
        if name not in own and not name.startswith(_OWN) and name.lower() not in _SPARKS
    }
    return {"name": "rows"} | plain


def judged(properties: Mapping[str, str]) -> Sequence[ConfigValue]:
    """The data source's own options with their values and problems, and unsupported settings."""
    found = OPTIONS.validate_all(properties)
    key = "rows.offsets"
    try:
        GivenOffsets.parse(str(found[key].value or ""))
    except ValueError as error:
        found[key] = found[key].with_error(f"Invalid value for configuration {key}: {error}")
    return [*found.values(), *_unknown(properties), *_unsupported(properties)]


def _unknown(properties: Mapping[str, str]) -> Iterator[ConfigValue]:
    from difflib import get_close_matches  # noqa: PLC0415  # for this problem only

    for name in properties:
        if name.startswith(_OWN) and name not in OPTIONS.keys:
            near = get_close_matches(name, OPTIONS.keys, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            yield ConfigValue(name).with_error(f"there is no such option{meant}")


def _unsupported(properties: Mapping[str, str]) -> Iterator[ConfigValue]:
    for name in properties:
        for refused, reason in _REFUSED.items():
            if name == refused or name.startswith(f"{refused}."):
                text = f"is not supported here: {reason}; remove it, or run a worker"
                yield ConfigValue(name).with_error(text)


def _json_settings(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise ConfigError(
            f"rows.config is not valid JSON: {error}", facts={"key": "rows.config"}
        ) from error
    if not isinstance(found, dict):
        raise ConfigError(
            "rows.config must be a JSON object of settings", facts={"key": "rows.config"}
        )
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in found.items()
    }
