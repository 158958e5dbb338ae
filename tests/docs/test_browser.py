"""The documentation site in Chromium: legible at every width, in light and dark, for everybody."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.chromium import EVERY_VIEW, complaints
from tests.docs.pages import DOCS
from tests.docs.served import served

pytestmark = pytest.mark.slow

OF_SPHINX = {"genindex", "py-modindex", "search"}
SHARES = 6


@pytest.fixture(scope="module")
def built(browser, tmp_path_factory):  # without a browser there is nothing to build
    """The directory of the site."""
    site = tmp_path_factory.mktemp("docs") / "site"
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(site)]
    subprocess.run(build, check=True)
    return site


@pytest.fixture(scope="module")
def address(built):
    """Where it is served."""
    with served(built) as address:
        yield address


@pytest.fixture
def page_at(browser):
    """Opens a page, with what the browser complains about."""
    contexts = []

    def page_at(width, scheme):
        view = {"width": width, "height": 900}
        contexts.append(browser.new_context(viewport=view, color_scheme=scheme))
        page, said = contexts[-1].new_page(), []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        return page, said

    yield page_at
    for context in contexts:
        context.close()


@pytest.mark.parametrize(("width", "scheme"), EVERY_VIEW)
def test_everybody_can_read_the_kinds_of_pages(page_at, address, width, scheme):
    """A landing page, prose with code, wide tables, an API."""
    page, said = page_at(width, scheme)
    names = ("index", "tutorial", "reference/generated/checks", "reference/api")
    found = {}

    for name in names:
        page.goto(f"{address}/{name}.html")
        found[name] = complaints(page, shortened=True)

    assert found == {name: [] for name in names}
    assert said == []


@pytest.mark.parametrize("share", range(SHARES))
def test_everybody_can_read_every_page(page_at, address, built, share):
    """As a whole, at one width; those that Sphinx makes itself are its own."""
    page, said = page_at(800, "light")
    files = (file.relative_to(built).with_suffix("") for file in built.rglob("*.html"))
    names = sorted({str(file) for file in files} - OF_SPHINX)
    found = {}

    for name in names[share::SHARES]:
        page.goto(f"{address}/{name}.html")
        found[name] = complaints(page)

    assert len(names) > 40
    assert {name: each for name, each in found.items() if each} == {}
    assert said == []


def test_checks_can_be_filtered(page_at, address):
    """Every word has to be in a row; an empty field shows all."""
    page, _ = page_at(1400, "light")
    page.goto(f"{address}/reference/generated/checks.html")
    field, count = page.get_by_role("searchbox", name="Show rows with"), page.locator("output")
    whole = count.text_content()

    field.fill("idle C2 source")
    shown = page.locator("table.filterable tbody tr:visible td:first-child").all_text_contents()
    few = count.text_content()
    field.fill("")

    assert shown == ["CON-LIF-10"]
    assert few == f"1 of {whole.split()[-1]}"
    assert count.text_content() == whole
