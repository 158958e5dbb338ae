"""Settings that record writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WriteTrackingSettings"]


class WriteTrackingSettings(dict[str, str]):
    """Settings passed to a plugin; copies of them are ordinary mappings.

    Attributes:
        written: what was written or removed, by name.
    """

    def __init__(self, settings: Mapping[str, str]) -> None:
        super().__init__(settings)
        self.written: list[str] = []

    def __setitem__(self, name: str, value: str) -> None:
        """Write, and note it."""
        self.written.append(name)
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        """Remove, and note it."""
        self.written.append(name)
        super().__delitem__(name)

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]  # takes what update takes
        """Write what others have, and note it."""
        self.update(other)
        return self

    def pop(self, name: str, *default: Any) -> Any:
        """Remove, and note it."""
        self.written.append(name)
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, str]:
        """Remove the last one, and note it."""
        name, value = super().popitem()
        self.written.append(name)
        return name, value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """Write what is not there, and note it."""
        if name not in self:
            self[name] = default
        return self[name]

    def update(self, *others: Any, **more: str) -> None:
        """Write what others have, and note it."""
        for name, value in dict(*others, **more).items():
            self[name] = value

    def clear(self) -> None:
        """Remove everything, and note it."""
        self.written += self
        super().clear()

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        """An ordinary copy."""
        return dict, (dict(self),)
