"""A key has to be the same in every process that reads its value."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import Outcome

pytestmark = pytest.mark.slow


def test_records_without_keys_have_nothing_to_compare(run):
    """It does not apply, and says why."""
    (result,) = run("lines-source", "SRC-TYP-08").results

    assert (result.outcome, result.message) == (Outcome.NOT_APPLICABLE, "no record has a key")


def test_key_of_hash_differs(mutate, run):
    """The failure shows both keys, which are numbers here."""
    (result,) = run(mutate("M314"), "SRC-TYP-08").results

    assert result.outcome is Outcome.FAIL
    first = result.expected.removeprefix("key ").removesuffix(", as in the first process")
    assert int(first) != int(result.observed)


def test_key_of_digest_is_the_same(mutate, run):
    """A digest depends on nothing but the text."""
    location = mutate("M314")
    (module,) = location.glob("*/rows_source_hashes.py")
    text = module.read_text("utf-8")
    assert text.count("hash(str(row))") == 1
    module.write_text(
        text.replace("hash(str(row))", "__import__('zlib').crc32(str(row).encode())"), "utf-8"
    )

    (result,) = run(location, "SRC-TYP-08").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert result.observations == 12
