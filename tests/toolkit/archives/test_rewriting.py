"""A rewritten archive has what was asked for, and of all else the bytes it had."""

from __future__ import annotations

import errno
import hashlib
import os
import struct
import zipfile
from itertools import chain, repeat

import pytest
from tests.toolkit.archives import pypi_rules, samples
from tests.toolkit.archives.samples import (
    ENTRIES,
    FILES,
    MANIFEST,
    METADATA,
    RECORD,
    RECORD_DATE,
    WHEEL,
    with_manifest,
)

from plugwright.errors import ConfigError, NotFoundError, render
from plugwright_toolkit.archives import ArtifactError, open_artifact, require_record, rewrite


@pytest.fixture(autouse=True)
def undated(monkeypatch):
    """Dates come from the archive unless a test says otherwise."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)


@pytest.fixture
def target(tmp_path):
    """Where the new archive goes, under the name that a staged file has."""
    return tmp_path / f".{WHEEL}.cpp-0001.tmp"


def _contents(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _names(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_a_wheel_gets_a_manifest(tmp_path, target):
    """At its end, RECORD last, as another reader sees it."""
    path = samples.wheel(tmp_path)

    rewrite(path, with_manifest(), target)

    assert _contents(target) == FILES | with_manifest()
    assert _names(target) == [*FILES, MANIFEST, RECORD]
    assert pypi_rules.check(target.read_bytes()) == [*FILES, MANIFEST, RECORD]


def test_what_was_rewritten_is_right_by_its_record(tmp_path, target):
    """And is as good a source as the first."""
    rewrite(samples.wheel(tmp_path), with_manifest(), target)
    (tmp_path / "again").mkdir()

    require_record(open_artifact(target.rename(tmp_path / "again" / WHEEL)))


def test_the_original_is_only_read(tmp_path, target):
    """Its bytes and its time of change stay."""
    path = samples.wheel(tmp_path)
    before = path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino

    rewrite(path, with_manifest(), target)

    assert (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) == before


def _varied(directory, name=WHEEL):
    """A wheel whose members differ in all that a header can say."""
    stored = samples.info("shop/stored.bin", (1999, 12, 31, 23, 59, 58), 0o100755, 0)
    commented = samples.info("shop/commented.py")
    commented.comment, commented.internal_attr = "mit Gruß".encode(), 1
    foreign = samples.info("shop/foreign.py")
    foreign.create_system, foreign.extra = 0, b"\x99\x99\x02\x00ab"
    large = samples.info("shop/größe.py")
    extra = [
        (stored, b"s" * 99),
        ("shop/sub/", b""),
        (commented, b"c"),
        (foreign, b"f"),
        (large, b"g"),
    ]
    files = FILES | {
        member.filename: data for member, data in extra if data and member is not large
    }
    files |= {large.filename: b"g"}
    lines = samples.info(RECORD, RECORD_DATE), samples.record(files)
    path = samples.pack(
        directory / name, [lines, *FILES.items(), *extra], comment=b"of the archive"
    )
    return path, files


def test_all_other_members_keep_their_bytes(tmp_path, target):
    """Case 103: header, packed bytes, date, attributes, comment and order, by zipfile's offsets."""
    path, files = _varied(tmp_path)
    old, old_directory = samples.packed(path), samples.directory_of(path)

    rewrite(path, with_manifest(files), target)

    new, new_directory = samples.packed(target), samples.directory_of(target)
    kept = [name for name in old if name != RECORD]
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert {name: new_directory[name] for name in kept} == {n: old_directory[n] for n in kept}
    assert _names(target) == [*kept, MANIFEST, RECORD]


def test_the_comment_of_the_archive_is_kept(tmp_path, target):
    """Case 107."""
    path, files = _varied(tmp_path)

    rewrite(path, with_manifest(files), target)

    with zipfile.ZipFile(target) as archive:
        assert archive.comment == b"of the archive"


