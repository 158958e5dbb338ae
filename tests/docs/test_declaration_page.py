"""The reference page of ``conformance.toml``: whole, and its example is read as it stands."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest

from plugwright.plugins import SINK, Location, PluginDescriptor
from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.subject.declaration import read_declarations
from plugwright_conformance.subject.kits import COMMON_KEYS, KITS, kit_problems

FILE = Path(__file__).parents[2] / "docs/_extension/reference_declaration.py"


@pytest.fixture(scope="module")
def page():
    """The module that writes the page."""
    spec = importlib.util.spec_from_file_location("reference_declaration", FILE)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def _keys(text):
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_the_page_has_a_row_for_every_key(page):
    """Of the file, of a connector, and of its capabilities, with one example each at most."""
    keys = _keys(page.declaration().partition("## Endpoint kits")[0])

    plugin = ["class", "configuration", "endpoint", "config", "capabilities", "waiver"]
    assert sorted(keys) == sorted(["format", "plugin", *plugin, *CAPABILITIES])


def test_the_page_has_every_kit_and_its_options(page):
    """With the placeholders of its settings."""
    common, *kits = page.declaration().partition("## Endpoint kits")[2].split("### `")

    assert _keys(common) == ["kit", "settings", "value", "foreign"]
    assert {kit.partition("`")[0]: _keys(kit) for kit in kits} == {
        "file": ["format", "name"],
        "directory": ["format", "content", "suffix", "files"],
        "table": ["url", "table", "number", "timestamp", "columns"],
        "http": ["path", "items", "fields", "id", "after", "limit", "page", "token"],
        "objects": ["url", "storage", "format", "content", "suffix"],
        "queue": ["format", "key"],
    }
    assert re.findall(r"^- `\{(\w+)\}`: ", kits[2], re.MULTILINE) == ["url", "table", "file"]


@pytest.mark.parametrize("kit", KITS)
def test_the_examples_of_a_kit_are_valid(kit):
    """All of them together."""
    keys = {key.name: key.example for key in (*COMMON_KEYS, *KITS[kit].keys)}
    placeholder = next(iter(KITS[kit].placeholders))
    keys |= {"kit": f'"{kit}"', "settings": f'{{ s = "{{{placeholder}}}" }}'}

    options = tomllib.loads("".join(f"{name} = {example}\n" for name, example in keys.items()))

    assert kit_problems(options) == []


def test_the_example_is_a_declaration(page, tmp_path):
    """Whoever copies it has a file that is read."""
    (tmp_path / "orders_sink").mkdir()
    (tmp_path / "orders_sink/conformance.toml").write_text(page.example(), "utf-8")
    name = "OrdersSinkConnector"
    plugin = PluginDescriptor(SINK, "orders_sink", name, "x", "x", "1.0", Location(tmp_path))

    (found,) = read_declarations(plugin)

    assert (found.endpoint, found.delivery) == ("orders_sink.testing:ShopEndpoint", "exactly-once")
    assert (found.types, found.excluded_characters) == (("string", "int64"), ("\n",))
    assert found.config == {"topics": "{topic}"}


def test_no_row_has_a_bar_that_ends_its_cell(page):
    """Each of them has five cells."""
    rows = [line for line in page.declaration().splitlines() if line.startswith("|")]

    assert {line.count("|") for line in rows} == {6}
