"""Restricts the paths that a provider may read to ``allowed.paths``, if set (KIP-993)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from plugwright.config._problems import problem
from plugwright.errors import ConfigError, IllegalWorkerStateError

if TYPE_CHECKING:
    from collections.abc import Mapping

ALLOWED_PATHS: Final = "allowed.paths"


@dataclass(frozen=True, slots=True)
class AllowedPaths:
    """The directories and files under which reading is allowed; ``None`` allows everything.

    Links are resolved before paths are compared, so a link cannot lead outside.
    """

    roots: tuple[Path, ...] | None = None

    @classmethod
    def configured(cls, setting: object) -> AllowedPaths:
        """The paths of a comma separated setting; ``None`` or an empty one allows everything.

        Raises:
            ConfigError: if one of the paths is not absolute or does not exist.
        """
        if setting is None or setting == "":
            return cls()
        return cls(tuple(_root(part.strip()) for part in str(setting).split(",")))

    def if_allowed(self, path: str | Path) -> Path | None:
        """The path with links resolved, ``None`` if it is not allowed; as given without limits."""
        if self.roots is None:
            return Path(path)
        try:
            resolved = Path(path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, or a zero byte
            return None
        return resolved if any(map(resolved.is_relative_to, self.roots)) else None


def configured_paths(props: Mapping[str, object]) -> AllowedPaths:
    """The allowed paths in the settings of a provider.

    Raises:
        ConfigError: if one of the paths is not absolute or does not exist.
    """
    return AllowedPaths.configured(props.get(ALLOWED_PATHS))


def required(paths: AllowedPaths | None) -> AllowedPaths:
    """The paths of a provider that has been configured.

    Raises:
        IllegalWorkerStateError: if it has not.
    """
    if paths is None:
        raise IllegalWorkerStateError(
            "The provider has not been configured yet.", hint="call configure() first"
        )
    return paths


def _root(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise _bad_root(f"Path {text} is not absolute")
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise _bad_root(f"Path {text} does not exist") from error


def _bad_root(message: str) -> ConfigError:
    hint = f"name existing directories or files by absolute paths in {ALLOWED_PATHS}"
    return problem(ALLOWED_PATHS, message, hint=hint)