def test_the_same_input_gives_the_same_bytes(tmp_path, target):
    """Case 103, in whatever order the changes are given."""
    path, files = _varied(tmp_path)
    changes = with_manifest(files) | {"b.py": b"b", "a.py": b"a"}

    rewrite(path, changes, target)
    rewrite(path, dict(reversed(changes.items())), tmp_path / "second")

    digests = [hashlib.sha256(p.read_bytes()).digest() for p in (target, tmp_path / "second")]
    assert digests[0] == digests[1]


def test_new_members_are_plain(tmp_path, target):
    """Dated like the old RECORD, readable by all, deflated, made on Unix."""
    rewrite(samples.wheel(tmp_path), with_manifest(), target)

    with zipfile.ZipFile(target) as archive:
        made = [archive.getinfo(name) for name in (MANIFEST, RECORD)]
    assert {m.date_time for m in made} == {RECORD_DATE}
    assert {m.external_attr for m in made} == {0o100644 << 16}
    assert {(m.compress_type, m.create_system, m.flag_bits, m.extra) for m in made} == {
        (zipfile.ZIP_DEFLATED, 3, 0, b"")
    }


@pytest.mark.parametrize(
    ("reported", "date"),
    [
        ("1700000001", (2023, 11, 14, 22, 13, 20)),
        ("0", (1980, 1, 1, 0, 0, 0)),
        ("9999999999", (2107, 12, 31, 23, 59, 58)),
    ],
    ids=["seconds", "too early", "too late"],
)
def test_the_environment_may_tell_the_date(tmp_path, target, monkeypatch, reported, date):
    """SOURCE_DATE_EPOCH, within what an archive can hold."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", reported)

    rewrite(samples.wheel(tmp_path), with_manifest(), target)

    with zipfile.ZipFile(target) as archive:
        assert archive.getinfo(MANIFEST).date_time == date
        assert archive.getinfo("shop/data.bin").date_time == samples.DATE


def test_a_date_that_is_none_is_refused(tmp_path, target, monkeypatch):
    """Rather than a date made up."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")

    with pytest.raises(ConfigError) as caught:
        rewrite(samples.wheel(tmp_path), with_manifest(), target)

    assert render(caught.value) == (
        "config.invalid: SOURCE_DATE_EPOCH is 'today', expected seconds since 1970\n"
        "  → unset it, or set it to what `git log -1 --format=%ct` prints"
    )
    assert not target.exists()


def test_without_record_the_latest_date_counts(tmp_path, target):
    """Of a plain archive."""
    late = samples.info("b.py", (2025, 1, 1, 0, 0, 2))
    path = samples.pack(tmp_path / "a.zip", [("a.py", b""), (late, b""), ("c.py", b"")])

    rewrite(path, {"x-1.dist-info/entry_points.txt": ENTRIES}, target)

    with zipfile.ZipFile(target) as archive:
        assert archive.infolist()[-1].date_time == (2025, 1, 1, 0, 0, 2)


def test_a_file_is_dropped(tmp_path, target):
    """And leaves no bytes."""
    path = samples.wheel(tmp_path, extra=[("gone.py", b"gone")])

    rewrite(path, {"gone.py": None}, target)

    assert _names(target) == [*FILES, RECORD]
    assert b"gone.py" not in target.read_bytes()


def test_without_changes_a_wheel_is_copied(tmp_path, target):
    """Byte for byte, if it was packed in the plain way."""
    path = samples.wheel(tmp_path)

    rewrite(path, {}, target)

    assert target.read_bytes() == path.read_bytes()


def test_record_is_last_even_if_it_stays(tmp_path, target):
    """In a wheel; elsewhere it keeps its place."""
    path, _ = _varied(tmp_path)
    archive = path.with_name("shop.zip")
    archive.write_bytes(path.read_bytes())

    rewrite(path, {}, target)
    rewrite(archive, {}, tmp_path / "second")

    assert (_names(target)[-1], _names(tmp_path / "second")[0]) == (RECORD, RECORD)


