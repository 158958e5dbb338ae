"""The places that the maintainers' pages name exist, and hold what is said to be there."""

from __future__ import annotations

import re

import pytest
from tests.docs.pages import DOCS, ROOT

FLOWS = DOCS / "explanation" / "architecture.md"
PAGES = (ROOT / "CONTRIBUTING.md", FLOWS)
PLACE = re.compile(
    r"`((?:runtime|toolkit|conformance|templates|tests|docs|\.ci|plugin-path)/[^`* ]*)`"
)
STEP = re.compile(r"^\| .* \| `(?P<file>[^`]+\.py)` \| `(?P<name>\w+)` \|$", re.MULTILINE)
STEPS = [match.groups() for match in STEP.finditer(FLOWS.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_place_exists(page):
    """Files and directories, by their path in the repository."""
    places = PLACE.findall(page.read_text())

    assert len(places) > 20
    assert [place for place in places if not (ROOT / place).exists()] == []


@pytest.mark.parametrize(("file", "name"), STEPS, ids=[f"{file}:{name}" for file, name in STEPS])
def test_a_step_is_where_the_page_says(file, name):
    """The file defines what is named beside it."""
    text = (ROOT / file).read_text()

    assert re.search(rf"^\s*(?:def|class) {name}\b|^{name} = ", text, re.MULTILINE)


def test_there_are_three_flows():
    """A record, a name and a verdict, each through a dozen of files."""
    flows = FLOWS.read_text().split("\n## ")[1:4]

    assert [len(STEP.findall(flow)) for flow in flows] == [14, 13, 13]


@pytest.mark.parametrize(
    "thing",
    [
        "check",
        "command",
        "plugin type",
        "discovery mode",
        "setting",
        "error",
        "report format",
    ],
)
def test_each_kind_of_change_has_its_files(thing):
    """Numbered, with a path in each step."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (section,) = re.findall(rf"^### …an? {thing}\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    steps = re.findall(r"^\d\. (.*?)(?=^\d\. |^$)", section, re.MULTILINE | re.DOTALL)

    assert len(steps) >= 2
    assert PLACE.search(steps[0])
