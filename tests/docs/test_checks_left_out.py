"""The page of the checks that were given up says nothing that is not so."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import DOCS

from plugwright_conformance.checks import CHECKS

PAGE = (DOCS / "reference" / "checks-left-out.md").read_text("utf-8")
ROWS = [
    line.strip("|").split("|") for line in PAGE.splitlines() if re.match(r"\| (PLG|CON|S)", line)
]
ID = re.compile(r"\b(?:PLG|CON|SRC|SNK)-[A-Z]+-\d\d\b")
ROOT = Path(__file__).parents[2]


def test_checks_of_the_page_do_not_exist():
    """Or they were not given up."""
    left_out = {name for row in ROWS for name in ID.findall(row[0])}

    assert len(left_out) > 40
    assert left_out & {check.id for check in CHECKS} == set()


def test_what_is_named_instead_exists():
    """Other checks, and tests of the project."""
    instead = " ".join(row[-1] for row in ROWS)

    assert {*ID.findall(instead)} <= {check.id for check in CHECKS}
    assert [
        path for path in re.findall(r"tests/[\w/.]+", instead) if not (ROOT / path).exists()
    ] == []
