"""Wheels, zip archives, zip applications and eggs: verified, and rewritten without recompression.

Verify first, then rewrite beside the original, then rename::

    members = open_artifact(path)
    require_unsigned(members)
    require_record(members)
    rewrite(path, {entry_points: text, record: rows}, beside)

RECORD's hashes show that a file is whole, not who made it.
"""

from __future__ import annotations

from plugwright_toolkit.archives._artifact import (
    ArtifactMembers,
    open_artifact,
    require_unsigned,
)
from plugwright_toolkit.archives._errors import ArtifactError
from plugwright_toolkit.archives._record import require_record, verify_record
from plugwright_toolkit.archives._rewriting import rewrite

__all__ = [
    "ArtifactError",
    "ArtifactMembers",
    "open_artifact",
    "require_record",
    "require_unsigned",
    "rewrite",
    "verify_record",
]
