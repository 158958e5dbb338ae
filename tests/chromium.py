"""Pages in Chromium: whether everybody can read them at every width, in light and dark."""

from __future__ import annotations

import pytest

EVERY_VIEW = tuple((width, scheme) for width in (400, 800, 1400) for scheme in ("light", "dark"))


def complaints(page):
    """What axe finds on a page, and whether it is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = [each["id"] for each in axe.Axe().run(page).response["violations"]]
    too_wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    return [*found, "too wide"] if too_wide else found
