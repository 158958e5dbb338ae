"""HasHeaderKey: records with a certain header."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigDef, ConfigType, NonEmptyString
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinPredicate

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "name"


class HasHeaderKey(BuiltinPredicate[R]):
    """True for records with at least one header of the given name."""

    DEFINITION = ConfigDef().define(
        _NAME,
        ConfigType.STRING,
        documentation="The name of the header.",
        validator=NonEmptyString(),
    )

    def _take(self, settings: Mapping[str, Any]) -> None:
        self._name: str = settings[_NAME]

    def test(self, record: R) -> bool:
        """Whether the record has such a header. Hot path."""
        return record.has_headers and record.headers.last_with_name(self._name) is not None
