"""The console in Chromium: legible at every width, in light and dark, for everybody."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.chromium import EVERY_VIEW, complaints
from tests.runtime.rest.fakes import FakeHerder

from plugwright.plugins import SOURCE, Diagnostic, DiagnosticLevel, Location, PluginDescriptor
from plugwright.plugins import Plugins as Discovered
from plugwright.rest import RestServer, RestSettings

pytestmark = pytest.mark.slow

PAGES = (
    "/console",
    "/console/connector?name=logs",
    "/console/new",
    "/console/edit?name=logs",
    "/console/offsets?name=logs",
    "/console/plugins",
    "/console/plugin?class=shop.ShopSource",
    "/console/connector?name=nope",
)
NAME = "logs-of-a-connector-with-a-name-that-does-not-end-where-a-telephone-does"


class Herder(FakeHerder):
    """One whose form has a field of each kind, one of them wrong."""

    def validate_connector_config(self, config):
        """Say that the number is none."""
        kinds = ("STRING", "INT", "BOOLEAN", "PASSWORD", "LIST")
        configs = [_setting(kind, f"field.{kind.lower()}") for kind in kinds]
        return {"name": "x", "error_count": 1, "groups": [], "configs": configs}


def _setting(kind, key):
    errors = ["Invalid value many: not a number"] if kind == "INT" else []
    definition = {
        "name": key,
        "type": kind,
        "required": kind == "INT",
        "default_value": "the default",
        "documentation": "What it is for, in a sentence.",
        "group": "Common",
        "display_name": key,
    }
    choices = ["a", "b"] if kind == "LIST" else []
    value = {"name": key, "visible": True, "errors": errors, "recommended_values": choices}
    return {"definition": definition, "value": value}


@pytest.fixture(scope="module")
def url():
    """A server with two connectors, one of them with a long name."""
    herder = Herder()
    herder.configs[NAME] = {"connector.class": f"com.example.{NAME}.Connector"}
    where = Location(Path("/plugins/shop"))
    found = PluginDescriptor(SOURCE, "shop", "ShopSource", "shop", "shop", "1.4", where)
    wrong = Diagnostic(DiagnosticLevel.WARNING, "ep-syntax", "/plugins/shop", "odd", hint="fix it")
    plugins = Discovered([where], [found], [wrong])
    settings = RestSettings.parse({"listeners": "http://127.0.0.1:0"})
    with RestServer(herder, settings, plugins=plugins) as server:
        yield server.url


@pytest.mark.parametrize(("width", "scheme"), EVERY_VIEW)
def test_every_page_can_be_used_by_everybody(browser, url, width, scheme):
    """Axe finds nothing, nothing is wider than the window, and the browser has no complaint."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, base_url=url
    )
    page = context.new_page()
    said, found = [], {}
    page.on("console", lambda message: said.append((message.type, page.url, message.text)))
    for path in PAGES:
        page.goto(path)
        found[path] = complaints(page)
    context.close()

    assert found == {path: [] for path in PAGES}
    assert [each for each in said if each[0] in {"error", "warning"} and "404" not in each[2]] == []


def test_a_form_is_filled_in_and_sent(browser, url):
    """By labels alone, as a screen reader would; the page comes from the same origin."""
    page = browser.new_page(base_url=url)
    page.goto("/console/edit?class=FileStreamSource")
    page.get_by_label("Name").fill("made")
    page.get_by_label("field.int").fill("many")
    page.get_by_role("button", name="Check").click()

    wrong = page.get_by_label("field.int")
    assert wrong.get_attribute("aria-invalid") == "true"
    assert wrong.input_value() == "many"
    assert page.get_by_label("Name").input_value() == "made"
    page.close()


def test_a_button_is_pressed(browser, url):
    """And the page after it says what was done."""
    page = browser.new_page(base_url=url)
    page.goto("/console/connector?name=logs")
    page.get_by_role("button", name="Pause").click()

    assert page.get_by_role("status").inner_text() == "The connector was asked to pause."
    assert "done=pause" in page.url
    page.close()
