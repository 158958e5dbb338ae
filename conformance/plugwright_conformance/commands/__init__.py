"""The commands that the conformance suite adds to ``plugwright``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.cli import hookimpl
from plugwright_conformance.commands.certify import CERTIFY
from plugwright_conformance.commands.errata import ERRATA
from plugwright_conformance.commands.gallery import GALLERY
from plugwright_conformance.commands.keygen import KEYGEN
from plugwright_conformance.commands.kill_matrix import KILL_MATRIX
from plugwright_conformance.commands.mutate import MUTATE
from plugwright_conformance.commands.replay import REPLAY
from plugwright_conformance.commands.verify import VERIFY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.cli import Command

__all__ = ["plugwright_commands"]


@hookimpl
def plugwright_commands() -> Sequence[Command]:
    """``certify``, and the commands for certificates and the suite itself."""
    return [CERTIFY, ERRATA, GALLERY, KEYGEN, KILL_MATRIX, MUTATE, REPLAY, VERIFY]