def _descriptors(directory):
    members = [*FILES.items(), (samples.info("shop/s.bin", method=0), b"s" * 9), (RECORD, b"")]
    return samples.pack(directory / WHEEL, members, stream=True)


def test_data_descriptors_give_way_to_sizes(tmp_path, target):
    """Case 108: other readers can then stream it; the packed bytes stay."""
    path = _descriptors(tmp_path)
    old = samples.packed(path)

    rewrite(path, with_manifest(), target)

    new = samples.packed(target)
    kept = [*FILES, "shop/s.bin"]
    assert {n: new[n][1] for n in kept} == {n: old[n][1] for n in kept}
    assert pypi_rules.check(target.read_bytes()) == [*kept, MANIFEST, RECORD]
    assert {n: _contents(target)[n] for n in kept} == {n: _contents(path)[n] for n in kept}


def test_members_with_and_without_descriptors_are_kept(tmp_path, target):
    """With the extra fields of their headers."""
    streamed, plain = samples.info("a.py"), samples.info("b.py")
    streamed.extra = plain.extra = b"\x99\x99\x02\x00ab"
    path = samples.pack(tmp_path / "a.zip", [(streamed, b"a")], stream=True)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(plain, b"b")

    rewrite(path, {}, target)

    assert pypi_rules.check(target.read_bytes()) == ["a.py", "b.py"]
    assert [header[-6:] for header, _ in samples.packed(target).values()] == [plain.extra] * 2


def test_sizes_that_need_no_large_fields_lose_them_with_the_descriptor(tmp_path, target):
    """A streamed member may have a ZIP64 field for nothing."""
    path = tmp_path / "a.zip"
    with path.open("wb") as file, zipfile.ZipFile(samples.Stream(file), "w") as archive:
        member = samples.info("a.bin")
        with archive.open(member, "w", force_zip64=True) as out:
            out.write(b"abc")

    rewrite(path, {}, target)

    assert pypi_rules.check(target.read_bytes()) == ["a.bin"]
    assert samples.packed(target)["a.bin"][0][28:30] == bytes(2)
    assert _contents(target) == {"a.bin": b"abc"}


def test_a_member_that_is_packed_again_has_no_stale_sizes(tmp_path, target):
    """Other extra fields stay."""
    member = samples.info("b.bin")
    member.extra = struct.pack("<2H2Q", 1, 16, 9, 9) + b"\x99\x99\x02\x00ab"
    path = samples.pack(tmp_path / "a.zip", [("a.py", b"old"), (member, b"abc")])

    rewrite(path, {"a.py": b"new"}, target)

    assert pypi_rules.check(target.read_bytes()) == ["b.bin", "a.py"]
    assert samples.directory_of(target)["b.bin"][6] == b"\x99\x99\x02\x00ab"


def test_large_fields_of_a_member_that_is_copied_stay(tmp_path, target):
    """Its header is copied as it is."""
    path = tmp_path / "a.zip"
    member = samples.info("a.bin")
    with (
        zipfile.ZipFile(path, "w") as archive,
        archive.open(member, "w", force_zip64=True) as out,
    ):
        out.write(b"abc")

    rewrite(path, {"b.py": b""}, target)

    assert samples.packed(target)["a.bin"] == samples.packed(path)["a.bin"]
    assert _contents(target) == {"a.bin": b"abc", "b.py": b""}


def test_an_egg_is_rewritten(tmp_path, target):
    """Case 112."""
    members = [("EGG-INFO/PKG-INFO", b"Name: shop\n"), ("EGG-INFO/zip-safe", b"\n")]
    path = samples.pack(tmp_path / "shop.egg", members)

    rewrite(path, {"EGG-INFO/entry_points.txt": ENTRIES}, target)

    assert _contents(target) == dict(members) | {"EGG-INFO/entry_points.txt": ENTRIES}


