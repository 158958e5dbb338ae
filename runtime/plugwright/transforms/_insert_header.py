"""InsertHeader: adds a header with a fixed value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, NonNullValidator
from plugwright.schema import Values
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADER = "header"
_LITERAL = "value.literal"


class InsertHeader(BuiltinTransformation[R]):
    """Adds a header to every record, after those that it has.

    The type is inferred from the text of the value (``Values.parse_string``): ``12`` is an INT8.
    """

    DEFINITION = (
        ConfigDef()
        .define(
            _HEADER,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="The name of the header.",
            validator=NonNullValidator(),
        )
        .define(
            _LITERAL,
            ConfigType.STRING,
            importance=Importance.HIGH,
            documentation="The value of the header, as text; numbers, booleans, dates, lists and "
            "maps are recognised.",
            validator=NonNullValidator(),
        )
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._header: str = settings[_HEADER]
        self._value = Values.parse_string(settings[_LITERAL])

    def apply(self, record: R) -> R:
        """The record with one more header. Hot path."""
        copy = record.duplicate()
        copy.headers.add(self._header, self._value.value, self._value.schema)
        return copy
