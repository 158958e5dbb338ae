"""``plugwright completion``: prints a script for completion in a shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from plugwright.cli import SHELLS, Command, ExitCode, completion_script

if TYPE_CHECKING:
    import argparse

__all__ = ["COMPLETION"]

_EXAMPLES = """\
The script completes plugwright, connect-plugin-path, connect-standalone and connect-distributed.

examples:
  echo 'eval "$(plugwright completion bash)"' >> ~/.bashrc
  echo 'eval "$(plugwright completion zsh)"' >> ~/.zshrc
  echo 'plugwright completion fish | source' >> ~/.config/fish/config.fish
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def _run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(completion_script(arguments.shell).strip() + "\n")
    return ExitCode.DONE


COMPLETION = Command(
    name="completion",
    summary="print the script that completes command lines in bash, zsh or fish",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
