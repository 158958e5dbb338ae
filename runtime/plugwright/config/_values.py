"""The outcome of validating one setting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """One setting with its parsed value and all its problems.

    Attributes:
        name: the key.
        value: the parsed value, ``None`` where parsing failed.
        recommended_values: what a recommender proposes; never enforced.
        error_messages: the problems, in the order they were found.
        visible: whether a user interface should show the setting now.
    """

    name: str
    value: object = None
    recommended_values: Sequence[object] = ()
    error_messages: Sequence[str] = ()
    visible: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "recommended_values", tuple(self.recommended_values))
        object.__setattr__(self, "error_messages", tuple(self.error_messages))

    def with_error(self, message: str) -> ConfigValue:
        """The same setting with one more problem; for connectors that check settings together."""
        return replace(self, error_messages=(*self.error_messages, message))