@pytest.mark.parametrize("rebased", [True, False], ids=["absolute", "relative"])
def test_a_zip_application_keeps_its_interpreter(tmp_path, target, rebased):
    """Case 109: the first line, whichever way its offsets counted."""
    line = b"#!/usr/bin/env python3\n"
    members = [("__main__.py", b"print('ran')\n"), ("b.py", b"")]
    path = samples.pack(tmp_path / "shop.pyz", members, prefix=line if rebased else b"")
    if not rebased:
        path.write_bytes(line + path.read_bytes())

    rewrite(path, {"x-1.dist-info/entry_points.txt": ENTRIES}, target)

    data = target.read_bytes()
    assert data[: len(line)] == line
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert data[archive.start_dir :][:4] == b"PK\x01\x02"
        assert data.endswith(archive.start_dir.to_bytes(4, "little") + bytes(2))
    assert _contents(target)["__main__.py"] == b"print('ran')\n"


def test_the_new_file_is_on_the_disk(tmp_path, target, monkeypatch):
    """Before it can be renamed over the original."""
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(os.fstat(file)), real(file)))

    rewrite(samples.wheel(tmp_path), with_manifest(), target)

    (status,) = synced
    assert (status.st_ino, status.st_size) == (target.stat().st_ino, target.stat().st_size)


@pytest.mark.parametrize("make", ["file", "link", "itself"])
def test_nothing_is_overwritten(tmp_path, target, make):
    """Neither a file nor what a link leads to."""
    path = samples.wheel(tmp_path)
    other = tmp_path / "other"
    other.write_text("kept")
    target = {"file": other, "link": target, "itself": path}[make]
    if make == "link":
        target.symlink_to(other)
    before = path.read_bytes()

    with pytest.raises(ArtifactError, match="exists and is not overwritten") as caught:
        rewrite(path, with_manifest(), target)

    assert caught.value.code == "archive.target-exists"
    assert (other.read_text(), path.read_bytes()) == ("kept", before)


def _full(after):
    """A write that fails for lack of space after a number of calls, after half of the bytes."""
    calls = chain([False] * after, repeat(True))
    real = os.write

    def write(file, data):
        if next(calls):
            real(file, bytes(data)[: len(data) // 2])
            raise OSError(errno.ENOSPC, "full")
        return real(file, data)

    return write


@pytest.mark.parametrize("after", range(7))
def test_a_full_disk_leaves_the_original_and_nothing_else(tmp_path, target, monkeypatch, after):
    """At each write; the study's case 100."""
    path = samples.wheel(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "write", _full(after))

    with pytest.raises(ArtifactError) as caught:
        rewrite(path, with_manifest(), target)

    assert render(caught.value).replace(f"{tmp_path}/", "") == (
        f"archive.unwritable: {target.name} cannot be written: No space left on device\n"
        "  → free some space on that disk or let this user write there, then repeat the command"
    )
    assert (path.read_bytes(), [p.name for p in tmp_path.iterdir()]) == (before, [WHEEL])


def test_short_writes_are_continued(tmp_path, target, monkeypatch):
    """As a nearly full disk or a signal makes them."""
    real = os.write
    path = samples.wheel(tmp_path)
    rewrite(path, with_manifest(), tmp_path / "whole")
    monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data)[:7]))

    rewrite(path, with_manifest(), target)

    assert target.read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_directory_that_is_not_there_is_reported(tmp_path):
    """With the system's reason."""
    with pytest.raises(ArtifactError, match="cannot be written: No such file or directory"):
        rewrite(samples.wheel(tmp_path), {}, tmp_path / "gone" / "x")


def test_an_archive_that_changes_meanwhile_is_not_used(tmp_path, target, monkeypatch):
    """What was copied may be of two minds."""
    path = samples.wheel(tmp_path)
    real = os.write
    monkeypatch.setattr(os, "write", lambda *given: (os.utime(path), real(*given))[1])

    with pytest.raises(ArtifactError, match="was replaced or changed while it was read"):
        rewrite(path, with_manifest(), target)

    assert not target.exists()


