"""Java's replacement strings."""

from __future__ import annotations

import re

import pytest

from plugwright.errors import ConfigError
from plugwright.transforms.java_replacement import java_replacement

PATTERN = re.compile(r"(?P<first>a)(b)(c)?")

REPLACED = {
    "number": ("$2$1", "ba"),
    "whole": ("<$0>", "<ab>"),
    "name": ("${first}!", "a!"),
    "more-digits-than-groups": ("$12", "a2"),
    "group-without-match": ("[$3]", "[]"),
    "escaped-dollar": (r"\$1", "$1"),
    "escaped-backslash": (r"\\", "\\"),
    "escaped-letter": (r"\n", "n"),
    "python-has-no-say": (r"\\g<1>", r"\g<1>"),
}
REFUSED = {
    "number": ("$4", "No group 4"),
    "name": ("${other}", "No group with name {other}"),
    "open-name": ("${first", "Illegal group reference"),
    "lone-dollar": ("a$", "group index is missing"),
    "lone-backslash": ("a\\", "character to be escaped is missing"),
}


@pytest.mark.parametrize(("template", "expected"), REPLACED.values(), ids=REPLACED)
def test_a_template_is_filled_as_in_java(template, expected):
    """Groups by number and name, escapes with a backslash."""
    assert PATTERN.sub(java_replacement(template, PATTERN, "replacement"), "ab") == expected


@pytest.mark.parametrize(("template", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_template_that_can_never_work_is_refused_with_its_key(template, problem):
    """Before the first record, not at it."""
    with pytest.raises(ConfigError, match=re.escape(problem)) as raised:
        java_replacement(template, PATTERN, "replacement")

    assert raised.value.facts["key"] == "replacement"
