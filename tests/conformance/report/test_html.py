"""``report.html`` is one page that anyone can read and nobody's plugin can bend."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import HtmlReport


class Page(HTMLParser):
    """Elements with their attributes in document order, and the text outside of style."""

    def __init__(self, body):
        super().__init__()
        self.elements = []
        self.text = ""
        self.feed(body.decode())

    def handle_starttag(self, tag, attrs):
        """Note the element."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Collect what a person may read."""
        if self.elements and self.elements[-1][0] != "style":
            self.text += data

    def all(self, *tags):
        """Attributes of every element of these kinds."""
        return [attrs for tag, attrs in self.elements if tag in tags]

    def values(self, name):
        """Every value of one attribute."""
        return [attrs[name] for _, attrs in self.elements if name in attrs]


@pytest.fixture(scope="module")
def page(results):
    """The page of the run with every outcome."""
    return Page(HtmlReport().render(results))


def row_ids(page):
    """Ids of the rows of the check tables, in order."""
    return [attrs["id"] for attrs in page.all("tr") if "id" in attrs]


def test_page_has_no_script(page):
    """There is nothing to run."""
    assert page.all("script", "iframe", "object", "embed", "link", "img", "base", "form") == []


def test_page_has_no_event_handlers_or_inline_styles(page):
    """No attribute runs or paints anything past the one style sheet."""
    names = {name for _, attrs in page.elements for name in attrs}

    assert {n for n in names if n.startswith("on") or n in {"style", "src", "srcset"}} == set()


def test_links_stay_on_the_page(page):
    """Every link leads to an anchor that exists."""
    assert {href[:1] for href in page.values("href")} == {"#"}
    assert {href[1:] for href in page.values("href")} <= set(page.values("id"))


def test_style_sheet_loads_nothing(results):
    """The style sheet holds no address and imports nothing."""
    style = re.search(r"<style>(.*?)</style>", HtmlReport().render(results).decode(), re.DOTALL)

    assert re.search(r"url\(|@import|//", style[1]) is None


def test_policy_forbids_what_the_page_does_not_need(page):
    """A browser refuses script and network even if something slipped through."""
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)

    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_every_check_is_an_anchor_once(page, results):
    """A link to report.html#ID finds the check, and no id is used twice."""
    ids = page.values("id")

    assert sorted(row_ids(page)) == sorted(r.id for r in results.results)
    assert len(ids) == len(set(ids))


def test_failing_rows_come_first(page):
    """Groups with failures lead, and within a group what failed leads."""
    assert row_ids(page) == [
        "SNK-OFF-02",
        "CON-DLV-03",
        "CON-DLV-06",
        "CON-DLV-01",
        "CON-DLV-11",
        "PLG-DOC-04",
        "PLG-PKG-01",
        "PLG-PKG-10",
    ]


def test_table_headers_have_a_scope(page):
    """A screen reader knows what each header heads."""
    assert {attrs.get("scope") for attrs in page.all("th")} == {"col", "row"}


def test_tables_have_captions(page):
    """Each table says what it is."""
    assert len(page.all("caption")) == len(page.all("table")) == 13


def test_page_has_landmarks_language_and_skip_link(page):
    """Readers without eyes or mouse get around."""
    assert page.all("html") == [{"lang": "en"}]
    assert [len(page.all(tag)) for tag in ("header", "main", "footer", "h1")] == [1, 1, 1, 1]
    assert page.all("a")[0] == {"class": "skip", "href": "#main"}


def test_scrolling_containers_take_the_keyboard(page):
    """What scrolls sideways can be reached and is named."""
    scrolling = [attrs for attrs in page.all("div") if attrs.get("class") == "scroll"]

    assert {(s["tabindex"], s["role"]) for s in scrolling} == {("0", "region")}
    assert all(s["aria-labelledby"] in page.values("id") for s in scrolling)


@pytest.mark.parametrize(
    "text",
    [
        "C1 Discoverable",
        "3 of 8",
        "2 min 08 s",
        "3fa9c1d2e4b5",
        "2026-03-01 10:20:30 UTC",
        "C2 Compatible needs 2 more must-checks.",
        "commit <= 41 for (orders, 2)",
        "offsets taken from put() arguments",
        "return from pre_commit only what",
        "the endpoint did not start",
        "needs a broker",
        "plugwright replay SNK-OFF-02 --seed 7f3c",
        "12,000",
        "at-least-once",
        "c0ffee",
        "✗failed",
        "·not applicable",
    ],
)
def test_page_tells(page, text):
    """What a reader needs is there in words, outcomes too."""
    assert text in page.text


def test_delivery_table_has_a_column_for_each_promise(results):
    """What went in and out, and what went wrong on the way, in this order."""
    text = HtmlReport().render(results).decode()
    heads = re.findall(r'<th scope="col" class="figure">([\w-]+)</th>', text)

    assert heads[:5] == ["In", "Out", "Dead-lettered", "Lost", "Duplicated"]
    assert '<span class="pair">crash points <b>501</b></span>' in text


def test_lost_records_are_marked(results):
    """A loss is more than a number in a table."""
    lossy = replace(results.results[3], figures={"in": 5, "lost": 2})
    body = HtmlReport().render(replace(results, results=(lossy,))).decode()

    assert '<td class="figure bad">2</td>' in body


def test_partial_run_gets_no_level_and_names_what_is_missing(results):
    """A selection says so instead of looking like a certificate."""
    page = Page(HtmlReport().render(replace(results, results=results.results[:2])))

    assert "The run contains 2 of the suite's 8 checks" in page.text
    assert "No level" in page.text
    assert "CON-DLV-11" in page.text


def test_spotless_run_has_no_failures_section(results):
    """No empty headings."""
    good = [replace(r, outcome=Outcome.PASS) for r in results.results]
    page = Page(HtmlReport().render(replace(results, results=good)))

    assert "failures" not in page.values("id")
    assert "#failures" not in page.values("href")


def test_hostile_text_becomes_no_element(hostile):
    """Markup of a plugin is text on the page."""
    page = Page(HtmlReport().render(hostile))

    assert page.all("script") == []
    assert "<script src=//evil>x</script>" in page.text


def test_hostile_characters_are_spelled_out(hostile):
    """Controls and bidirectional overrides are seen and not obeyed."""
    text = HtmlReport().render(hostile).decode()

    assert (
        re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
        is None
    )
    assert r"\u202egpj\u2066" in text


def test_hostile_id_stays_inside_its_attribute(results):
    """Even an id is foreign when it comes from a plugin's own checks."""
    odd = replace(results.results[2], id='"><b onclick=x>\x1b')
    page = Page(HtmlReport().render(replace(results, results=(odd,))))

    assert not any("onclick" in attrs for _, attrs in page.elements)


def test_endless_text_is_cut_with_a_note(results):
    """One huge message does not drown the page."""
    long = replace(results.results[2], observed="x" * 10_000)
    text = HtmlReport().render(replace(results, results=(long,))).decode()

    assert "(4000 more characters in results.json)" in text


def test_equal_results_give_equal_bytes(results):
    """Nothing of the moment of writing gets in."""
    assert HtmlReport().render(results) == HtmlReport().render(results)
