"""TopicNameMatches: records of certain topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import CompositeValidator, ConfigDef, ConfigType, NonEmptyString
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinPredicate
from plugwright.transforms._java_regex import java_pattern
from plugwright.transforms._settings import RegexValidator

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATTERN = "pattern"


class TopicNameMatches(BuiltinPredicate[R]):
    """True for records of topics whose whole name a regular expression matches."""

    DEFINITION = ConfigDef().define(
        _PATTERN,
        ConfigType.STRING,
        documentation="A Java regular expression for the whole name of the topic.",
        validator=CompositeValidator.of(NonEmptyString(), RegexValidator()),
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._pattern = java_pattern(settings[_PATTERN], _PATTERN)

    def test(self, record: R) -> bool:
        """Whether the topic matches. Hot path."""
        topic: str | None = record.topic
        return topic is not None and self._pattern.fullmatch(topic) is not None
