"""Imports plugin classes into the process that uses them."""

from __future__ import annotations

import importlib
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plugwright
from plugwright.errors import DiscoveryError
from plugwright.import_order import enter
from plugwright.plugins._declared_version import declared_version
from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from plugwright.plugins._descriptor import PluginDescriptor
    from plugwright.plugins._location import Location


def load_class(plugin: PluginDescriptor, among: Sequence[Location] = ()) -> type:
    """Import the plugin's module and return its class.

    Args:
        plugin: the plugin to load.
        among: further locations that the module may come from, because they share this process
            and have identical files under the same names.

    Raises:
        DiscoveryError: if the module cannot be imported, has no such class, the class does not
            extend the base class of its type, or the module of that name in this process
            belongs to another location.
    """
    module = _import(plugin)
    _require_own(plugin, module, among)
    found: object = module
    for name in plugin.qualname.split("."):
        try:
            found = getattr(found, name)
        except Exception as error:  # a module may compute its attributes
            raise _failure(
                plugin,
                "plugin.no-such-class",
                f"module {plugin.module} has no {plugin.qualname}",
                "correct the entry point or the class name, then build the package again",
            ) from error
    base: type = getattr(plugwright, plugin.type.base)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise _failure(
            plugin,
            "plugin.wrong-base",
            f"{plugin.class_name} is not a subclass of plugwright.{plugin.type.base}",
            f"extend plugwright.{plugin.type.base}, or move the entry to the right group",
        )
    return found


def version_mismatch(plugin: PluginDescriptor) -> Diagnostic | None:
    """The diagnostic about a class that declares another version than its distribution."""
    declared = declared_version(plugin)
    if plugin.location is None or declared in {None, plugin.version}:
        return None
    return Diagnostic(
        DiagnosticLevel.WARNING,
        "version-mismatch",
        str(plugin.location.origin),
        f"{plugin.class_name} declares version {declared}, its distribution {plugin.version}, "
        "which is the one that counts",
        hint="let version() return the version of the distribution",
    )


def import_from(location: Location | None, module: str) -> ModuleType:
    """Import a module from a location, or else from this process.

    The location precedes what is installed with the runtime, as in a separate process;
    modules that are already imported stay.
    """
    if location is not None and (path := str(location.path.resolve())) not in sys.path:
        enter([path])
    return importlib.import_module(module)


def _require_own(plugin: PluginDescriptor, module: Any, among: Sequence[Location]) -> None:
    """Reject a module that another location imported under the same name.

    A copy that was installed with the runtime and is already imported is accepted.
    """
    file = getattr(module, "__file__", None)
    if plugin.location is None or file is None:
        return
    own = [location.path.resolve() for location in (plugin.location, *among)]
    host = [Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")]
    if any(Path(file).resolve().is_relative_to(place) for place in (*own, *host)):
        return
    raise _failure(
        plugin,
        "plugin.module-clash",
        f"this process already has a module {plugin.module} from {file}",
        "give the packages of the two plugins different names, or run them in different processes",
    )


def _import(plugin: PluginDescriptor) -> object:
    try:
        return import_from(plugin.location, plugin.module)
    except (Exception, SystemExit) as error:
        raise _failure(
            plugin,
            "plugin.import-failed",
            f"importing {plugin.module} failed: {type(error).__name__}: {error}",
            "install what it misses into its location, or fix the module",
        ) from error


def _failure(plugin: PluginDescriptor, code: str, message: str, hint: str) -> DiscoveryError:
    where = plugin.location.origin if plugin.location else "the runtime"
    return DiscoveryError(
        f"{plugin.type.name} {plugin.class_name} {plugin.version} in {where} cannot be loaded: "
        f"{message}",
        code=code,
        hint=hint,
        facts={
            "plugin": plugin.class_name,
            "type": plugin.type.name,
            "version": plugin.version,
            "location": str(where),
        },
    )
