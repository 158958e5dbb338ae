"""The commands that the toolkit adds to ``plugwright``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cli import hookimpl
from plugwright_toolkit.commands.docs import DOCS
from plugwright_toolkit.commands.plugins import PLUGINS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.cli import Command

__all__ = ["plugwright_commands"]


@hookimpl
def plugwright_commands() -> Sequence[Command]:
    """``docs`` and ``plugins``."""
    return [DOCS, PLUGINS]
