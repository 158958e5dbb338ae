"""Plugin locations travel to executors as archives that name their own digest."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from plugwright.errors import SetupError
from plugwright.shipping import contents_stamp, local_directory, pack_location, received


@pytest.fixture
def location(tmp_path):
    """A location with a module, a program, data in a package, a link and compiled leavings."""
    root = tmp_path / "plugins" / "orders"
    (root / "orders" / "__pycache__").mkdir(parents=True)
    (root / "orders" / "__init__.py").write_text("ANSWER = 42\n", "utf-8")
    (root / "orders" / "größe.txt").write_bytes(b"\0\xff")
    (root / "orders" / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    program = root / "run.sh"
    program.write_text("#!/bin/sh\necho ran\n", "utf-8")
    program.chmod(0o700)
    (root / "again").symlink_to("orders")
    (root / "orders" / "up").symlink_to("..")
    return root


@pytest.fixture
def outbox(tmp_path):
    """Where archives are made."""
    directory = tmp_path / "outbox"
    directory.mkdir()
    return directory


def _arrive(archive, directory):
    """A copy of an archive on another machine."""
    directory.mkdir()
    return directory / archive.rename(directory / archive.name).name


def test_the_archive_is_named_by_the_digest_of_its_bytes(location, outbox):
    """sha256 of the file, computed here by another reader."""
    archive = pack_location(location, outbox)

    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert archive.name == f"{digest}.location.zip"
    assert [each.name for each in outbox.iterdir()] == [archive.name]


def test_times_and_order_do_not_change_an_archive(location, outbox, tmp_path):
    """The same files elsewhere, written in another order at another time."""
    first = pack_location(location, outbox)
    copy = tmp_path / "copy"
    shutil.copytree(location, copy, symlinks=True, copy_function=shutil.copy)
    os.utime(copy / "run.sh", (1, 1))

    assert pack_location(copy, outbox) == first


def test_python_itself_lists_what_was_packed(location, outbox):
    """No compiled file, no loop of links; a link to a directory brings its files."""
    archive = pack_location(location, outbox)

    reported = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", archive],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ).stdout
    names = [line.split()[0] for line in reported.splitlines()[1:]]
    assert names == [
        "again/__init__.py",
        "again/größe.txt",
        "orders/__init__.py",
        "orders/größe.txt",
        "run.sh",
    ]


def test_a_location_arrives_with_its_modes_and_bytes(location, outbox, tmp_path):
    """A program can be run, data are the same."""
    archive = _arrive(pack_location(location, outbox), tmp_path / "executor")

    directory = received(archive)

    assert subprocess.run([directory / "run.sh"], capture_output=True, check=True).stdout == (
        b"ran\n"
    )
    assert (directory / "orders" / "größe.txt").read_bytes() == b"\0\xff"
    assert local_directory(str(archive)) == str(directory)


def test_an_archive_is_unpacked_once_by_many(location, outbox, tmp_path):
    """Processes that start at once get the same whole directory, and nothing is left beside it."""
    archive = _arrive(pack_location(location, outbox), tmp_path / "executor")

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(received, [archive] * 32))

    assert len(found) == 1
    left = sorted(each.name for each in archive.parent.iterdir())
    assert left == [next(iter(found)).name, archive.name]


def test_a_damaged_archive_is_refused_by_name(location, outbox, tmp_path):
    """One bit that changed on the way."""
    archive = _arrive(pack_location(location, outbox), tmp_path / "executor")
    data = bytearray(archive.read_bytes())
    data[60] ^= 1
    archive.write_bytes(data)

    with pytest.raises(SetupError, match="SHA-256 digest is not the one") as caught:
        received(archive)

    assert caught.value.code == "task.location-damaged"
    assert [each.name for each in archive.parent.iterdir()] == [archive.name]
    assert local_directory(str(archive)) == str(archive)


def test_an_archive_that_did_not_arrive_is_named(tmp_path):
    """As on an executor whose disk is full."""
    missing = tmp_path / f"{'0' * 64}.location.zip"

    with pytest.raises(SetupError, match="No such file") as caught:
        received(missing)

    assert caught.value.code == "task.location-damaged"


def test_a_location_that_cannot_be_read_is_named(tmp_path, outbox):
    """Nothing half-packed is left behind."""
    with pytest.raises(SetupError, match="cannot be sent to executors") as caught:
        pack_location(tmp_path / "gone", outbox)

    assert caught.value.code == "plugin.location-unreadable"
    assert list(outbox.iterdir()) == []
    with pytest.raises(SetupError, match="gone"):
        contents_stamp(tmp_path / "gone")


def test_the_stamp_follows_the_files(location):
    """It changes with a file, and not with what Python compiles."""
    before = contents_stamp(location)
    (location / "orders" / "__pycache__" / "y.pyc").write_bytes(b"compiled")
    assert contents_stamp(location) == before

    (location / "orders" / "__init__.py").write_text("ANSWER = 4321\n", "utf-8")

    assert contents_stamp(location) != before


def test_other_entries_of_an_import_path_stay_as_they_are():
    """Directories, and the empty entry."""
    assert [local_directory(each) for each in ("/opt/plugins", "", "a.zip")] == [
        "/opt/plugins",
        "",
        "a.zip",
    ]
