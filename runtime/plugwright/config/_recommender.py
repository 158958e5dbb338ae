"""Recommendations for a setting that depend on other settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Recommender(Protocol):
    """Proposes values for a setting and decides whether to show it.

    Both methods see every parsed value; where parsing failed it is ``None``. Recommended values are
    never enforced.
    """

    def valid_values(self, name: str, parsed: Mapping[str, object], /) -> Sequence[object]:
        """The values to propose, of the type of the setting."""

    def visible(self, name: str, parsed: Mapping[str, object], /) -> bool:
        """Whether a user interface should show the setting."""
