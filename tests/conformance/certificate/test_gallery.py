"""A gallery shows what is valid, names what is not, and never shows what nobody vouches for."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.chromium import EVERY_VIEW, complaints
from tests.conformance.certificate.conftest import (
    CAN_AWARD,
    KEY,
    NOW,
    OTHER_KEY,
    SUITE,
    compact,
    levelled,
    payload_of,
    signed,
)

from plugwright.errors import ConnectError
from plugwright_conformance.gallery import Publisher, collect, write_gallery

ORDERS_INC = Publisher("orders-inc", KEY.public)


class Page(HTMLParser):
    """Text and links of a page, as another reader finds them."""

    def __init__(self, path):
        super().__init__()
        self.words, self.links, self.path = [], [], path
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        """Keep links."""
        self.links += [value for name, value in attributes if name == "href"]

    def handle_data(self, data):
        """Keep text."""
        self.words += data.split()

    @property
    def text(self):
        """All text, with single blanks."""
        return " ".join(self.words)


@pytest.fixture
def report(tmp_path, certificate, results_json):
    """Writes a report's certificate after a change to what it says, signed by its author."""

    def report(name, change=lambda document: None, key=KEY, results=None):
        document = payload_of(certificate)
        levelled(document)
        change(document["predicate"])
        directory = tmp_path / "reports" / name
        directory.mkdir(parents=True)
        (directory / "certificate.json").write_bytes(signed(compact(document), key))
        if results is not None:
            (directory / "results.json").write_bytes(results)
        return directory

    return report


def gathered(*paths, now=NOW, publishers=(ORDERS_INC,)):
    """What is shown, and the rules that kept the others out."""
    shown, left_out = collect(paths, publishers, CAN_AWARD, now)
    return shown, [(each.path.parent.name, each.rule) for each in left_out]


def test_a_valid_certificate_is_shown(report):
    """With its level, its publisher and a directory that its digest makes unique."""
    (entry,), left_out = gathered(report("orders"))

    digest = entry.predicate.plugin.digest
    assert (entry.level.name, entry.publisher.name) == ("C3", "orders-inc")
    assert entry.directory == f"orders-orderssource-1.2.0-{digest[:8]}"
    assert left_out == []


def test_what_is_not_valid_is_left_out_and_named(report, tmp_path):
    """Each with its rule; a directory is searched at any depth."""
    report("expired", lambda p: p["run"].update(expires="2026-05-01T00:00:00+00:00"))
    report("stranger", key=OTHER_KEY)
    report("claims-more", lambda p: p.update(level="C5"))
    report("other-results", results=b"{}")
    good = report("good")
    (good / "broken").mkdir()
    (good / "broken" / "certificate.json").write_text("no certificate")

    shown, left_out = gathered(tmp_path)

    assert [each.path.parent for each in shown] == [good]
    assert sorted(left_out) == [
        ("broken", "envelope"),
        ("claims-more", "level"),
        ("expired", "expired"),
        ("other-results", "results"),
        ("stranger", "signature"),
    ]


def test_a_certificate_without_level_is_left_out(tmp_path, certificate):
    """It is valid, and has nothing to show."""
    (tmp_path / "certificate.json").write_bytes(certificate)

    shown, left_out = collect([tmp_path], [ORDERS_INC], SUITE, NOW)

    assert (shown, [each.rule for each in left_out]) == ([], ["no-level"])


def test_of_two_for_one_version_the_later_is_shown(report):
    """The other one is named."""
    later = {"issued": "2026-04-01T00:00:00+00:00", "expires": "2027-01-01T00:00:00+00:00"}
    paths = report("second", lambda p: p["run"].update(later)), report("first")

    shown, left_out = gathered(*paths)

    assert [each.path.parent.name for each in shown] == ["second"]
    assert left_out == [("first", "superseded")]


def test_a_path_without_certificate_is_an_error(tmp_path):
    """Not an empty gallery."""
    with pytest.raises(ConnectError, match=r"has no certificate\.json") as raised:
        gathered(tmp_path)

    assert raised.value.code == "certificate.unreadable"


def test_the_site_leads_from_the_index_to_everything(report, results_json, certificate, tmp_path):
    """Summary, report, results and certificate, each as it was."""
    honest = lambda p: p["evidence"].update(payload_of(certificate)["predicate"]["evidence"])  # noqa: E731
    source = report("orders", honest, results=results_json)
    shown, left_out = gathered(source)
    site = tmp_path / "site"

    write_gallery(shown, site, "Certified by us")

    assert left_out == []
    index = Page(site / "index.html")
    (directory,) = {link.partition("/")[0] for link in index.links if "/" in link}
    assert "Certified by us" in index.text
    assert "orders source C3 Durable" in index.text
    summary = Page(site / directory / "index.html")
    assert set(summary.links) == {
        "../index.html",
        "certificate.json",
        "results.json",
        "report.html",
    }
    assert all((site / directory / link).is_file() for link in summary.links)
    assert (site / directory / "results.json").read_bytes() == results_json
    original = (source / "certificate.json").read_bytes()
    assert (site / directory / "certificate.json").read_bytes() == original


