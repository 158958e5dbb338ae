"""Where a change log is looked for, and what is an entry for a version."""

from __future__ import annotations

import pytest
from packaging.version import Version

from plugwright_conformance.checks.change_log_text import has_entry, sections, versions_in
from plugwright_conformance.evidence.outcome import Outcome


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("## 1.2.0\n", "1.2.0"),
        ("## [v1.2.0] - 2026-01-31\n", "1.2.0"),
        ("1.2 (2026-01-31)\n----------------\n", "1.2.0"),
        ("| 1.2.0 | 2026-01-31 | Faster. |\n", "1.2.0"),
        ("- **1.2.0**: faster.\n", "1.2.0"),
        ("Version 1.2.0.\n", "1.2.0"),
        ("## 1.2.0-rc1\n", "1.2.0rc1"),
        ("## 1.2.0\n", "1.2.0rc1"),
        ("## Unreleased\n\n## 1.1.0\n", "1.2.0.dev3"),
        ("## 1.2.0\n", "1.2.0.post1"),
        ("## 1.2.0\n", "1.2.0+local"),
        ("## 1.2.0\n", "1!1.2.0"),
    ],
)
def test_entry_may_have_any_form(text, version):
    """Headings, tables and lists name versions."""
    assert has_entry(versions_in(text), Version(version))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("## 1.2.0\n", "1.2.1"),
        ("## 1.2.0\n", "1.20"),
        ("## Unreleased\n\n## 1.1.0\n", "1.2.0"),
        ("## 11.2.0\n## 1.2.0.1\n", "1.2.0"),
        ("## 1.2.0rc1\n", "1.2.0"),
    ],
)
def test_other_versions_are_no_entry(text, version):
    """Not even those that contain it."""
    assert not has_entry(versions_in(text), Version(version))


@pytest.mark.parametrize(
    "text", ["See the releases page.", "## 31.01.2026\n", "Unreleased: 7 fixes"]
)
def test_change_log_may_do_without_versions(text):
    """It is not judged then."""
    assert versions_in(text) == []


def test_section_ends_with_the_next_heading_of_its_rank():
    """And a section on something else that changes is none."""
    readme = (
        "# shelf\n\n## Changes of rows\n\n1.0\n\n## Changelog\n\n### 1.1\n\n- One.\n\n"
        "## Licence\n\n2.0\n"
    )

    (found,) = sections(readme)

    assert versions_in(found) == ["1.1"]


@pytest.fixture
def shipping(mutate):
    """A sink whose README has the change log of an older version, with another file."""

    def shipping(place, text):
        location = mutate("M311a")
        (location / place / "CHANGES.md").write_text(text, encoding="utf-8")
        return location

    return shipping


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["plugwright_file_sink", "plugwright_file_sink-0.1.0.dist-info", ""]
)
def test_an_entry_in_one_change_log_is_enough(shipping, run, place):
    """The section in the README may be an excerpt."""
    (result,) = run(shipping(place, "## 0.1.0\n"), "CON-DOC-08").results

    assert result.outcome is Outcome.PASS


@pytest.mark.slow
def test_change_log_of_a_library_is_not_the_plugins(run, mutate):
    """It is in a directory of its own."""
    location = mutate("M311")
    (file,) = location.glob("*/CHANGELOG.md")
    inner = file.parent / "vendored"
    inner.mkdir()
    file.rename(inner / file.name)

    (result,) = run(location, "CON-DOC-08").results

    assert result.outcome is Outcome.NOT_APPLICABLE
