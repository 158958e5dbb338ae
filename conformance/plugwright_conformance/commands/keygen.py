"""``plugwright keygen``: make a key that certificates are signed with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode

if TYPE_CHECKING:
    import argparse

__all__ = ["KEYGEN"]

_EXAMPLES = """\
examples:
  plugwright keygen ~/.config/plugwright/certify.key

The private key stays in PATH (mode 0600); give PATH.pub to whoever is to verify your
certificates. Nothing is overwritten.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", type=Path, help="file for the new private key")


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.certificate import generate_key  # noqa: PLC0415  # after --help

    public = generate_key(arguments.path)
    sys.stdout.write(
        f"private key  {arguments.path} (keep it to yourself)\n"
        f"public key   {arguments.path}.pub\n"
        f"fingerprint  {public.fingerprint}\n"
        f"{public.pem}"
    )
    return ExitCode.DONE


KEYGEN = Command(
    name="keygen",
    summary="make an Ed25519 key for signing certificates",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
