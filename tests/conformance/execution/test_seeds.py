"""Seeds make a run repeatable, check by check."""

from __future__ import annotations

import re

from plugwright_conformance.execution.seeds import check_random, check_seed, master_seed, new_seed


def test_new_seeds_are_hexadecimal_and_differ():
    """A master seed can be typed into a command."""
    one, other = new_seed(), new_seed()

    assert re.fullmatch(r"[0-9a-f]{16}", one)
    assert one != other


def test_seed_of_a_check_is_the_digest_of_master_and_id():
    """The rule is fixed: anybody can derive it with sha256sum."""
    assert check_seed("7f3c", "SNK-OFF-02") == "635b1f91e58a9e36"


def test_checks_and_masters_draw_independently():
    """Adding a check does not change the choices of another."""
    pairs = [("1", "A"), ("1", "B"), ("2", "A")]

    assert len({check_random(*pair).random() for pair in pairs}) == 3


def test_master_seed_follows_from_artifact_suite_and_nonce():
    """Whoever has the certificate can derive it with sha256sum."""
    assert master_seed("ab", "0.1.0", "nonce") == "40234085e3febfb6"
