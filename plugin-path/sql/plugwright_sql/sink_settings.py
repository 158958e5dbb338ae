"""The settings of the sink."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from plugwright import ConfigType, Importance, Range, ValidString
from plugwright_sql.shared_settings import shared_problems, shared_settings, zone_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from zoneinfo import ZoneInfo

__all__ = ["SINK_CONFIG", "InsertMode", "KeyMode", "SinkChoices", "sink_problems"]

_COORDINATES = ("__connect_topic", "__connect_partition", "__connect_offset")


class InsertMode(Enum):
    """By which statement a row is written."""

    INSERT = "insert"
    UPSERT = "upsert"
    UPDATE = "update"


class KeyMode(Enum):
    """The source of the primary key."""

    NONE = "none"
    KAFKA = "kafka"
    RECORD_KEY = "record_key"
    RECORD_VALUE = "record_value"


SINK_CONFIG = (
    shared_settings()
    .define(
        "insert.mode",
        ConfigType.STRING,
        default="insert",
        importance=Importance.HIGH,
        validator=ValidString.in_(*(mode.value for mode in InsertMode)),
        documentation="By which statement rows are written: insert, upsert (insert, or update the "
        "row with the same key) or update.",
        group="Writes",
        order_in_group=1,
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=3000,
        importance=Importance.MEDIUM,
        validator=Range.at_least(1),
        documentation="The most rows that one call of the driver is given.",
        group="Writes",
        order_in_group=2,
    )
    .define(
        "delete.enabled",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether a record without value deletes the row of its key; requires "
        "pk.mode=record_key. Otherwise such a record is refused.",
        group="Writes",
        order_in_group=3,
    )
    .define(
        "offsets.table.name",
        ConfigType.STRING,
        default="plugwright_offsets",
        importance=Importance.MEDIUM,
        documentation="The table that keeps Kafka's offsets in the transactions of the rows, "
        "which makes delivery exactly-once. Empty for none: delivery is at-least-once then.",
        group="Writes",
        order_in_group=4,
    )
    .define(
        "table.name.format",
        ConfigType.STRING,
        default="${topic}",
        importance=Importance.MEDIUM,
        documentation="The table, as table or schema.table; ${topic} stands for the topic of the "
        "record.",
        group="Data mapping",
        order_in_group=1,
    )
    .define(
        "pk.mode",
        ConfigType.STRING,
        default="none",
        importance=Importance.HIGH,
        validator=ValidString.in_(*(mode.value for mode in KeyMode)),
        documentation="Where the primary key comes from: none, kafka (topic, partition and "
        "offset), record_key or record_value.",
        group="Data mapping",
        order_in_group=2,
    )
    .define(
        "pk.fields",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="The columns of the primary key: with kafka the three coordinates, with "
        "record_key fields of the key, or the column for a key that is not a struct, with "
        "record_value fields of the value. Without it all fields.",
        group="Data mapping",
        order_in_group=3,
    )
    .define(
        "fields.whitelist",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="The fields of the value that are written, beside those of the key; without "
        "it, all.",
        group="Data mapping",
        order_in_group=4,
    )
    .define(
        "value.column.name",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="The column for values that are not structs, such as strings; without it "
        "they are refused.",
        group="Data mapping",
        order_in_group=5,
    )
    .define(
        "auto.create",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether a table that is missing is created.",
        group="Tables",
        order_in_group=1,
    )
    .define(
        "auto.evolve",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether columns that are missing are added, and those that are too narrow "
        "are widened.",
        group="Tables",
        order_in_group=2,
    )
    .define(
        "max.retries",
        ConfigType.INT,
        default=10,
        importance=Importance.MEDIUM,
        validator=Range.at_least(0),
        documentation="How often a batch is tried again when the database cannot be reached.",
        group="Retries",
        order_in_group=1,
    )
    .define(
        "retry.backoff.ms",
        ConfigType.INT,
        default=3000,
        importance=Importance.MEDIUM,
        validator=Range.at_least(0),
        documentation="Milliseconds before a batch is tried again.",
        group="Retries",
        order_in_group=2,
    )
)
"""The connector's configuration definition."""


@dataclass(frozen=True, slots=True)
class SinkChoices:
    """The settings of a sink task, by their meaning."""

    connector: str
    insert_mode: InsertMode
    key_mode: KeyMode
    key_fields: Sequence[str]
    fields: Sequence[str]
    value_column: str
    table_format: str
    offsets_table: str
    deletes: bool
    creates: bool
    evolves: bool
    batch_size: int
    retries: int
    backoff_ms: int
    quotes: bool
    zone: ZoneInfo

    @classmethod
    def of(cls, settings: Mapping[str, Any], connector: str) -> SinkChoices:
        """Create from parsed settings."""
        key_mode = KeyMode(settings["pk.mode"])
        fields = settings["pk.fields"]
        return cls(
            connector=connector,
            insert_mode=InsertMode(settings["insert.mode"]),
            key_mode=key_mode,
            key_fields=_COORDINATES if key_mode is KeyMode.KAFKA and not fields else tuple(fields),
            fields=tuple(settings["fields.whitelist"]),
            value_column=settings["value.column.name"],
            table_format=settings["table.name.format"],
            offsets_table=settings["offsets.table.name"],
            deletes=settings["delete.enabled"],
            creates=settings["auto.create"],
            evolves=settings["auto.evolve"],
            batch_size=settings["batch.size"],
            retries=settings["max.retries"],
            backoff_ms=settings["retry.backoff.ms"],
            quotes=settings["quote.sql.identifiers"] == "always",
            zone=zone_of(settings["db.timezone"]),
        )


def sink_problems(props: Mapping[str, str]) -> dict[str, str]:
    """Problems of settings that are valid individually, by setting."""
    found = shared_problems("sink", SINK_CONFIG, props)
    key_mode = props.get("pk.mode") or "none"
    insert_mode = props.get("insert.mode") or "insert"
    fields = [field for field in (props.get("pk.fields") or "").split(",") if field.strip()]
    if str(props.get("delete.enabled")).lower() == "true" and key_mode != "record_key":
        found["delete.enabled"] = "delete.enabled requires pk.mode=record_key"
    if insert_mode in {"upsert", "update"} and key_mode == "none":
        found["pk.mode"] = f"pk.mode must not be none with insert.mode={insert_mode}"
    if key_mode == "kafka" and fields and len(fields) != len(_COORDINATES):
        found["pk.fields"] = (
            "pk.fields must name three columns with pk.mode=kafka, for topic, partition and "
            f"offset; found {len(fields)}"
        )
    return found
