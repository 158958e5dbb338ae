"""DropHeaders: removes headers by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, Importance, ValidList
from plugwright.headers import Headers
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADERS = "headers"


class DropHeaders(BuiltinTransformation[R]):
    """Removes every header with one of the given names."""

    DEFINITION = ConfigDef().define(
        _HEADERS,
        ConfigType.LIST,
        importance=Importance.HIGH,
        documentation="The names of the headers to remove.",
        validator=ValidList.any_non_duplicate_values(empty_allowed=False, null_allowed=False),
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._names = frozenset(settings[_HEADERS])

    def apply(self, record: R) -> R:
        """The record without these headers. Hot path."""
        if not record.has_headers:
            return record
        kept = (header for header in record.headers if header.key not in self._names)
        return record.new_record(headers=Headers(kept))
