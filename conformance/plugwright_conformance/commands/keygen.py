"""``plugwright keygen``: create a key pair that signs certificates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json

if TYPE_CHECKING:
    import argparse

__all__ = ["KEYGEN"]

_FORMAT = "plugwright-key/1"
_EXAMPLES = """\
examples:
  plugwright keygen ~/.config/plugwright/certify.key

The private key is written to PATH (mode 0600); give PATH.pub to anyone who verifies
your certificates. Existing files are not overwritten.
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", type=Path, help="file for the new private key")
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.certificate import generate_key  # noqa: PLC0415  # after --help

    public = generate_key(arguments.path)
    if arguments.json:
        document = {
            "fingerprint": public.fingerprint,
            "format": _FORMAT,
            "private_key_file": str(arguments.path),
            "public_key": public.pem,
            "public_key_file": f"{arguments.path}.pub",
        }
        write_json(document, sys.stdout)
        return ExitCode.DONE
    sys.stdout.write(
        f"private key  {arguments.path} (keep it secret)\n"
        f"public key   {arguments.path}.pub\n"
        f"fingerprint  {public.fingerprint}\n"
        f"{public.pem}"
    )
    return ExitCode.DONE


KEYGEN = Command(
    name="keygen",
    summary="create an Ed25519 key pair for signing certificates",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
