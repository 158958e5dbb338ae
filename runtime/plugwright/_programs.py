"""The installed programs; each imports what it needs where an interrupt ends it in one line.

Python's own start is all that is left in which an interrupt prints a trace.
"""

from __future__ import annotations

import signal
import sys
from importlib import import_module

__all__: list[str] = []


def plugwright() -> None:
    """The command ``plugwright``; exits."""
    _run("plugwright.cli", "main")


def connect_standalone() -> None:
    """The command ``connect-standalone``; exits."""
    _run("plugwright.cli", "connect_standalone")


def connect_distributed() -> None:
    """The command ``connect-distributed``; exits."""
    _run("plugwright.cli", "connect_distributed")


def connect_plugin_path() -> None:
    """The command ``connect-plugin-path``; exits."""
    _run("plugwright_toolkit.commands.plugin_path", "main")


def _run(module: str, name: str) -> None:
    try:
        getattr(import_module(module), name)()
    except KeyboardInterrupt:  # before the program handles it itself
        sys.stderr.write("interrupted\n")
        sys.exit(128 + signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left that could be unwound
