"""The commands of all installed packages."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pluggy

from plugwright.cli._command import CommandSpecs

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from plugwright.cli._command import Command


def installed_commands() -> dict[str, Command]:
    """Commands by name, in alphabetical order."""
    manager = pluggy.PluginManager("plugwright")
    manager.add_hookspecs(CommandSpecs)
    for extension in entry_points(group="plugwright"):
        _load(manager, extension)
    found = [command for commands in manager.hook.plugwright_commands() for command in commands]
    return {command.name: command for command in sorted(found, key=lambda c: c.name)}


def _load(manager: pluggy.PluginManager, extension: EntryPoint) -> None:
    """Load the commands of one package; a broken package does not hide the others."""
    try:
        manager.register(extension.load(), name=extension.name)
    except Exception as error:  # noqa: BLE001  # whatever a foreign package does on import
        reason = f"{type(error).__name__}: {error}"
        sys.stderr.write(f"the commands of {extension.value} are missing: {reason}\n")
