"""What tests in a browser rely on: where it is, and that faults of pages are found."""

from __future__ import annotations

import pytest
from tests.chromium import PROGRAMS, chromium, complaints

from plugwright.errors import SetupError

TABLE = "<table><tbody>{}</tbody></table>".format(
    "".join(f"<tr><td>row {number}</td></tr>" for number in range(30))
)
PAGE = "<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1>{}</main></html>"


@pytest.mark.parametrize("name", PROGRAMS)
def test_any_chromium_will_do(name):
    """Debian's has another name than Google's."""
    assert chromium({name: f"/bin/{name}"}.get) == f"/bin/{name}"


def test_a_machine_without_chromium_reports_what_to_do():
    """The reason of the skipped tests."""
    with pytest.raises(SetupError, match="no Chromium here: make browser"):
        chromium(lambda name: None)


@pytest.mark.slow
@pytest.mark.parametrize("shortened", [False, True])
@pytest.mark.parametrize(
    ("body", "found"),
    [
        (TABLE, []),
        ("<img src='data:,'>", ["image-alt"]),
        ("<p style='color: #bbb; background: #fff'>pale</p>", ["color-contrast"]),
        ("<div style='width: 3000px'>wide</div>", ["too wide"]),
        (
            TABLE.replace("<td>row 2<", "<td style='color: #bbb; background: #fff'>row 2<"),
            ["color-contrast"],
        ),
    ],
    ids=["none", "picture", "pale", "wide", "pale-in-a-table"],
)
def test_faults_of_pages_are_found(browser, body, found, shortened):
    """Also where long tables are shortened."""
    page = browser.new_page()
    page.set_content(PAGE.format(body))

    assert complaints(page, shortened=shortened) == found
    page.close()


@pytest.mark.slow
@pytest.mark.parametrize(("shortened", "rows"), [(False, 30), (True, 3)])
def test_of_a_long_table_the_beginning_is_looked_at(browser, shortened, rows):
    """Unless the whole page is to be."""
    page = browser.new_page()
    page.set_content(PAGE.format(TABLE))

    complaints(page, shortened=shortened)

    assert page.locator("tr").count() == rows
    page.close()
