"""A required setting that stands in the configuration under a similar name."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigValue, misspelling, require_valid
from plugwright.errors import ConfigError

KNOWN = ["name", "file", "batch.size"]


@pytest.mark.parametrize(
    ("wrong", "given", "hint"),
    [
        ("file", ["flie"], "flie is not a setting; did you mean file?"),
        (
            "batch.size",
            ["file", "batchsize"],
            "batchsize is not a setting; did you mean batch.size?",
        ),
        ("file", ["topic"], ""),
        ("name", ["file.name"], ""),
        ("file", ["file", "flie"], ""),
        ("file", [], ""),
    ],
    ids=["exchanged", "dot", "other", "longer", "given", "nothing"],
)
def test_only_a_missing_setting_with_a_similar_unknown_key_is_misspelt(wrong, given, hint):
    """Whatever else is wrong with it has another cause."""
    assert misspelling([wrong], KNOWN, given) == hint


def test_the_error_of_a_validation_says_so():
    """In the place of the hint to correct the value."""
    value = ConfigValue("file").with_error("it is missing")

    with pytest.raises(ConfigError) as caught:
        require_valid([value], ["flie"])

    assert caught.value.hint == "flie is not a setting; did you mean file?"
