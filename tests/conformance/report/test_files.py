"""Reports appear whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from plugwright.errors import ConnectError
from plugwright_conformance.report import write_reports

WRITTEN = ["results.json", "junit.xml", "report.html", "summary.md", "badge.svg"]
"""The reports of every run; other tests take their names from the product."""


@dataclass(frozen=True)
class Note:
    """A further format, as a later one would be added."""

    file_name: str = "note.md"

    def render(self, results):
        """One heading."""
        return f"# {results.plugin.name}\n".encode()


class Broken(Note):
    """A format that cannot render."""

    def render(self, results):
        """Fail."""
        raise ZeroDivisionError


def names(directory):
    """What is in the directory."""
    return sorted(path.name for path in directory.iterdir())


def refusal(results, directory, *writers):
    """The error that writing there raises."""
    with pytest.raises(ConnectError) as caught:
        write_reports(results, directory, *writers)
    assert caught.value.code == "report.unwritable"
    return caught.value


def test_every_report_is_written(results, tmp_path):
    """The directory is made, and holds these files and nothing else."""
    directory = tmp_path / "a" / "b"

    written = write_reports(results, directory)

    assert written == [directory / name for name in WRITTEN]
    assert names(directory) == sorted(WRITTEN)


def test_reports_are_readable_by_others(results, tmp_path):
    """A build server under another account can show them."""
    mask = os.umask(0o022)
    try:
        written = write_reports(results, tmp_path)
    finally:
        os.umask(mask)

    assert {path.stat().st_mode & 0o777 for path in written} == {0o644}


def test_a_second_run_replaces_the_first(results, tmp_path):
    """Old reports do not stand in the way."""
    (tmp_path / "results.json").write_text("old")

    write_reports(results, tmp_path)

    assert (tmp_path / "results.json").read_bytes().startswith(b'{\n  "badges"')


def test_all_are_staged_before_any_takes_its_name(results, tmp_path, monkeypatch):
    """At the first rename every report is already whole on disk, results.json goes last."""
    seen = []
    real = Path.replace

    def watched(self, target):
        seen.append((Path(target).name, len(names(tmp_path))))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_reports(results, tmp_path)

    assert seen == [(name, len(WRITTEN)) for name in reversed(WRITTEN)]


def test_every_file_is_on_disk_before_its_name(results, tmp_path, monkeypatch):
    """Five files and their directory are synchronised."""
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size > 0))

    write_reports(results, tmp_path)

    assert synced == [True] * 6


def test_failure_while_staging_leaves_earlier_reports(results, tmp_path):
    """Something in the way costs the new reports, not the old ones, and leaves no litter."""
    (tmp_path / "report.html").write_text("old")
    (tmp_path / "junit.xml").mkdir()

    error = refusal(results, tmp_path)

    assert error.facts["path"] == str(tmp_path / "junit.xml")
    assert (tmp_path / "report.html").read_text() == "old"
    assert names(tmp_path) == ["junit.xml", "report.html"]


def test_failure_while_rendering_writes_nothing(results, tmp_path):
    """A bug in one format does not leave half a set."""
    with pytest.raises(ZeroDivisionError):
        write_reports(results, tmp_path, [Note(), Broken()])

    assert names(tmp_path) == []


def test_file_in_place_of_the_directory_is_named(results, tmp_path):
    """The message says what is in the way and what to do."""
    (tmp_path / "out").write_text("")

    error = refusal(results, tmp_path / "out")

    assert str(error) == (
        f"the reports cannot be written to {tmp_path}/out: {tmp_path}/out: File exists"
    )
    assert "another directory" in error.hint


def test_unwritable_directory_is_named(results, tmp_path, monkeypatch):
    """Permission is reported as the system words it, and about a path that the user knows."""

    def denied(self, mode):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)

    error = refusal(results, tmp_path, [Note()])
    assert dict(error.facts) == {
        "directory": str(tmp_path),
        "path": str(tmp_path),
        "reason": "Permission denied",
    }


def test_a_further_format_is_one_writer(results, tmp_path):
    """Adding a format takes an object with a name and a render method."""
    assert write_reports(results, tmp_path, [Note()]) == [tmp_path / "note.md"]
    assert (tmp_path / "note.md").read_text() == "# orders-sink\n"