def test_what_was_written_is_read_back(tmp_path, target, monkeypatch):
    """A disk that loses bytes is noticed before the original is replaced."""
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (os.pwrite(file, b"?", 16), real(file)))

    with pytest.raises(ArtifactError):
        rewrite(samples.wheel(tmp_path), with_manifest(), target)

    assert not target.exists()


@pytest.mark.parametrize("name", ["RECORD.jws", "RECORD.p7s"])
def test_a_signed_wheel_is_changed_only_without_its_signature(tmp_path, target, name):
    """Case 105: a signature that no longer holds is not carried along."""
    signature = f"{METADATA}/{name}"
    path = samples.wheel(tmp_path, extra=[(signature, b"s")])

    with pytest.raises(ArtifactError) as caught:
        rewrite(path, with_manifest(), target)
    rewrite(path, with_manifest() | {signature: None}, target)

    assert render(caught.value).replace(f"{tmp_path}/", "") == (
        f"archive.signed: {WHEEL} is signed: {signature} would no longer match its RECORD\n"
        "  → drop the signature on purpose with --invalidate-signatures"
    )
    assert _names(target) == [*FILES, MANIFEST, RECORD]


def test_a_signed_wheel_is_copied_with_its_signature(tmp_path, target):
    """Where nothing changes, it still holds."""
    signature = f"{METADATA}/RECORD.jws"

    rewrite(samples.wheel(tmp_path, extra=[(signature, b"s")]), {}, target)

    assert _names(target) == [*FILES, signature, RECORD]


def test_pex_and_shiv_are_refused(tmp_path, target):
    """Case 110."""
    path = samples.pack(tmp_path / "a.pyz", [("PEX-INFO", b"{}")])

    with pytest.raises(ArtifactError) as caught:
        rewrite(path, {"x": b""}, target)

    assert render(caught.value).replace(f"{tmp_path}/", "") == (
        "archive.unsupported: a.pyz is a PEX or shiv application, whose start-up code refuses or "
        "misses a change\n  → build it again from distributions that have their manifest"
    )
    assert not target.exists()


def test_a_file_that_is_not_there_cannot_be_dropped(tmp_path, target):
    """A mistake of the caller."""
    with pytest.raises(NotFoundError, match=r"has no member 'gone\.py'"):
        rewrite(samples.wheel(tmp_path), {"gone.py": None}, target)


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/x",
        "a\\b",
        "a//b",
        ".",
        "x/",
        "",
        "a\nb",
        "a b",
        "SHOP/new.py",
        "shop",
        "shop/data.bin/x",
    ],
    ids=ascii,
)
def test_a_dangerous_name_is_not_written(tmp_path, target, name):
    """Nor one that is another's on some file systems, nor a file in the place of a directory."""
    with pytest.raises(ArtifactError, match="the name is unsafe or taken") as caught:
        rewrite(samples.wheel(tmp_path), {name: b""}, target)

    assert (caught.value.code, target.exists()) == ("archive.unsafe-name", False)


@pytest.mark.parametrize("names", [("a.py", "A.py"), ("a", "a/b")])
def test_new_names_do_not_collide_with_each_other(tmp_path, target, names):
    """As little as with those that are there."""
    with pytest.raises(ArtifactError, match="the name is unsafe or taken"):
        rewrite(samples.wheel(tmp_path), dict.fromkeys(names, b""), target)


def test_a_new_member_in_a_known_directory_is_written(tmp_path, target):
    """Whether or not the directory has a member of its own."""
    path = samples.wheel(tmp_path, extra=[("sub/", b"")])

    rewrite(path, {"sub/new.py": b"1", "shop/new.py": b"2", "größe.py": b"3"}, target)

    assert open_artifact(target.rename(tmp_path / WHEEL)).read("sub/new.py") == b"1"
    assert _contents(tmp_path / WHEEL)["größe.py"] == b"3"
