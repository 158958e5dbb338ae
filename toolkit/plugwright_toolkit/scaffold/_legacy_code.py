"""Which modules of a location belong to its plugins."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins import Location, PluginDescriptor

_NEVER = frozenset({"build", "conftest", "dist", "docs", "setup", "test", "tests"})
_SKIPPED = shutil.ignore_patterns("__pycache__", "*.py[co]")


@dataclass(frozen=True, slots=True)
class LegacyCode:
    """Top-level packages and modules.

    Attributes:
        packages: names of the packages.
        paths: what is copied.
        others: what stands beside it and may belong to other distributions.
    """

    packages: frozenset[str]
    paths: Sequence[Path]
    others: Sequence[str]

    def copy_to(self, directory: Path) -> None:
        """Copy everything, without compiled files."""
        directory.mkdir()
        for path in self.paths:
            if path.is_dir():
                shutil.copytree(path, directory / path.name, ignore=_SKIPPED)
            else:
                shutil.copyfile(path, directory / path.name)


def find_code(location: Location, plugins: Sequence[PluginDescriptor]) -> LegacyCode:
    """The code of a location: all of it, but for tests; of several distributions, the plugins'."""
    owners = {plugin.module.partition(".")[0] for plugin in plugins}
    found = {path.stem: path for path in sorted(location.path.iterdir()) if _is_code(path)}
    chosen = found if len(location.metadata_directories()) <= 1 else owners
    paths = [path for name, path in found.items() if name in owners or name in chosen]
    return LegacyCode(
        frozenset(path.name for path in paths if path.is_dir()),
        paths,
        [name for name, path in found.items() if path not in paths],
    )


def _is_code(path: Path) -> bool:
    if not path.stem.isidentifier() or path.stem in _NEVER:
        return False
    return path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
