"""The commands that the toolkit adds to ``plugwright``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cli import hookimpl
from plugwright_toolkit.commands.completion import COMPLETION
from plugwright_toolkit.commands.config import CONFIG
from plugwright_toolkit.commands.docs import DOCS
from plugwright_toolkit.commands.doctor import DOCTOR
from plugwright_toolkit.commands.explain import EXPLAIN
from plugwright_toolkit.commands.new import NEW
from plugwright_toolkit.commands.pack_environment import PACK_ENVIRONMENT
from plugwright_toolkit.commands.plugin_path import PLUGIN_PATH
from plugwright_toolkit.commands.plugins import PLUGINS
from plugwright_toolkit.commands.prepare import PREPARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.cli import Command

__all__ = ["plugwright_commands"]


@hookimpl
def plugwright_commands() -> Sequence[Command]:
    """The commands that need neither a worker nor the conformance suite."""
    return [
        COMPLETION,
        CONFIG,
        DOCS,
        DOCTOR,
        EXPLAIN,
        NEW,
        PACK_ENVIRONMENT,
        PLUGIN_PATH,
        PLUGINS,
        PREPARE,
    ]
