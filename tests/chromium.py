"""Pages in Chromium: whether everybody can read them at every width, in light and dark."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

from plugwright.errors import SetupError

EVERY_VIEW = tuple((width, scheme) for width in (400, 800, 1400) for scheme in ("light", "dark"))
_FEW = 3
_SHORTEN = """few => {
  for (const list of document.querySelectorAll("tbody, section, ul, dd"))
    for (const tag of ["TR", "DL", "LI"])
      [...list.children].filter(child => child.tagName === tag).slice(few).forEach(e => e.remove());
}"""
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium(find=shutil.which):
    """Where Chromium is.

    Raises:
        SetupError: if it is not on this machine.
    """
    found = next(filter(None, map(find, PROGRAMS)), None)
    if found is None:
        raise SetupError("no Chromium here: make browser, as root")
    return found


@contextmanager
def launched(executable):
    """A browser, until the block ends."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  # fast tests need none

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


def complaints(page, *, shortened=False):
    """What axe finds on a page, and whether it is wider than the window.

    Args:
        page: of the browser.
        shortened: whether of long tables and lists, whose entries are alike, only the beginning is
            looked at: axe compares each text with what lies below it, minutes for 16,000 elements.
    """
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  # as above

    too_wide = page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    if shortened:
        page.evaluate(_SHORTEN, _FEW)
    found = [each["id"] for each in Axe().run(page).response["violations"]]
    return [*found, "too wide"] if too_wide else found
