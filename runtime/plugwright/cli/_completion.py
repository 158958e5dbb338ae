"""Shell completion of command lines, and the scripts that enable it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

PROGRAMS = ("plugwright", "connect-distributed", "connect-plugin-path", "connect-standalone")
"""The programs that the script completes."""

SHELLS = ("bash", "fish", "zsh")
"""The supported shells."""

_ASKED = "_ARGCOMPLETE"


def complete(parser: argparse.ArgumentParser) -> None:
    """Return completions to the shell and end the process, if a completion script started it.

    The environment shows this, as ``argcomplete`` defines it; without that package nothing happens.
    """
    if _ASKED not in os.environ:
        return
    try:
        import argcomplete  # noqa: PLC0415  # an extra
    except ModuleNotFoundError:
        raise SystemExit(1) from None
    argcomplete.autocomplete(parser, always_complete_options="long")


def completed_by(
    action: argparse.Action, answers: Callable[[argparse.Namespace], Iterable[str]]
) -> None:
    """Let the shell complete an argument's value.

    Args:
        action: the argument, as ``add_argument`` returns it.
        answers: returns the possible values, given the arguments before, when the shell requests
            them.
    """

    def completer(*, parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
        return answers(parsed_args)

    action.completer = completer  # type: ignore[attr-defined]  # read by argcomplete


def completion_script(shell: str) -> str:
    """The script with which a shell completes our programs; for its start-up file.

    Raises:
        ModuleNotFoundError: if ``argcomplete`` is not installed.
    """
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415  # an extra

    script: str = shellcode(PROGRAMS, shell=shell)
    return script
