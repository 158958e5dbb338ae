"""A dictionary that reports which keys are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class RecordingDict(dict[str, Any]):
    """A copy of settings that reports each key that is read.

    Iterating, copying and ``in`` report nothing.

    Args:
        settings: the settings to copy.
        used: called with each key that is read, present or not.
    """

    def __init__(self, settings: Mapping[str, Any], used: Callable[[str], None]) -> None:
        super().__init__(settings)
        self._used = used

    def __getitem__(self, key: str) -> Any:
        self._used(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default."""
        self._used(key)
        return super().get(key, default)

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self.items()),)