def test_the_summary_says_what_was_proved_and_what_was_not(report, tmp_path):
    """For people who do not write connectors."""

    def waive(predicate):
        predicate["not_applicable"] = []
        predicate["environment"]["kafka"] = "4.3.1 (embedded)"

    shown, _ = gathered(report("orders", waive))

    write_gallery(shown, tmp_path / "site", "Certified")

    text = Page(tmp_path / "site" / shown[0].directory / "index.html").text
    assert "What was proved C1 Discoverable A worker finds the connector" in text
    assert "C3 Durable Every record arrives." in text
    assert "C4 Resilient" not in text
    assert "The next level was not reached:" in text
    assert "Nothing is stated about other versions" in text
    assert "Tried with Kafka 4.3.1 (embedded)" in text
    assert "Publisher orders-inc Issued 2026-03-01" in text


def test_versions_of_one_connector_stand_together(report, tmp_path):
    """The newest first, as versions are compared and not as texts."""
    for version in ("1.9.0", "1.10.0"):
        report(
            version,
            lambda p, v=version: p["plugin"].update(version=v, digest=p["plugin"]["digest"]),
        )
    shown, left_out = gathered(tmp_path)

    write_gallery(shown, tmp_path / "site", "Certified")

    assert left_out == []
    text = Page(tmp_path / "site" / "index.html").text
    assert "Versions certified 1.10.0 (C3) , 1.9.0 (C3)" in text.replace("),", ") ,")


def test_foreign_text_is_only_text(report, tmp_path):
    """A plugin's name cannot leave its page or its directory."""
    name = "../../<script>alert(1)</script>"
    shown, left_out = gathered(report("orders", lambda p: p["plugin"].update(name=name)))

    write_gallery(shown, tmp_path / "site", "Certified")

    assert left_out == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["reports", "site"]
    assert b"<script>" not in (tmp_path / "site" / "index.html").read_bytes()
    assert "/" not in shown[0].directory
    assert name in Page(tmp_path / "site" / "index.html").text


def test_a_gallery_replaces_a_gallery_and_nothing_else(report, tmp_path):
    """What is not its own stays."""
    shown, _ = gathered(report("orders"))
    site, other = tmp_path / "site", tmp_path / "other"
    write_gallery(shown, site, "First")
    write_gallery([], site, "Second")
    other.mkdir()
    (other / "letter.txt").write_text("mine")

    with pytest.raises(ConnectError, match="is no gallery") as raised:
        write_gallery(shown, other, "Third")

    assert raised.value.code == "gallery.in-the-way"
    assert [each.name for each in other.iterdir()] == ["letter.txt"]
    assert sorted(each.name for each in site.iterdir()) == ["gallery.json", "index.html"]
    assert "There is no valid certificate yet." in Page(site / "index.html").text


def test_an_earlier_gallery_stays_if_the_new_one_cannot_take_its_place(
    report, tmp_path, monkeypatch
):
    """A full disk, say."""
    shown, _ = gathered(report("orders"))
    site, rename = tmp_path / "site", Path.rename
    write_gallery(shown, site, "First")

    def refuse(path, target):
        if path.name == "new":
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(ConnectError, match="No space left on device") as raised:
        write_gallery([], site, "Second")

    assert raised.value.code == "report.unwritable"
    assert "First" in Page(site / "index.html").text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["reports", "site"]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), EVERY_VIEW)
def test_everybody_can_read_the_site(browser, report, tmp_path, width, scheme):
    """Axe finds nothing on the index and on a summary, and the browser has no complaint."""
    shown, _ = gathered(report("orders"))
    write_gallery(shown, tmp_path / "site", "Certified")
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))

    for directory in ("", shown[0].directory):
        page.goto((tmp_path / "site" / directory / "index.html").as_uri())
        assert complaints(page) == []

    assert said == []
    context.close()


def test_programs_read_the_listing(report, tmp_path):
    """The same facts."""
    shown, _ = gathered(report("orders"), now=datetime(2026, 7, 1, tzinfo=UTC))

    write_gallery(shown, tmp_path / "site", "Certified")

    document = json.loads((tmp_path / "site" / "gallery.json").read_bytes())
    (row,) = document["connectors"]
    assert document["format"] == "plugwright-gallery/1"
    assert (row["name"], row["version"], row["level"], row["type"]) == (
        "orders",
        "1.2.0",
        "C3",
        "source",
    )
    assert row["publisher"] == {"fingerprint": KEY.public.fingerprint, "name": "orders-inc"}
