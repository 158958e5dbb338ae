"""The command line, and the hook with which packages add commands to it."""

from __future__ import annotations

from plugwright.cli._command import Command, CommandSpecs, ExitCode, hookimpl, hookspec
from plugwright.cli._completion import PROGRAMS, SHELLS, completed_by, completion_script
from plugwright.cli._connect import connect_distributed, connect_standalone
from plugwright.cli._main import main, run_program
from plugwright.cli._output import add_json, error_document, write_json
from plugwright.cli._settings import worker_misspellings
from plugwright.cli.commands import installed_commands

__all__ = [
    "PROGRAMS",
    "SHELLS",
    "Command",
    "CommandSpecs",
    "ExitCode",
    "add_json",
    "completed_by",
    "completion_script",
    "connect_distributed",
    "connect_standalone",
    "error_document",
    "hookimpl",
    "hookspec",
    "installed_commands",
    "main",
    "run_program",
    "worker_misspellings",
    "write_json",
]
