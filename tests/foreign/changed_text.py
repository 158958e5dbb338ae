"""Changes of a text that fit in one place each, so that a fault is put where it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["with_changes"]


def with_changes(text: str, changes: Iterable[tuple[str, str]], name: str) -> str:
    """A text with other parts.

    Args:
        text: what is changed.
        changes: pairs of old and new text.
        name: of what is made, for the error.

    Raises:
        ValueError: if an old text does not occur once.
    """
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"{name} has {text.count(old)} times {old!r}")
        text = text.replace(old, new)
    return text
