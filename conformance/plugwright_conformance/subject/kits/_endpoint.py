"""What all endpoint kits share: connector settings, the seeded value, and how values are text."""

from __future__ import annotations

import hashlib
import json
import shutil
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from plugwright import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

__all__ = [
    "KitEndpoint",
    "decoder",
    "encoder",
    "filled",
    "move_away",
    "move_back",
    "remove_all",
    "run_name",
]


class KitEndpoint(ABC):
    """An endpoint driver with options of ``conformance.toml``.

    Args:
        options: the table ``[plugin.endpoint]``, already checked.
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        self._options, self._directory = options, directory

    @abstractmethod
    def stop(self) -> None:
        """Take the endpoint down; it may have been made unavailable."""

    @abstractmethod
    def seed(self, values: Sequence[Any]) -> None:
        """Add values without the connector."""

    @abstractmethod
    def read_back(self) -> Sequence[Any]:
        """Every value, in order where there is one."""

    @abstractmethod
    def _open(self) -> Mapping[str, str]:
        """Set the endpoint up; the values of the placeholders."""

    def start(self) -> Mapping[str, str]:
        """Set the endpoint up; the settings that point the connector at it."""
        return filled(self._options["settings"], self._open())

    def seeded(self, value: Any) -> Any:
        """The seeded value: the declared field of a struct or map, or the value itself."""
        field = self._options.get("value", "")
        return value[field] if field and isinstance(value, Struct | dict) else value

    def seed_foreign(self) -> Sequence[str] | None:
        """Add the declared foreign value; the words that an error about it must contain."""
        foreign = self._options.get("foreign")
        if foreign is None:
            return None
        self.seed([foreign["value"]])
        words: Sequence[str] = foreign["words"]
        return words


def filled(settings: Mapping[str, str], placeholders: Mapping[str, str]) -> Mapping[str, str]:
    """Connector settings with the values of placeholders such as ``{url}``."""
    return {name: _replaced(text, placeholders) for name, text in settings.items()}


def _replaced(text: str, placeholders: Mapping[str, str]) -> str:
    for name, value in placeholders.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def run_name(directory: Path) -> str:
    """A name for one endpoint, which differs from run to run."""
    return hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:12]


def encoder(options: Mapping[str, Any]) -> Callable[[Any], str]:
    """Writes a value in the declared format."""
    field = options.get("value", "")

    def encode(value: Any) -> str:
        return json.dumps({field: value} if field else value, ensure_ascii=False)

    return encode if options.get("format", "text") == "json" else str


def decoder(options: Mapping[str, Any]) -> Callable[[str], Any]:
    """Reads a value that was written in the declared format."""
    field = options.get("value", "")

    def decode(text: str) -> Any:
        found = json.loads(text)
        return found[field] if field else found

    return decode if options.get("format", "text") == "json" else str


def move_away(path: Path, *, leave_directory: bool = False) -> None:
    """Make an endpoint of files unavailable: something else takes its place."""
    path.rename(_aside(path))
    if leave_directory:
        path.mkdir()
    else:
        path.touch()


def move_back(path: Path) -> None:
    """End that, with everything there that was there before."""
    _remove(path)
    _aside(path).rename(path)


def _aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.aside")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def remove_all(path: Path) -> None:
    """Remove an endpoint of files, wherever it is."""
    for each in (path, _aside(path)):
        _remove(each)
