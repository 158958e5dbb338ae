"""The places that the maintainers' pages name exist, and hold what is said to be there."""

from __future__ import annotations

import re
import tomllib

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
    """A record, a name and a verdict, each through less than two dozen files."""
    flows = FLOWS.read_text().split("\n## ")[1:4]

    assert [len(STEP.findall(flow)) for flow in flows] == [20, 17, 17]


@pytest.mark.parametrize(
    ("package", "directory", "contract"),
    [
        ("plugwright", "runtime", "Packages of the runtime depend one way only"),
        ("plugwright_conformance", "conformance", "Packages of the suite depend one way only"),
    ],
)
def test_the_diagram_has_every_package_in_the_order_of_the_layers(package, directory, contract):
    """From the layer that imports all others to the one that imports none."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in contracts["contracts"] if c["name"] == contract)
    rank = {
        name.strip().removeprefix("plugwright."): number
        for number, layer in enumerate(layers)
        for name in layer.split("|")
    }

    (box,) = re.findall(
        rf"^ {package}\n ┌─+┐\n(.*?) └", FLOWS.read_text(), re.DOTALL | re.MULTILINE
    )
    shown = [
        name
        for label, other in re.findall(r"│ ([\w, ]+?)  .*?(?:── (\w+) +)?│", box)
        for name in (*label.split(", "), *filter(None, [other]))
    ]

    assert {init.parent.name for init in (ROOT / directory / package).glob("*/__init__.py")} <= {
        *shown
    }
    assert [rank[name] for name in shown] == sorted(rank[name] for name in shown)


@pytest.mark.parametrize(
    "thing",
    [
        "check",
        "command",
        "plugin type",
        "discovery mode",
        "setting",
        "validator or type of settings",
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
