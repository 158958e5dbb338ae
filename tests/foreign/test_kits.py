"""Connectors that others have written with their own endpoint drivers, certified with a kit."""

from __future__ import annotations

import re

import pytest
from tests.foreign.offline import offline_results
from tests.foreign.source_locations import GOOD, make_connector

pytestmark = pytest.mark.slow

CHECKED = (
    "SRC-OFF-01",
    "SRC-OFF-09",
    "SRC-TYP-06",
    "SRC-TYP-10",
    "CON-PAR-01",
    "CON-ERR-05",
    "CON-OBS-04",
)
KITS = {
    "dropbox": """
        kit = "directory"
        settings = { directory = "{directory}" }
        suffix = ".jsonl"
        format = "json"
        files = 3
        foreign = { value = 7, words = ["int", "expected text"] }""",
    "tablefeed": """
        kit = "table"
        settings = { database = "{file}" }
        table = "events"
        value = "body"
        columns = { kind = "kind-1", created_ms = 1700000000123 }
        timestamp = "created_ms\"""",
    "pagedhttp": """
        kit = "http"
        settings = { "service.url" = "{url}" }
        items = "items"
        value = "text"
        fields = { at = "2024-03-31T00:59:59.123+05:30" }
        page = 40
        foreign = { value = 7, words = ["int", "expected a string"] }""",
}

DIFFERENT = {
    "dropbox": {},
    "tablefeed": {"SRC-TYP-06": "NOT_RUN"},  # no foreign value is declared
    # A source waits for a service that answers 503.
    "pagedhttp": {"CON-OBS-04": "NOT_APPLICABLE"},
}


def _outcomes(location, directory):
    results = offline_results(location, directory, CHECKED, records=60)
    return {result.id: result.outcome.value for result in results}


def _location(name, directory):
    directory.mkdir()
    return make_connector(next(each for each in GOOD if each.connector == name), directory)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.drill] * (name != "pagedhttp")) for name in KITS],
)
def test_a_kit_shows_what_the_authors_own_driver_shows(tmp_path, name):
    """The same outcomes, but for what only one of the two can do."""
    own = _location(name, tmp_path / "own")
    kit = _location(name, tmp_path / "kit")
    declaration = next(kit.rglob("conformance.toml"))
    text = re.sub(r"endpoint = .*\n", "", declaration.read_text("utf-8"))
    declaration.write_text(f"{text}\n[plugin.endpoint]\n{KITS[name]}\n", "utf-8")

    expected = _outcomes(own, tmp_path / "own")
    found = _outcomes(kit, tmp_path / "kit")

    assert sorted(expected) == sorted(CHECKED)
    assert {id_: found[id_] for id_ in found if found[id_] != expected[id_]} == DIFFERENT[name]
