"""RecordIsTombstone: records without value."""

from __future__ import annotations

from plugwright.config import ConfigDef
from plugwright.transforms._base import R
from plugwright.transforms._builtin import BuiltinPredicate


class RecordIsTombstone(BuiltinPredicate[R]):
    """True for records whose value is null, which delete their key from compacted topics."""

    DEFINITION = ConfigDef()

    def test(self, record: R) -> bool:
        """Whether the record has no value. Hot path."""
        return record.value is None
