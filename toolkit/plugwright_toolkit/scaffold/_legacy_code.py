"""Finds the modules of a location's plugins, and the settings of the plugins."""

from __future__ import annotations

import importlib
import json
import operator
import shutil
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import Location, PluginDescriptor


_LIMIT_S = 60.0
_CHILD = f"import sys; from {__name__} import answer; answer(*sys.argv[1:])"


def describe_settings(location: Location, plugins: Sequence[PluginDescriptor]) -> Mapping[str, str]:
    """The settings of each plugin in Markdown, as ``plugwright docs`` prints them, by class name.

    A plugin that fails is left out; all are if one of them ends the process, or if it takes longer
    than a minute.
    """
    names = [f"{plugin.module}:{plugin.qualname}" for plugin in plugins]
    # -P: modules in the current directory are not part of the location
    # -B: compiled files would change the location
    child = [sys.executable, "-P", "-B", "-c", _CHILD, str(location.path), *names]
    try:
        done = subprocess.run(  # noqa: S603  # this module, by this interpreter
            child, capture_output=True, check=True, stdin=subprocess.DEVNULL, timeout=_LIMIT_S
        )
        described: Mapping[str, str] = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError):
        return {}
    known = zip(plugins, names, strict=True)
    return {plugin.class_name: described[name] for plugin, name in known if name in described}


def _described(name: str) -> str:
    from plugwright.config import ConfigDef, to_markdown  # noqa: PLC0415  # in the child only

    module, _, qualname = name.partition(":")
    plugin: Any = operator.attrgetter(qualname)(importlib.import_module(module))()
    return to_markdown(getattr(plugin, "config", ConfigDef)()).strip()


def answer(location: str, *names: str) -> None:
    """Run in the child: print the settings of the plugins as JSON."""
    sys.path.insert(0, location)
    described = {}
    with redirect_stdout(sys.stderr):  # standard output belongs to the answer
        for name in names:
            with suppress(Exception):
                described[name] = _described(name)
    sys.stdout.write(json.dumps(described))


_NEVER = frozenset({"build", "conftest", "dist", "docs", "setup", "test", "tests"})
_SKIPPED = shutil.ignore_patterns("__pycache__", "*.py[co]")


@dataclass(frozen=True, slots=True)
class LegacyCode:
    """Top-level packages and modules.

    Attributes:
        packages: the names of the packages.
        paths: the files and directories to copy.
        others: other modules of the location, which may belong to other distributions.
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
    """The code of a location without tests; of several distributions only that of the plugins."""
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
