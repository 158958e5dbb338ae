"""The report in Chromium: legible at every width, in light and dark, on paper, for everybody."""

from __future__ import annotations

import pytest
from tests.chromium import EVERY_VIEW, complaints

from plugwright_conformance.report import CertificateNote, HtmlReport

pytestmark = pytest.mark.slow

CLIPPED = """[...document.querySelectorAll(".scroll caption")].filter(caption =>
  caption.getBoundingClientRect().right > caption.closest(".scroll").getBoundingClientRect().right
).map(caption => caption.textContent)"""


@pytest.fixture
def page_of(results, tmp_path):
    """Address of the page."""
    note = CertificateNote([("orders.whl", "sha256", "ab" * 32)], "SHA256:" + "c" * 43, "verify")
    path = tmp_path / "report.html"
    path.write_bytes(HtmlReport(certificate=note).render(results))
    return path.as_uri()


@pytest.mark.parametrize(("width", "scheme"), EVERY_VIEW)
def test_everybody_can_read_it(browser, page_of, width, scheme):
    """Axe finds nothing, no caption is cut off, and the browser has no complaint."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.goto(page_of)

    assert complaints(page) == []
    assert page.evaluate(CLIPPED) == []
    assert said == []
    context.close()


def test_paper_has_the_summary_unless_everything_is_asked_for(browser, page_of):
    """Verdict, failures and certificate."""
    page = browser.new_page()
    page.goto(page_of)

    summary = _shown_on_paper(page)
    page.get_by_role("link", name="Print everything").click()
    everything = _shown_on_paper(page)

    assert summary == ["verdict", "failures", "certificate"]
    assert set(summary) < set(everything)
    assert {"checks", "delivery", "environment"} < set(everything)
    page.close()


def _shown_on_paper(page):
    page.emulate_media(media="print")
    shown = page.eval_on_selector_all(
        "main > section",
        "all => all.filter(e => e.checkVisibility()).map(e => e.getAttribute('aria-labelledby'))",
    )
    page.emulate_media(media="screen")
    return shown
