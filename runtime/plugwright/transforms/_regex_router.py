"""RegexRouter: renames topics by a regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, not_null
from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms._java_regex import java_pattern
from plugwright.transforms._settings import RegexValidator
from plugwright.transforms.java_replacement import java_replacement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.source_columns import SourceColumns

_REGEX = "regex"
_REPLACEMENT = "replacement"


class RegexRouter(BuiltinTransformation[R]):
    """Renames topics that a regular expression matches as a whole.

    As in Kafka, what is then replaced is the first match anywhere in the name: ``o|orders`` matches
    ``orders`` and replaces its ``o``.
    """

    DEFINITION = (
        ConfigDef()
        .define(
            _REGEX,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="A Java regular expression that the whole name of a topic must match.",
            validator=RegexValidator(),
        )
        .define(
            _REPLACEMENT,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="The new name; $1 and ${name} are replaced by groups of the expression.",
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._pattern = java_pattern(settings[_REGEX], _REGEX)
        self._replacement = java_replacement(
            not_null(settings, _REPLACEMENT), self._pattern, _REPLACEMENT
        )

    def apply(self, record: R) -> R:
        """The record, for its new topic if it gets one. Hot path.

        Raises:
            DataError: if the record has no topic.
        """
        topic: str | None = record.topic
        if topic is None:
            missing = DataError("The record has no topic to rename", code="transform.no-topic")
            raise located(missing, type(self))
        if self._pattern.fullmatch(topic) is None:
            return record
        copy = record.duplicate()
        copy.topic = self._renamed(topic)
        return copy

    def apply_to_columns(self, columns: SourceColumns) -> SourceColumns:
        """The columns, for their new topic if they get one."""
        if self._pattern.fullmatch(columns.topic) is None:
            return columns
        return columns.replace(topic=self._renamed(columns.topic))

    def _renamed(self, topic: str) -> str:
        return self._pattern.sub(self._replacement, topic, count=1)
