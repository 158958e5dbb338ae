"""The command line, and the hook through which packages add commands to it."""

from __future__ import annotations

from plugwright.cli._command import Command, CommandSpecs, ExitCode, hookimpl, hookspec
from plugwright.cli._connect import connect_distributed, connect_standalone
from plugwright.cli._main import main

__all__ = [
    "Command",
    "CommandSpecs",
    "ExitCode",
    "connect_distributed",
    "connect_standalone",
    "hookimpl",
    "hookspec",
    "main",
]
