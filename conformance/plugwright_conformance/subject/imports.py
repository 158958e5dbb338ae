"""Separates the modules of one subject from those of others and of the environment."""

from __future__ import annotations

import importlib
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from plugwright.plugins import PluginDescriptor

__all__ = ["OtherCodeError", "forgetting_imports", "require_own_code"]


class OtherCodeError(Exception):
    """The plugin's name resolves to code outside its location."""


@contextmanager
def forgetting_imports(root: Path) -> Iterator[None]:
    """Forget, at the end, every module that was imported from a location in the meantime.

    Two locations may hold packages of the same name, such as two builds of one plugin; each run
    has to see its own. What was there before stays.
    """
    root = root.resolve()
    path, modules = list(sys.path), set(sys.modules)
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = [entry for entry in sys.path if entry in path or entry != str(root)]
        for name in sys.modules.keys() - modules:
            if _is_below(sys.modules[name], root):
                del sys.modules[name]


def require_own_code(plugin: PluginDescriptor, root: Path) -> None:
    """Make sure that the loaded module of a plugin is the one in its location.

    Raises:
        OtherCodeError: if another of that name was imported before, or comes first on the path.
    """
    module = sys.modules[plugin.module]
    if not _is_below(module, root.resolve()):
        raise OtherCodeError(
            f"{plugin.module} was imported from {getattr(module, '__file__', None)}, "
            f"not from {root}: run where no other {plugin.distribution} is installed"
        )


def _is_below(module: ModuleType, root: Path) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).resolve().is_relative_to(root)
