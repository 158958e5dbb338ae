"""A source proves with its endpoint that it follows a change of structure."""

from __future__ import annotations

import re
import shutil
import sys

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.reference import reference

pytestmark = pytest.mark.slow

KIT = """\
[plugin.endpoint]
kit = "table"
number = "seq"
value = "value"
settings = { "connection.url" = "jdbc:sqlite:{file}" }

[plugin.capabilities]"""


@pytest.fixture
def sql(tmp_path, monkeypatch):
    """The bundled source of databases, with the endpoint kit for tables."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "plugwright_sql"]:
        monkeypatch.delitem(sys.modules, name)  # of other tests, from another location
    location = tmp_path / "sql"
    shutil.copytree(PLUGIN_PATH / "sql", location)
    entries = next(location.glob("*.dist-info/entry_points.txt"))
    kept = [line for line in entries.read_text("utf-8").splitlines() if "Sink" not in line]
    entries.write_text("\n".join(kept) + "\n", "utf-8")
    file = location / "plugwright_sql/conformance.toml"
    text = re.sub(r"(endpoint|fields) = .*\n", "", file.read_text("utf-8").split("[[plugin]]")[1])
    text = f"format = 1\n\n[[plugin]]{text}"
    file.write_text(text.replace("[plugin.capabilities]", KIT), "utf-8")
    return location


def test_the_source_of_databases_proves_it_with_a_kit(sql, run):
    """Two columns are added, one of them while rows wait."""
    (result,) = run(sql, "SRC-SCH-01").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert (result.observations, result.figures) == (16, {"fields_added": 2})


def test_a_driver_that_cannot_add_a_field_is_named(tmp_path, run):
    """Nothing is said about the connector."""
    location = tmp_path / "evolving"
    reference("evolving-source").materialise(location)
    driver = location / "plugwright_evolving_source/testing.py"
    driver.write_text(driver.read_text("utf-8").replace("def add_field", "def _unused"), "utf-8")

    (result,) = run(location, "SRC-SCH-01").results

    assert result.outcome is Outcome.NOT_RUN
    assert "add_field()" in result.message
