"""The definition of a command, and the hook with which other packages add commands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

hookspec = pluggy.HookspecMarker("plugwright")
hookimpl = pluggy.HookimplMarker("plugwright")


class ExitCode(IntEnum):
    """The exit statuses of every command."""

    DONE = 0
    USAGE = 1
    EXPLAINED = 2
    BUG = 3
    FOUND = 4


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand of ``plugwright``.

    Attributes:
        summary: the line in the list of commands.
        epilog: examples, shown below the options.
        configure: adds the command's arguments.
        run: runs the command; returns an `ExitCode`, raises `ConnectError` for an explained
            failure.
        supervised: whether the program runs it in a process of its own, so that an interrupt
            leaves no process and no temporary file of it.
    """

    name: str
    summary: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    epilog: str = ""
    supervised: bool = False


class CommandSpecs:
    """The hooks of the command line."""

    @hookspec
    def plugwright_commands(self) -> Sequence[Command]:  # type: ignore[empty-body]  # a specification
        """The commands that a package adds."""
