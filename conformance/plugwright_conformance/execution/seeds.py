"""Seeds: one per run, from which one per check is derived, so that checks can be repeated."""

from __future__ import annotations

import hashlib
import secrets
from random import Random

__all__ = ["check_random", "check_seed", "master_seed", "new_seed"]

_DIGITS = 16


def new_seed() -> str:
    """A fresh master seed, hexadecimal."""
    return secrets.token_hex(_DIGITS // 2)


def master_seed(artifact: str, version: str, nonce: str) -> str:
    """The default master seed of a run, derived from the tested artifact and the suite.

    Args:
        artifact: digest of the plugin under test.
        version: of the suite.
        nonce: a value that is unpredictable before the run (conformance rule 7).
    """
    return hashlib.sha256(f"{artifact}/{version}/{nonce}".encode()).hexdigest()[:_DIGITS]


def check_seed(master: str, check_id: str) -> str:
    """The seed of one check, which depends on the master and the check's id alone."""
    return hashlib.sha256(f"{master}/{check_id}".encode()).hexdigest()[:_DIGITS]


def check_random(master: str, check_id: str) -> Random:
    """The source of random choices for one check."""
    return Random(check_seed(master, check_id))  # noqa: S311  # repeatable on purpose
