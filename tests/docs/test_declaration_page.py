"""The reference page of ``conformance.toml``: whole, and its example is read as it stands."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from plugwright.plugins import SINK, Location, PluginDescriptor
from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.subject.declaration import read_declaration

FILE = Path(__file__).parents[2] / "docs/_extension/reference_declaration.py"


@pytest.fixture(scope="module")
def page():
    """The module that writes the page."""
    spec = importlib.util.spec_from_file_location("reference_declaration", FILE)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_page_has_a_row_for_every_key(page):
    """Of the file, of a connector, and of its capabilities, with one example each at most."""
    rows = re.findall(r"^\| `(\w+)` \|", page.declaration(), re.MULTILINE)

    others = ["format", "plugin", "class", "endpoint", "config", "capabilities", "waiver"]
    assert sorted(rows) == sorted([*others, *CAPABILITIES])


def test_the_example_is_a_declaration(page, tmp_path):
    """Whoever copies it has a file that is read."""
    (tmp_path / "orders_sink").mkdir()
    (tmp_path / "orders_sink/conformance.toml").write_text(page.example(), "utf-8")
    name = "OrdersSinkConnector"
    plugin = PluginDescriptor(SINK, "orders_sink", name, "x", "x", "1.0", Location(tmp_path))

    found = read_declaration(plugin)

    assert (found.endpoint, found.delivery) == ("orders_sink.testing:ShopEndpoint", "exactly-once")
    assert (found.types, found.excluded_characters) == (("string", "int64"), ("\n",))
    assert found.config == {"topics": "{topic}"}


def test_no_row_has_a_bar_that_ends_its_cell(page):
    """Each of them has five cells."""
    rows = [line for line in page.declaration().splitlines() if line.startswith("|")]

    assert {line.count("|") for line in rows} == {6}
