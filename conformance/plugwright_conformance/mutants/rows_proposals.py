"""Recommenders of the number of rows in a batch, of which one is good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ProposesBeyondLimit", "ProposesByUrl", "ProposesNull", "ProposesPowers"]

_TYPICAL = (10, 100, 1000)


class ProposesPowers:
    """Proposes powers of ten."""

    def valid_values(self, _name: str, _parsed: Mapping[str, Any], /) -> Any:
        """Typical numbers."""
        return _TYPICAL

    def visible(self, _name: str, _parsed: Mapping[str, Any], /) -> bool:
        """Always."""
        return True


class ProposesNull(ProposesPowers):
    """Proposes null instead of an empty list."""

    def valid_values(self, _name: str, _parsed: Mapping[str, Any], /) -> Any:
        """Null, as nothing is known."""
        return None


class ProposesBeyondLimit(ProposesPowers):
    """Proposes zero, which once meant that there was no limit."""

    def valid_values(self, _name: str, _parsed: Mapping[str, Any], /) -> Sequence[int]:
        """Typical numbers, and one that is rejected."""
        return [0, *_TYPICAL]


class ProposesByUrl(ProposesPowers):
    """Looks at the URL, which may not be given yet."""

    def valid_values(self, _name: str, parsed: Mapping[str, Any], /) -> Sequence[int]:
        """Small numbers for other machines."""
        return _TYPICAL if "@localhost/" in parsed["rows.url"] else _TYPICAL[:2]
