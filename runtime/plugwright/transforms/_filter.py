"""Filter: drops records."""

from __future__ import annotations

from plugwright.config import ConfigDef
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinTransformation


class Filter(BuiltinTransformation[R]):
    """Drops every record that it is applied to; give it a predicate (KIP-585)."""

    DEFINITION = ConfigDef()

    def apply(self, record: R) -> None:
        """Drop the record. Hot path."""
