"""The settings that the connectors of a run were given, so that secrets can be told again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["SECRET_NAME", "SettingsUsed"]

SECRET_NAME = re.compile(
    r"(^|[._-])(password|passwd|passphrase|secret|token|(api|access|private|secret)[._-]?key)$",
    re.IGNORECASE,
)
"""Settings whose name ends in a word for a secret."""


class SettingsUsed:
    """Every value that a setting had during a run; printing it shows none of them."""

    def __init__(self) -> None:
        self._values: dict[str, set[str]] = {}
        self._secret: set[str] = set()

    def note(self, settings: Mapping[str, str]) -> None:
        """Remember settings that a connector is given."""
        for name, value in settings.items():
            self._values.setdefault(name, set()).add(str(value))

    def note_all(self, settings: Mapping[str, Sequence[str]]) -> None:
        """Remember what another process has seen, as `everything` tells it."""
        for name, values in settings.items():
            self._values.setdefault(name, set()).update(map(str, values))

    def everything(self) -> Mapping[str, Sequence[str]]:
        """Every setting with its values, secret ones too; for the process that asked for them."""
        return {name: sorted(values) for name, values in self._values.items()}

    def told(self) -> Mapping[str, Mapping[str, Sequence[str]] | Sequence[str]]:
        """All of it as plain data, for `learn` in another process."""
        return {"values": self.everything(), "secret": sorted(self._secret)}

    def learn(self, told: Any) -> None:
        """Take over what another process has `told`; of what it has made up, nothing."""
        if isinstance(told, dict) and {"values", "secret"} <= told.keys():
            self.note_all(told["values"])
            self.mark(told["secret"])

    def mark(self, names: Collection[str]) -> None:
        """Say which settings have the type of secrets."""
        self._secret.update(names)

    def secrets(self) -> Mapping[str, Sequence[str]]:
        """The values of every setting that is secret by its type or by its name."""
        return {
            name: values
            for name, values in sorted(self.everything().items())
            if name in self._secret or SECRET_NAME.search(name)
        }
