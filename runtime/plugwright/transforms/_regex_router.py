"""RegexRouter: other topics, by a regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance
from plugwright.errors import DataError
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation, located
from plugwright.transforms._java_regex import java_pattern
from plugwright.transforms._java_replacement import java_replacement
from plugwright.transforms._settings import RegexValidator

if TYPE_CHECKING:
    from collections.abc import Mapping

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
            documentation="The new name; $1 or ${name} stand for groups of the expression.",
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._pattern = java_pattern(settings[_REGEX], _REGEX)
        self._replacement = java_replacement(settings[_REPLACEMENT], self._pattern, _REPLACEMENT)

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
        copy.topic = self._pattern.sub(self._replacement, topic, count=1)
        return copy
