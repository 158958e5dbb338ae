"""TimestampRouter: adds the time to topic names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, not_null
from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms.java_date_format import JavaDateFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOPIC_FORMAT = "topic.format"
_TIMESTAMP_FORMAT = "timestamp.format"


class TimestampRouter(BuiltinTransformation[R]):
    """Adds the timestamp of a record, at UTC, to its topic's name."""

    DEFINITION = (
        ConfigDef()
        .define(
            _TOPIC_FORMAT,
            ConfigType.STRING,
            default="${topic}-${timestamp}",
            importance=Importance.HIGH,
            documentation="The new name; ${topic} and ${timestamp} are replaced by the old name "
            "and the time.",
        )
        .define(
            _TIMESTAMP_FORMAT,
            ConfigType.STRING,
            default="yyyyMMdd",
            importance=Importance.HIGH,
            documentation="The format of the time, as a pattern of Java's SimpleDateFormat.",
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._topic_format: str = not_null(settings, _TOPIC_FORMAT)
        self._format = JavaDateFormat(not_null(settings, _TIMESTAMP_FORMAT), _TIMESTAMP_FORMAT)

    def apply(self, record: R) -> R:
        """The record for its new topic. Hot path.

        Raises:
            DataError: if the record has no timestamp or no topic.
        """
        topic: str | None = record.topic
        if record.timestamp is None or topic is None:
            what = "Topic" if topic is None else "Timestamp"
            missing = DataError(
                f"{what} missing on record: one for topic {_word(topic)}, "
                f"partition {_word(record.kafka_partition)}",
                code="transform.no-timestamp",
            )
            raise located(missing, type(self))
        copy = record.duplicate()
        named = self._topic_format.replace("${topic}", topic)
        copy.topic = named.replace("${timestamp}", self._format.text(record.timestamp))
        return copy


def _word(value: object) -> str:
    return "null" if value is None else str(value)
