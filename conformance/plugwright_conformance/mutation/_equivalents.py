"""The table of equivalent mutants, with the reasons."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, Self

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from plugwright_conformance.mutation._making import CodeMutant

__all__ = ["Equivalents"]

_FILE = "equivalents.toml"
_KEYS = ("plugin", "module", "operator", "gone", "new")
_REASON = "reason"


@dataclass(frozen=True, slots=True)
class Equivalents:
    """Reasons by distribution, module, operator, removed and added lines."""

    reasons: Mapping[tuple[str, ...], str]

    @classmethod
    def shipped(cls) -> Self:
        """Those of the connectors that come with the suite."""
        file = resources.files("plugwright_conformance.mutation").joinpath(_FILE)
        return cls.parse(file.read_text("utf-8"), _FILE)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Those of a file.

        Raises:
            ConnectError: ``mutation.bad-table``.
        """
        try:
            return cls.parse(path.read_text("utf-8"), str(path))
        except OSError as error:
            raise _bad(str(path), f"it cannot be read: {error.strerror}") from error

    @classmethod
    def parse(cls, text: str, name: str) -> Self:
        """Those of a text.

        Raises:
            ConnectError: ``mutation.bad-table`` if it is no TOML, or an entry lacks something.
        """
        try:
            rows = tomllib.loads(text).get("equivalent", [])
        except tomllib.TOMLDecodeError as error:
            raise _bad(name, f"it is no TOML: {error}") from error
        return cls({_key(row, name): row[_REASON] for row in rows})

    def reason(self, plugin: str, mutant: CodeMutant) -> str:
        """Why a mutant is none; empty if the table does not say that."""
        return self.reasons.get((plugin, mutant.module, mutant.operator, *mutant.lines), "")


def _key(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    wanted = {*_KEYS, _REASON}
    if set(row) != wanted or not all(isinstance(v, str) for v in row.values()) or not row[_REASON]:
        raise _bad(name, f"an entry has to have {', '.join(sorted(wanted))}, found {sorted(row)}")
    return tuple(row[each] for each in _KEYS)


def _bad(name: str, reason: str) -> ConnectError:
    return ConnectError(
        f"the table of equivalent mutants {name} cannot be used: {reason}",
        code="mutation.bad-table",
        hint="write [[equivalent]] tables with plugin, module, operator, gone, new and reason",
        facts={"table": name, "reason": reason},
    )
